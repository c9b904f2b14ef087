#pragma once

/// Work on several cores.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace hbm::compare {

/// Returns the number of cores of this machine, at least 1.
[[nodiscard]] inline std::size_t all_cores() noexcept {
    const unsigned known = std::thread::hardware_concurrency();
    return known == 0 ? 1 : known;
}

namespace detail {

/// Scope without interrupts in this thread and in those it starts, so that the initial thread receives them.
class without_interrupts {
public:
    without_interrupts() {
        sigset_t held;
        sigemptyset(&held);
        sigaddset(&held, SIGINT);
        sigaddset(&held, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    ~without_interrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    without_interrupts(const without_interrupts&) = delete;
    without_interrupts& operator=(const without_interrupts&) = delete;

private:
    sigset_t before_;
};

}  // namespace detail

/// Calls `work(index)` once for each index below `count`, on the calling thread and up to `jobs - 1` others; 0 jobs
/// mean all cores. Returns when all calls have returned. Indices are claimed in order, so the longest work belongs
/// first. If a call throws, no further index is claimed, and the first exception is rethrown here. If the system has no
/// more threads, the existing ones do the work.
template <class Work>
void in_parallel(std::size_t count, std::size_t jobs, Work&& work) {
    std::atomic<std::size_t> next{0};
    std::mutex guard;
    std::exception_ptr trouble;
    const auto take_turns = [&] {
        try {
            for (std::size_t at = next++; at < count; at = next++) work(at);
        } catch (...) {
            next = count;
            const std::lock_guard<std::mutex> alone(guard);
            if (!trouble) trouble = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    if (const std::size_t useful = std::min(jobs == 0 ? all_cores() : jobs, count); useful > 1) {
        others.reserve(useful - 1);
        const detail::without_interrupts now;
        try {
            while (others.size() + 1 < useful) others.emplace_back(take_turns);
        } catch (const std::system_error&) {
            // Fewer threads do the same work.
        }
    }
    take_turns();
    for (std::thread& entry : others) entry.join();
    if (trouble) std::rethrow_exception(trouble);
}

}  // namespace hbm::compare
