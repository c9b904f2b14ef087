#pragma once

/// What a message means: which kind of shortage it reports, how much is missing and where.

#include <cstdint>
#include <optional>

#include "compare/read/message/message.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// The class of a failure.
enum class shortage_kind : std::uint8_t {
    shortage,        ///< less is free than requested
    fragmentation,   ///< enough is free, but not in one piece
    crowded,         ///< a program does not fit beside what is in memory
    blocked_bottom,  ///< enough is free, but something lies in the way of the program's scratch at the bottom
    too_large,       ///< the program alone needs more than the device has: whatever else is in memory
    on_chip,         ///< a small memory on the chip, not the device's memory
    unknown,         ///< the message does not say enough
};

/// The meaning of a message. Sizes are computed from rounded ones: each has its bounds.
struct diagnosis {
    shortage_kind what = shortage_kind::unknown;
    std::optional<byte_range> missing = {};  ///< as far as the message says, at least this much
    bool rests_on_rounding = false;  ///< the sizes look alike as printed: which is larger follows from the words
    bool contradicts = false;        ///< by its sizes nothing is missing: it is cut, or mixed with another
    bool counts_reserved = false;    ///< the compiler counted what is reserved, as it did until about 2019
    std::optional<byte_range> fresh_outputs = {};  ///< outputs that the compiler's total leaves out
    bool arguments_not_stated = false;             ///< 0B of arguments and of outputs stand for "not stated"
};

/// The part of the request that is reserved already: 0 unless it is a reservation.
[[nodiscard]] rounded_size reserved_of(const memory_message& from);

/// How large a request could be at most with `room` free for it. Programs share what is reserved at the bottom: for a
/// reservation that counts too. O(1).
[[nodiscard]] rounded_size possible_in(const memory_message& from, const rounded_size& room);

/// Whether the arguments of a program are larger than the device's memory, whatever the rounding. O(1).
[[nodiscard]] bool arguments_exceed(const memory_message& from);

/// Whether the outputs that a compiler's total leaves out are a thousandth of it or more. O(1).
[[nodiscard]] bool outputs_matter(const memory_message& from, const diagnosis& found);

/// Diagnoses a message. Less free memory than requested is a shortage (of a reservation, less
/// than it has to grow by); as much or more, without a piece that
/// is long enough, is fragmentation (in the runtime's messages the sentence on fragmentation stands only then). O(1).
[[nodiscard]] diagnosis diagnose(const memory_message& from);

}  // namespace hbm::imported
