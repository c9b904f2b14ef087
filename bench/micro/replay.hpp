#pragma once

/// The loop in which all peers are timed, and the clocks.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "micro/peer.hpp"
#include "micro/workloads.hpp"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace hbm::micro {

/// Keeps the compiler from removing the computation of `value`.
template <class Value>
void look_at(const Value& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

/// A peer and the handles of a workload's blocks.
template <peer P>
class player {
public:
    player(const workload& load, std::uint64_t capacity) : memory_(capacity, load.peak_blocks), held_(load.slots) {}

    /// Replays a part of the workload, which is timed.
    [[gnu::noinline]] void play(std::span<const operation> part) {
        std::uint64_t offsets = 0;
        for (const auto [slot, quanta] : part) {
            auto& held = held_[slot];
            if (quanta != 0) {
                held = memory_.allocate(quanta);
                if (P::holds(held))
                    offsets ^= memory_.offset(held);
                else
                    ++failures_;
            } else if (P::holds(held)) {
                memory_.free(held);
            }
        }
        look_at(offsets);
    }
    [[nodiscard]] std::uint64_t failures() const { return failures_; }
    P& memory() { return memory_; }
    typename P::handle& held(std::uint32_t slot) { return held_[slot]; }

private:
    P memory_;
    std::vector<typename P::handle> held_;
    std::uint64_t failures_ = 0;
};

/// Returns the part of a workload that is not timed, or the part that is timed.
[[nodiscard]] inline std::span<const operation> warm_up_of(const workload& load) {
    return std::span{load.operations}.first(load.warm_up);
}
[[nodiscard]] inline std::span<const operation> timed_part_of(const workload& load) {
    return std::span{load.operations}.subspan(load.warm_up);
}

/// Returns the processor time of this thread in seconds.
[[nodiscard]] inline double processor_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A clock for single calls: the processor's tick counter, if it has one.
struct stopwatch {
    [[nodiscard]] static std::uint64_t begin() {
#ifdef __x86_64__
        _mm_lfence();
        return __rdtsc();
#else
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
    }
    [[nodiscard]] static std::uint64_t end() {
#ifdef __x86_64__
        unsigned processor = 0;
        return __rdtscp(&processor);
#else
        return begin();
#endif
    }
    /// Returns the nanoseconds of a tick.
    [[nodiscard]] static double tick() {
        static const double nanoseconds = [] {
            const auto from = std::chrono::steady_clock::now();
            const std::uint64_t first = begin();
            std::chrono::duration<double, std::nano> passed{};
            while (passed < std::chrono::milliseconds(20)) passed = std::chrono::steady_clock::now() - from;
            return passed.count() / static_cast<double>(end() - first);
        }();
        return nanoseconds;
    }
    /// Returns the nanoseconds that the clock itself takes, which each measured time includes.
    [[nodiscard]] static double overhead() {
        std::uint64_t least = ~std::uint64_t{0};
        for (int attempt = 0; attempt < 10'000; ++attempt) {
            const std::uint64_t from = begin();
            least = std::min(least, end() - from);
        }
        return static_cast<double>(least) * tick();
    }
};

/// Returns the quantile for the given share; reorders the values.
template <class Value>
[[nodiscard]] Value quantile(std::vector<Value>& values, double share) {
    if (values.empty()) return {};
    const auto rank = std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

}  // namespace hbm::micro
