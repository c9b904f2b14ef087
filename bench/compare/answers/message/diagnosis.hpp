#pragma once

/// Diagnosis of a message: the kind of shortage, and the missing bytes.

#include <cstdint>
#include <optional>

#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Class of a failure.
enum class shortage_kind : std::uint8_t {
    shortage,        ///< less is free than requested
    fragmentation,   ///< enough is free, but not in one piece
    crowded,         ///< a program does not fit next to the contents of memory
    blocked_bottom,  ///< enough is free, but something lies in the way of the program's scratch at the bottom
    too_large,       ///< the program does not fit, even into empty memory
    on_chip,         ///< a small memory on the chip, not the device's memory
    unknown,         ///< the message is not sufficient
};

/// Meaning of a message. Sizes are computed from rounded ones: each has its bounds.
struct diagnosis {
    shortage_kind what = shortage_kind::unknown;
    std::optional<byte_range> missing = {};  ///< missing bytes according to the message: a lower bound
    bool rests_on_rounding = false;          ///< true if the sizes are printed alike: the words decide which is larger
    bool contradicts = false;      ///< true if nothing is missing by its sizes: it is cut, or mixed with another
    bool counts_reserved = false;  ///< true if the compiler counted reserved memory, as it did until about 2019
    std::optional<byte_range> fresh_outputs = {};  ///< outputs that the compiler's total leaves out
    bool arguments_not_stated = false;             ///< 0B of arguments and of outputs stand for "not stated"
};

/// Returns the part of the request that is reserved already: 0 unless it is a reservation.
[[nodiscard]] rounded_size reserved_of(const memory_message& from);

/// Returns the largest possible request if `room` is free for it. A reservation includes the bytes already reserved at
/// the bottom, which programs share.
/// Cost: O(1).
[[nodiscard]] rounded_size possible_in(const memory_message& from, const rounded_size& room);

/// Returns the bytes of a program by its list: in all, of itself, or of its parts. Empty without one. Cost: O(1).
[[nodiscard]] std::optional<rounded_size> stated_total(const memory_message& from);

/// Returns true if the arguments of a program are larger than the device's memory, for any rounding. Cost: O(1).
[[nodiscard]] bool arguments_exceed(const memory_message& from);

/// Returns true if the sizes of a whole program are listed, as by `memory_analysis()`: its total includes outputs.
[[nodiscard]] bool lists_whole_program(const memory_message& from);

/// Returns true if the outputs that a compiler's total leaves out are a thousandth of it or more. Cost: O(1).
[[nodiscard]] bool outputs_matter(const memory_message& from, const diagnosis& shortage);

/// Diagnoses a message. Less free memory than requested is a shortage; for a reservation, less than it must grow by.
/// Enough free memory without a piece that is long enough is fragmentation. The runtime's messages contain the sentence
/// on fragmentation only then.
/// Cost: O(1).
[[nodiscard]] diagnosis diagnose(const memory_message& from);

}  // namespace hbm::imported
