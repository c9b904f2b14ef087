#pragma once
/// Diagnosis of a message: the kind of shortage, and the missing bytes.

#include <cstdint>
#include <optional>

#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::compare {

using imported::byte_range;
using imported::figure;
using imported::memory_message;
using imported::message_kind;
using imported::rounded_size;

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
    bool contradicts = false;      ///< true if nothing is missing by its sizes: it is cut, or mixed with another
    bool counts_reserved = false;  ///< true if the compiler counted reserved memory, as it did until about 2019
    std::optional<byte_range> fresh_outputs = {};  ///< outputs that the compiler's total leaves out, if they matter
    bool states_arguments = false;  ///< true if arguments are stated: 0B of them and of outputs stand for "not stated"
};

/// Diagnoses a message. Less free memory than requested is a shortage; for a reservation, less than it must grow by.
/// Enough free memory without a piece that is long enough is fragmentation: the runtime's messages have the sentence on
/// it only then. Cost: O(listed allocations).
[[nodiscard]] diagnosis diagnose(const memory_message& from);

/// Returns the largest possible request if `room` is free for it. A reservation includes the bytes already reserved at
/// the bottom, which programs share.
[[nodiscard]] rounded_size possible_in(const memory_message& from, const rounded_size& room);

/// Returns the memory of a small memory on the chip, or of the host, that a message is about; empty for the device's.
[[nodiscard]] std::string small_memory_of(const memory_message& from);

/// Returns the bytes that a program needs in all: what the compiler counts, less what the system reserves, and outputs
/// that take over no argument. Empty if the message does not say.
[[nodiscard]] std::optional<rounded_size> need_of_program(const memory_message& from, const diagnosis& shortage);

/// Returns the size of a range.
[[nodiscard]] constexpr rounded_size size_of(const byte_range& range) noexcept {
    return {range.bytes, range.low, range.high};
}

}  // namespace hbm::compare
