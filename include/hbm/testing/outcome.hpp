#pragma once

#include <cstdint>
#include <string>

namespace hbm::inline v0::testing {

/// The outcome of one random story: the broken rule, if any, and the numbers to replay it.
struct outcome {
    const char* broken = nullptr;  ///< the broken rule, or null
    const char* subject = "";      ///< name of the policy or manager
    std::uint64_t seed = 0;
    std::uint32_t step = 0;  ///< the step after which the rule was broken, counted from 1

    [[nodiscard]] constexpr bool ok() const noexcept { return broken == nullptr; }
};

/// Returns `best_fit: step 12: the block overlaps ... (replay: seed 7, 12 steps)`. The two numbers are those to pass to
/// the suite.
[[nodiscard]] inline std::string describe(const outcome& result) {
    const std::string subject = result.subject;
    if (result.ok()) return subject + ": ok";
    const std::string step = std::to_string(result.step);
    return subject + ": step " + step + ": " + result.broken + " (replay: seed " + std::to_string(result.seed) + ", " +
           step + " steps)";
}

}  // namespace hbm::inline v0::testing
