#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace runtime_client {

/// The part of a device that computes: a thread that does what it is given in that order, as a stream does.
class device_queue {
public:
    device_queue() : worker_([this] { work(); }) {}
    device_queue(const device_queue&) = delete;
    device_queue& operator=(const device_queue&) = delete;
    /// Finishes all that was submitted.
    ~device_queue() {
        {
            const std::lock_guard held(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }

    /// Submits work under the number of its fence; numbers rise.
    void submit(std::uint64_t number, std::function<void()> work) {
        {
            const std::lock_guard held(mutex_);
            waiting_.emplace_back(number, std::move(work));
        }
        changed_.notify_all();
    }
    /// Returns when the work under `number`, and all before it, is done.
    void wait(std::uint64_t number) {
        std::unique_lock held(mutex_);
        changed_.wait(held, [&] { return done_ >= number; });
    }

private:
    void work() {
        std::unique_lock held(mutex_);
        while (true) {
            changed_.wait(held, [&] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            const auto [number, next] = std::move(waiting_.front());
            waiting_.pop_front();
            held.unlock();
            next();
            held.lock();
            done_ = number;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<std::uint64_t, std::function<void()>>> waiting_;
    std::uint64_t done_ = 0;
    bool ending_ = false;
    std::thread worker_;  // last: it uses all of the above
};

}  // namespace runtime_client
