#pragma once
/// Other work of the machine, which disturbs times.

#include <chrono>
#include <optional>

namespace hbm::compare {

/// Processor seconds since the machine started, of all programs; empty where the system does not report them.
[[nodiscard]] std::optional<double> machine_seconds();

/// Meter of other programs' work during its lifetime.
class other_work {
public:
    other_work();

    /// Returns the processor time of other programs since the construction, as a share of one core; 0 if unknown.
    [[nodiscard]] double share() const;

private:
    std::chrono::steady_clock::time_point begin_;
    std::optional<double> machine_;
    double own_ = 0;
};

}  // namespace hbm::compare
