#pragma once

/// What a suite found, and how to see it again.

#include <cstddef>
#include <cstdint>

namespace hbm::testing {

/// What became of one random story: nothing to complain of, or the broken rule, and how to replay it.
struct outcome {
    const char* broken = nullptr;  ///< the broken rule in words; null when all is well
    const char* subject = "";      ///< the name of the policy or manager
    std::uint64_t seed = 0;
    std::uint32_t step = 0;  ///< the step, counted from 1, after which the rule was broken

    [[nodiscard]] constexpr bool ok() const noexcept { return broken == nullptr; }
};

/// A line of text with its zero.
struct outcome_line {
    char text[384] = {};

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
};

/// `best_fit: step 12: the block overlaps ... (replay: HBM_SEED=7 HBM_STEPS=12)`: the story told as far as it matters.
/// A test that reads these two variables runs just this seed. What is too long is cut. O(length).
[[nodiscard]] constexpr outcome_line describe(const outcome& found) noexcept {
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
    say(found.subject);
    if (found.ok()) {
        say(": ok");
        return line;
    }
    say(": step ");
    say_number(found.step);
    say(": ");
    say(found.broken);
    say(" (replay: HBM_SEED=");
    say_number(found.seed);
    say(" HBM_STEPS=");
    say_number(found.step);
    say(")");
    return line;
}

}  // namespace hbm::testing
