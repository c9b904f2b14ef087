#pragma once

/// Steps of calls, counted in the code of the library as it is, without a clock.
///
/// The build compiles this folder with `-fsanitize-coverage=trace-pc`: each basic block then calls a function in
/// steps.cpp, so every turn of every loop counts. Memory that is copied, set or allocated on the host counts a step for
/// each cache line: the linker's `--wrap` leads memcpy, memmove and memset to steps.cpp.

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <testing/seeds.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace hbm::test {

/// Steps of this program so far.
extern std::uint64_t steps_taken;

/// Growth of a cost with n, a count of blocks, programs, runs in flight, deferred frees or names.
enum class growth : std::uint8_t { constant, log_n, n, n_log_n, n_squared };

[[nodiscard]] inline double factor_of(growth by, std::uint64_t count) {
    const auto linear = static_cast<double>(count);
    const auto log = static_cast<double>(std::bit_width(count));
    switch (by) {
    case growth::constant: return 1;
    case growth::log_n: return log;
    case growth::n: return linear;
    case growth::n_log_n: return linear * log;
    case growth::n_squared: return linear * linear;
    }
    return 0;
}

/// A bound of steps: three times those at the smallest count, growing, and `fixed` steps that do not grow.
struct bound {
    growth by = growth::constant;
    double fixed = 0;

    constexpr bound(growth grows, double steps = 0) noexcept : by(grows), fixed(steps) {}  // NOLINT: implicit

    /// Returns the most steps at `count` if there were `steps` at `first`. Loops of few turns may be short by chance:
    /// 32 steps more are allowed, and a list that becomes a page takes longer.
    [[nodiscard]] double most(double steps, std::uint64_t first, std::uint64_t count) const {
        return (steps * 3 + 32) * factor_of(by, count) / factor_of(by, first) + fixed;
    }
};

/// Steps of all calls of one kind at one count.
struct step_sample {
    std::uint64_t count = 0;
    std::uint64_t calls = 0;
    std::uint64_t total = 0;
    std::uint64_t worst = 0;

    [[nodiscard]] double mean() const {
        return calls == 0 ? 0 : static_cast<double>(total) / static_cast<double>(calls);
    }
};

/// Steps of the calls of one kind at several counts, and bounds for the mean and the worst of them.
class step_series {
public:
    step_series(std::string name, bound mean, bound worst) : name_(std::move(name)), mean_(mean), worst_(worst) {}

    void begin(std::uint64_t count) { samples_.push_back({.count = count}); }
    /// Makes a call and counts its steps, without those that end its result.
    template <class Call>
    void count(Call call) {
        const std::uint64_t before = steps_taken;
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            add(steps_taken - before);
        } else {
            const auto result = call();
            asm volatile("" : : "r"(&result) : "memory");  // the compiler may not leave the call out
            add(steps_taken - before);
        }
    }

    /// Returns the first sample above a bound, as text, or "".
    [[nodiscard]] std::string broken() const {
        const step_sample& first = samples_.front();
        for (const step_sample& sample : samples_) {
            if (sample.mean() > mean_.most(first.mean(), first.count, sample.count))
                return name_ + ": the mean grows too fast\n" + table();
            if (static_cast<double>(sample.worst) >
                worst_.most(static_cast<double>(first.worst), first.count, sample.count))
                return name_ + ": the worst grows too fast\n" + table();
        }
        return {};
    }
    /// Returns a line for each count: calls, and the mean and the worst of their steps.
    [[nodiscard]] std::string table() const {
        std::string lines;
        for (const step_sample& sample : samples_) {
            char numbers[80];
            std::snprintf(numbers, sizeof numbers, " %9llu %9llu %11.1f %10llu\n",
                          static_cast<unsigned long long>(sample.count), static_cast<unsigned long long>(sample.calls),
                          sample.mean(), static_cast<unsigned long long>(sample.worst));
            lines += name_ + std::string(name_.size() < 56 ? 56 - name_.size() : 0, ' ') + numbers;
        }
        return lines;
    }

private:
    void add(std::uint64_t steps) {
        step_sample& sample = samples_.back();
        ++sample.calls;
        sample.total += steps;
        if (steps > sample.worst) sample.worst = steps;
    }

    std::string name_;
    bound mean_;
    bound worst_;
    std::vector<step_sample> samples_;
};

/// Several series over the same counts. With HBM_PRINT_STEPS in the environment, `expect` prints them.
class step_table {
public:
    explicit step_table(std::string name = {}) : name_(std::move(name)) {}

    /// Returns a new series; it lives as long as this table.
    step_series& add(const char* call, bound mean, bound worst) {
        return series_.emplace_back(name_.empty() ? call : name_ + ", " + call, mean, worst);
    }
    step_series& add(const char* call, bound most) { return add(call, most, most); }
    void begin(std::uint64_t count) {
        for (step_series& calls : series_) calls.begin(count);
    }
    /// Fails the test for each series that is above a bound.
    void expect() const {
        for (const step_series& calls : series_) {
            if (std::getenv("HBM_PRINT_STEPS") != nullptr) std::fputs(calls.table().c_str(), stdout);
            if (const std::string broken = calls.broken(); !broken.empty()) FAIL_CHECK(broken);
        }
    }

private:
    std::string name_;
    std::deque<step_series> series_;
};

/// Returns the powers of ten from `least` to `most`, which HBM_MOST_BLOCKS replaces; without the last where a build is
/// slow and does not try all seeds.
[[nodiscard]] inline std::vector<std::uint64_t> counts(std::uint64_t least, std::uint64_t most) {
    if (const char* text = std::getenv("HBM_MOST_BLOCKS"))
        most = std::strtoull(text, nullptr, 10);
    else if (!tries_all_seeds())
        most /= 10;
    std::vector<std::uint64_t> powers;
    for (std::uint64_t power = least; power <= most; power *= 10) powers.push_back(power);
    return powers;
}

}  // namespace hbm::test
