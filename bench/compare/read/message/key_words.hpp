#pragma once

/// Where the parts of messages begin in a text.

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
[[nodiscard]] std::vector<key_place> find_key_words(std::string_view text);

}  // namespace hbm::imported
