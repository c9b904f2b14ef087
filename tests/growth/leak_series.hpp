#pragma once

/// Series of bytes in use, with and without a leak, made of integers from a seed: the same everywhere.

#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compare/generate/random_source.hpp"

namespace hbm::test::leaks {

/// One standard deviation of the noise of all series, 8 MiB, and the level around which they are.
inline constexpr std::int64_t deviation = std::int64_t{8} << 20;
inline constexpr std::int64_t level = std::int64_t{1} << 30;

/// What a series without a leak does, besides its noise.
enum class shape : std::uint8_t {
    flat,
    saw,      ///< rises by four deviations over a period and falls back at once
    spike,    ///< twenty deviations more for three steps in the middle
    stair,    ///< ten deviations more from the middle on
    warm_up,  ///< rises by twenty deviations, half of what is missing in every half-life, which is the period
};

/// How a series is made.
struct series_spec {
    const char* name = "";
    shape what = shape::flat;
    std::uint64_t period = 1;      ///< in steps
    std::int64_t correlation = 0;  ///< of a step's noise with that of the next, in thousandths
    std::uint64_t steps = 0;       ///< for what happens in the middle
};

/// A series, step by step.
class noisy_series {
public:
    noisy_series(const series_spec& spec, std::uint64_t seed) : spec_(spec), random_(seed) {
        // What keeps the deviation the same: sqrt(1 - correlation^2), by integers.
        const std::int64_t rest = 1'000'000 - spec.correlation * spec.correlation;
        while ((fresh_ + 1) * (fresh_ + 1) <= rest) ++fresh_;
    }

    /// The bytes of the next step.
    std::int64_t next() {
        ++step_;
        noise_ = noise_ * spec_.correlation / 1000 + normal() * fresh_ / 1000;
        return level + shaped() + noise_;
    }
    [[nodiscard]] trace::random_source& random() noexcept { return random_; }

private:
    /// Nearly normally distributed: the sum of twelve uniform numbers.
    std::int64_t normal() {
        std::int64_t sum = 0;
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t drawn = random_.next();
            for (unsigned part = 0; part < 64; part += 16) sum += static_cast<std::int64_t>(drawn >> part & 0xffff);
        }
        return (sum - 6 * 65535) * (deviation / 65536);
    }
    std::int64_t shaped() {
        const auto phase = static_cast<std::int64_t>(step_ % spec_.period);
        const auto period = static_cast<std::int64_t>(spec_.period);
        const bool is_late = step_ > spec_.steps / 2;
        switch (spec_.what) {
        case shape::flat: return 0;
        case shape::saw: return 4 * deviation * phase / period;
        case shape::spike: return is_late && step_ <= spec_.steps / 2 + 3 ? 20 * deviation : 0;
        case shape::stair: return is_late ? 10 * deviation : 0;
        case shape::warm_up: {
            // A half-life in 64 parts: each leaves 2^(-1/64) of what is missing, 0.98923.
            if (step_ * 64 / spec_.period != (step_ - 1) * 64 / spec_.period) missing_ = missing_ * 98923 / 100000;
            return 20 * deviation - missing_;
        }
        }
        return 0;
    }

    series_spec spec_;
    trace::random_source random_;
    std::int64_t fresh_ = 0;
    std::int64_t noise_ = 0;
    std::int64_t missing_ = 20 * deviation;
    std::uint64_t step_ = 0;
};

/// What leaks: a block of so many bytes, once in so many steps on average.
struct leak_spec {
    std::int64_t bytes = 0;
    std::uint64_t once_in = 1;
};

/// A series with a leak.
class leaking_series {
public:
    leaking_series(const series_spec& spec, const leak_spec& leak, std::uint64_t seed)
        : series_(spec, seed), leak_(leak) {}

    std::uint64_t next() {
        if (leak_.once_in == 1 || series_.random().one_in(leak_.once_in)) leaked_ += leak_.bytes;
        return static_cast<std::uint64_t>(std::max<std::int64_t>(series_.next() + leaked_, 0));
    }

private:
    noisy_series series_;
    leak_spec leak_;
    std::int64_t leaked_ = 0;
};

}  // namespace hbm::test::leaks

namespace hbm::test {

/// The memory of these tests: a hundred deviations of the noise above the level.
inline constexpr std::uint64_t leak_capacity = static_cast<std::uint64_t>(leaks::level + 100 * leaks::deviation);

/// A series of `steps` steps, counted from 1.
template <class BytesAt>
[[nodiscard]] growth_series watched(std::uint64_t steps, BytesAt bytes_at,
                                    std::uint32_t window = growth_series::usual_window) {
    growth_series seen{window};
    for (std::uint64_t step = 1; step <= steps; ++step) seen.add(bytes_at(step), bytes_at(step));
    return seen;
}

/// A leak that was watched until memory ended.
struct leak_run {
    std::optional<steady_growth> first;  ///< what was known when it was noticed
    std::uint64_t end = 0;               ///< the step at which memory ended
};

/// Watches a series of correlated noise with this leak.
[[nodiscard]] inline leak_run watched_to_the_end(const leaks::leak_spec& leak, std::uint64_t seed) {
    leaks::leaking_series made({.name = "", .correlation = 900}, leak, seed);
    growth_series seen;
    leak_run found;
    for (std::uint64_t bytes = 0; bytes < leak_capacity; ++found.end) {
        bytes = made.next();
        seen.add(bytes, bytes);
        if (!found.first) found.first = seen.growing();
    }
    return found;
}

}  // namespace hbm::test
