#pragma once

/// What a message means: which kind of shortage it reports, how much is missing and where.

#include <hbm/imported/byte_range.hpp>
#include <hbm/imported/message/message.hpp>
#include <hbm/report/reservation.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hbm::imported {

/// The class of a failure.
enum class trouble : std::uint8_t {
    shortage,        ///< less is free than was asked for
    fragmentation,   ///< enough is free, but not in one piece
    crowded,         ///< a program does not fit beside what is in memory
    blocked_bottom,  ///< enough is free, but something lies in the way of the program's scratch at the bottom
    too_large,       ///< the program alone needs more than the device has: whatever else is in memory
    on_chip,         ///< a small memory on the chip, not the device's memory
    unknown,         ///< the message does not say enough
};

/// The meaning of a message. Sizes are computed from rounded ones: each has its bounds.
struct diagnosis {
    trouble what = trouble::unknown;
    std::optional<byte_range> missing = {};  ///< as far as the message says, at least this much
    bool rests_on_rounding = false;  ///< the sizes look alike as printed: which is larger follows from the words
    bool contradicts = false;        ///< by its sizes nothing is missing: it is cut, or mixed with another
    bool counts_reserved = false;    ///< the compiler counted what is reserved, as it did until about 2019
    std::optional<byte_range> fresh_outputs = {};  ///< outputs that the compiler's total leaves out
    bool arguments_not_stated = false;             ///< 0B of arguments and of outputs stand for "not stated"
};

namespace diagnosis_detail {

[[nodiscard]] inline bool is_zero(const std::optional<rounded_size>& size) {
    return size && size->high == 0;
}

/// Whether `a` may be `b`, given how both were rounded.
[[nodiscard]] inline bool may_equal(const rounded_size& a, const rounded_size& b) {
    return a.low <= b.high && b.low <= a.high;
}

/// A message by whose sizes nothing is missing, however they were rounded, does not tell what is wrong.
inline void look_for_contradiction(diagnosis& found) {
    if (!found.missing || found.missing->high != 0) return;
    found.what = trouble::unknown;
    found.missing.reset();
    found.contradicts = true;
    found.rests_on_rounding = false;
}

inline void of_compiler(const memory_message& from, diagnosis& into) {
    into.what = from.asked ? trouble::too_large : trouble::unknown;
    if (from.asked && from.capacity) into.missing = difference(*from.asked, *from.capacity);
    // The stated difference was rounded once, the computed one twice. Where the computed one is nothing, it stays.
    const bool is_something = !into.missing || into.missing->high != 0;
    if (from.exceeded && is_something) into.missing = range_of(*from.exceeded);
    if (from.usage && from.asked && from.usage->total)
        into.counts_reserved = from.usage->reserved &&
                               from.usage->reserved->low > 2 * (from.asked->high - from.asked->low) &&
                               may_equal(*from.asked, *from.usage->total);
    if (from.output && from.output->size && from.output->shared)
        into.fresh_outputs = difference(*from.output->size, *from.output->shared);
    into.arguments_not_stated = from.usage && is_zero(from.usage->arguments) &&
                                (!from.output || (is_zero(from.output->size) && is_zero(from.output->shared)));
}

/// What is reserved already of what is asked for: 0 unless it is a reservation.
[[nodiscard]] inline rounded_size reserved_of(const memory_message& from) {
    return from.kind == message_kind::reservation && from.reserved ? *from.reserved : rounded_size{};
}

/// What is missing in `room`. A reservation grows from what is reserved already.
[[nodiscard]] inline byte_range missing_in(const memory_message& from, const rounded_size& room) {
    const rounded_size reserved = reserved_of(from);
    const rounded_size& asked = *from.asked;
    return {missing_for_reservation(asked.bytes, reserved.bytes, room.bytes),
            missing_for_reservation(asked.low, reserved.high, room.high),
            missing_for_reservation(asked.high, reserved.low, room.low),
            std::max(difference(asked, room).unit, byte_range_detail::unit_of(reserved))};
}

inline void of_attempt(const memory_message& from, diagnosis& into) {
    const bool of_program = from.kind != message_kind::buffer;
    const rounded_size& free = *from.free;
    // The runtime speaks of the longest piece, or of what is reservable, only where it is what is too short.
    const std::optional<rounded_size>& piece = from.kind == message_kind::reservation ? from.reservable : from.largest;
    const byte_range missing = missing_in(from, free);
    const bool is_short = missing.low != 0;
    const bool is_enough = missing.high == 0;
    const bool in_pieces = piece && (from.kind != message_kind::reservation || !may_equal(*piece, free));
    if (is_short || (!in_pieces && !is_enough)) {
        into.what = of_program ? trouble::crowded : trouble::shortage;
        into.rests_on_rounding = !is_short;
        into.missing = missing;
        return;
    }
    into.rests_on_rounding = !is_enough;
    into.what = from.kind == message_kind::reservation ? trouble::blocked_bottom : trouble::fragmentation;
    if (piece) into.missing = missing_in(from, *piece);
}

}  // namespace diagnosis_detail

/// How large a request could be at most with `room` free for it. Programs share what is reserved at the bottom: for a
/// reservation that counts too. O(1).
[[nodiscard]] inline rounded_size possible_in(const memory_message& from, const rounded_size& room) {
    return sum(diagnosis_detail::reserved_of(from), room);
}

/// Whether the arguments of a program are larger than the device's memory, whatever the rounding. O(1).
[[nodiscard]] inline bool arguments_exceed(const memory_message& from) {
    return from.capacity && from.usage && from.usage->arguments && from.usage->arguments->low > from.capacity->high;
}

/// Whether the outputs that a compiler's total leaves out are a thousandth of it or more. O(1).
[[nodiscard]] inline bool outputs_matter(const memory_message& from, const diagnosis& found) {
    const std::optional<rounded_size>& total = from.asked ? from.asked : from.usage ? from.usage->total : from.asked;
    return found.fresh_outputs && total && found.fresh_outputs->bytes > total->bytes / 1000;
}

/// Finds out what a message means. Less free memory than asked for is a shortage (of a reservation, less
/// than it has to grow by); as much or more, without a piece that
/// is long enough, is fragmentation (in the runtime's messages the sentence on fragmentation stands only then). O(1).
[[nodiscard]] inline diagnosis diagnose(const memory_message& from) {
    diagnosis found;
    if (!from.of_device_memory()) {
        found.what = trouble::on_chip;
        if (from.asked && from.capacity) found.missing = difference(*from.asked, *from.capacity);
    } else if (from.of_compiler()) {
        diagnosis_detail::of_compiler(from, found);
    } else if (from.asked && from.free) {
        diagnosis_detail::of_attempt(from, found);
    }
    diagnosis_detail::look_for_contradiction(found);
    return found;
}

}  // namespace hbm::imported
