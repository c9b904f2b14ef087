#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// The choice to end a report with a glossary. To join reports, omit it and append `words_explained` of the whole.
enum class word_notes : std::uint8_t { added, left_out };

namespace detail {

struct note {
    std::string_view word;
    std::string_view meaning;
};

/// The glossary, in printed order.
inline constexpr note glossary[] = {
    {"E0100", "the runtime's number for a buffer or an output that does not fit"},
    {"E0101", "the runtime's number for a program that cannot be loaded"},
    {"E0102", "the runtime's number for an argument of another size than the program expects"},
    {"scratch", "what a program needs for temporaries while it runs"},
    {"reservation", "scratch that is reserved at the bottom of memory"},
    {"reservable", "the free bytes directly above what is reserved at the bottom: so much more can be reserved"},
    {"wall", "a block that can now be neither moved nor evicted"},
    {"fence", "the end of a run that was started and may not be over"},
    {"fences", "the ends of runs that were started and may not be over"},
    {"quantum", "all sizes and offsets are multiples of it"},
};

[[nodiscard]] constexpr bool is_of_a_word(char character) noexcept {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

/// Returns true if `word` occurs in `text` as a whole word.
[[nodiscard]] constexpr bool has_word(std::string_view text, std::string_view word) noexcept {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_of_a_word(text[at - 1])) && (end == text.size() || !is_of_a_word(text[end]))) return true;
    }
    return false;
}

/// Returns the first coordinates of a chip in a text, such as `0x0x1_HBM0`; "" if there are none.
[[nodiscard]] constexpr std::string_view chip_in(std::string_view text) noexcept {
    const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
    constexpr std::string_view beginning = "; (";
    for (std::size_t at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning, at + 1)) {
        const std::string_view rest = text.substr(at + beginning.size());
        const std::string_view name = rest.substr(0, rest.find(')'));
        std::size_t read = 0;
        bool fits = true;
        for (const std::string_view after : {"x", "x", "_HBM", ""}) {
            const std::size_t number = read;
            while (read < name.size() && is_digit(name[read])) ++read;
            fits = fits && read != number && name.substr(read, after.size()) == after;
            read += after.size();
        }
        if (fits && read == name.size()) return name;
    }
    return {};
}

[[nodiscard]] inline std::string chip_explained(std::string_view chip) {
    const std::size_t first = chip.find('x');
    const std::size_t second = chip.find('x', first + 1);
    const std::size_t third = chip.find('_');
    return "the chip at x = " + std::string(chip.substr(0, first)) +
           ", y = " + std::string(chip.substr(first + 1, second - first - 1)) +
           ", z = " + std::string(chip.substr(second + 1, third - second - 1)) + " of the slice, and memory " +
           std::string(chip.substr(third + 4)) + " on it";
}

}  // namespace detail

/// Returns the glossary of `text`: a line for each explained word that occurs, after the line "Words:"; "" if none.
[[nodiscard]] inline std::string words_explained(std::string_view text) {
    std::string lines;
    const auto add = [&](std::string_view word, std::string_view meaning) {
        lines += "  ";
        (lines += word) += ": ";
        (lines += meaning) += "\n";
    };
    if (const std::string_view chip = detail::chip_in(text); !chip.empty()) add(chip, detail::chip_explained(chip));
    for (const detail::note& note : detail::glossary)
        if (detail::has_word(text, note.word)) add(note.word, note.meaning);
    return lines.empty() ? lines : "Words:\n" + lines;
}

}  // namespace hbm::inline v0
