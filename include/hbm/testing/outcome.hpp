#pragma once

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::testing {

/// The outcome of one random story: the broken rule, if any, and the numbers to replay it.
struct outcome {
    const char* broken = nullptr;  ///< the broken rule, or null
    const char* subject = "";      ///< name of the policy or manager
    std::uint64_t seed = 0;
    std::uint32_t step = 0;  ///< the step after which the rule was broken, counted from 1

    [[nodiscard]] constexpr bool ok() const noexcept { return broken == nullptr; }
};

struct outcome_line {
    char text[384] = {};

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
};

/// Returns `best_fit: step 12: the block overlaps ... (replay: seed 7, 12 steps)`, cut to the line's length. The two
/// numbers are those to pass to the suite.
[[nodiscard]] constexpr outcome_line describe(const outcome& result) noexcept {
    outcome_line line;
    std::size_t length = 0;
    const auto say = [&](const char* words) {
        for (; *words != '\0' && length + 1 < sizeof line.text; ++words) line.text[length++] = *words;
    };
    const auto say_number = [&](std::uint64_t number) {
        char digits[21] = {};
        std::size_t at = 20;
        do digits[--at] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        say(digits + at);
    };
    say(result.subject);
    if (result.ok()) {
        say(": ok");
        return line;
    }
    say(": step ");
    say_number(result.step);
    say(": ");
    say(result.broken);
    say(" (replay: seed ");
    say_number(result.seed);
    say(", ");
    say_number(result.step);
    say(" steps)");
    return line;
}

}  // namespace hbm::inline v0::testing
