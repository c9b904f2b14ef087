#pragma once

#include <hbm/core/result.hpp>
#include <hbm/explain/error_table.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// The memory of a chip in a slice: coordinates of the chip and index of the memory on it, printed `0x0x1_HBM0`.
struct chip {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    std::uint32_t hbm = 0;

    friend constexpr bool operator==(const chip&, const chip&) = default;
};

/// The place of a failure, as far as the caller knows it.
struct failure_place {
    chip at = {};
    std::uint32_t replica = no_index;    ///< replica that failed, if there are several
    std::uint32_t partition = no_index;  ///< partition that failed; a message has both or neither
    std::string_view device = {};        ///< name of the device, printed in place of the chip

    friend constexpr bool operator==(const failure_place&, const failure_place&) = default;
};

[[nodiscard]] inline std::string chip_in_words(const chip& at) {
    return filled("{x}x{y}x{z}_HBM{hbm}", {{"x", at.x}, {"y", at.y}, {"z", at.z}, {"hbm", at.hbm}});
}

namespace detail {

/// Returns the runtime's sentences on a request that found no room. They mention fragmentation only if enough bytes are
/// free. If a free run is long enough, and only alignment or a placement rule is in the way, its wording is unknown.
[[nodiscard]] inline std::string attempt_in_words(const failure& why) {
    const bool is_reservation = why.reason == error::scratch_does_not_fit && why.at_the_bottom;
    const bool is_fragmented = why.free >= why.requested && why.largest_free < why.requested;
    return filled(is_reservation ? "Attempting to reserve {requested} at the bottom of memory. That was not possible. "
                                   "There are {free} free, {reserved} reserved, and {reservable} reservable."
                  : is_fragmented
                      ? "Attempting to allocate {requested}. That was not possible. There are {free} free. The largest "
                        "contiguous region of free memory is {largest} due to fragmentation."
                      : "Attempting to allocate {requested}. That was not possible. There are {free} free.",
                  {{"requested", size_in_words(why.requested)},
                   {"free", size_in_words(why.free)},
                   {"largest", size_in_words(why.largest_free)},
                   {"reserved", size_in_words(why.reserved)},
                   {"reservable", size_in_words(why.reservable)}});
}

[[nodiscard]] inline std::string scope_in_words(const failure_place& where) {
    if (where.replica == no_index || where.partition == no_index) return {};
    return filled(" Scope: unknown..: while running replica {replica} and partition {partition} of a replicated "
                  "computation (other replicas may have failed as well).",
                  {{"replica", where.replica}, {"partition", where.partition}});
}

[[nodiscard]] inline std::string index_in_words(std::uint32_t index) {
    return index == no_index ? "(none)" : std::to_string(index);
}

/// Returns the sentence of the error table that says most about the failure.
[[nodiscard]] constexpr std::string_view sentence_of(const error_row& row, const failure& why) noexcept {
    // Mostly the row has the sentence, with another one for an argument. Two errors have a second cause that the row
    // does not know: an alignment rather than a size that cannot be counted, and an index beyond a list rather than a
    // bad index in it. They are told apart by the figures that only this cause sets.
    if (why.reason == error::size_too_large && why.alignment > why.requested)
        return "an alignment of {alignment} bytes is more quanta than the manager's placement can count";
    if (why.reason == error::bad_argument && why.argument != no_index && why.first_use == no_index)
        return "item {argument} is beyond the end of a list of the call";
    return why.argument != no_index && !row.of_argument.empty() ? row.of_argument : row.sentence;
}

}  // namespace detail

/// Returns the message that a user of the runtime would see: a status and a sentence. `name` is that of the program, if
/// a program failed. Arguments are counted from 0, inputs first.
[[nodiscard]] inline std::string message(const failure& why, std::string_view name = {},
                                         const failure_place& where = {}) {
    const std::string code = status_name(status_of(why.reason));
    const std::string_view sentence = detail::sentence_of(detail::row_of(why.reason), why);
    if (sentence.empty()) return code;
    return code + ": " +
           filled(sentence, {{"attempt", detail::attempt_in_words(why)},
                             {"chip", where.device.empty() ? chip_in_words(where.at) : std::string(where.device)},
                             {"program", std::string(name)},
                             {"scope", detail::scope_in_words(where)},
                             {"bytes", why.requested},
                             {"alignment", why.alignment},
                             {"argument", detail::index_in_words(why.argument)},
                             {"first_use", detail::index_in_words(why.first_use)}});
}

}  // namespace hbm::inline v0
