#pragma once

/// Where the parts of messages begin in a text.

#include <hbm/imported/message/window.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// The parts of messages, each of which begins with key words.
enum class message_part : std::uint8_t {
    compile,
    usage,
    output,
    requirement,
    item,
    buffer,
    load,
    attempt,
    old_buffer,
    early_abort,
    cores,
    exceeds,
    ledger,
    free_chunk,
    program_fits,
    statistics,
};

/// Key words at which a part begins.
struct key_words {
    std::string_view words;
    message_part part;
};

/// Key words of XLA's messages, from XLA's pages on errors E0100, E0101 and E1000, and from public reports.
inline constexpr key_words all_key_words[] = {
    {"Ran out of memory in memory space ", message_part::compile},
    {"Total hbm usage", message_part::usage},
    {"Output size ", message_part::output},
    {"Program hbm requirement", message_part::requirement},
    {"Size:", message_part::item},
    {"Error allocating device buffer", message_part::buffer},
    {"Error loading program", message_part::load},
    {"Attempting to ", message_part::attempt},
    {"Could not allocate ", message_part::old_buffer},
    {"Aborting compilation early", message_part::early_abort},
    {"TensorCore Hbm usage", message_part::cores},
    {"TC Hbm usage", message_part::cores},
    {"Allocation (size=", message_part::exceeds},
    {"HBM capacity ", message_part::ledger},
    {"Max free chunk ", message_part::free_chunk},
    {"program HBM usage:", message_part::program_fits},
    {"bytes_in_use", message_part::statistics},
};

/// A place where key words stand.
struct key_place {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< of the key words
    message_part part = message_part::compile;
};

/// All places of key words in a text, in its order. An entry of a list counts only with its number before `Size:`.
/// O(length of the text), and O(n log n) for n places.
[[nodiscard]] inline std::vector<key_place> find_key_words(std::string_view text) {
    std::vector<key_place> places;
    const window all{text};
    for (const key_words& each : all_key_words) {
        const std::string_view first = each.words.substr(0, each.words.find(' '));
        for (std::size_t at = text.find(first); at != window::nowhere; at = text.find(first, at + 1)) {
            const std::size_t end = all.end_of(each.words, at);
            if (end == window::nowhere) continue;
            if (each.part == message_part::item) {
                std::size_t before = at;
                while (before > 0 && window::is_space(text[before - 1])) --before;
                if (before < 2 || text[before - 1] != '.' || !window::is_digit(text[before - 2])) continue;
            }
            if (each.part == message_part::statistics && at > 0 && text[at - 1] == '_') continue;  // peak_bytes_in_use
            places.push_back({at, end, each.part});
        }
    }
    std::sort(places.begin(), places.end(), [](const key_place& a, const key_place& b) { return a.begin < b.begin; });
    return places;
}

}  // namespace hbm::imported
