#pragma once
/// Words and numbers that the answers to messages share.

#include <hbm/core/memory_spec.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::compare {

__extension__ typedef unsigned __int128 wide_bytes;

/// Steps before a failure after which memory must have grown.
inline constexpr std::uint64_t many_steps = 100;

/// Returns `part` of `whole` in whole per cent, rounded down; 0 for an empty whole.
[[nodiscard]] constexpr std::uint64_t per_cent(std::uint64_t part, std::uint64_t whole) noexcept {
    const wide_bytes most = 1'000'000'000;
    return whole == 0 ? 0 : static_cast<std::uint64_t>(std::min(wide_bytes{part} * 100 / whole, most));
}

/// Returns the least number of equal shares of `whole` that are no larger than `room`; 0 if there is no room.
[[nodiscard]] constexpr std::uint64_t shares_needed(std::uint64_t whole, std::uint64_t room) noexcept {
    return room == 0 ? 0 : whole / room + (whole % room == 0 ? 0 : 1);
}

/// Returns the ratio of `whole` to `part` in words: `6.2 times`, `41 times`, `257,000,000 times`. It is rounded down,
/// to at most three digits, because a size in a message rarely has more.
[[nodiscard]] std::string times_in_words(std::uint64_t whole, std::uint64_t part);

/// Returns `TPU v5e (15.75G)`, or `a device of 12.00G` without a name.
[[nodiscard]] std::string device_in_words(const memory_spec& device);

/// Returns the device with the most memory of all known here.
[[nodiscard]] const memory_spec& largest_generation();

/// Returns the TPU generations with memory for `needed`, and the rest of each: `TPU v4 (30.75G, 1.26G left)`.
/// Smallest first, at most three, all larger than `more_than` bytes; empty if there is none.
[[nodiscard]] std::string generations_with(const rounded_size& needed, std::uint64_t more_than = 0);

/// Returns a size, or nothing.
[[nodiscard]] std::string words_or_empty(const std::optional<rounded_size>& size);
[[nodiscard]] std::string words_or_empty(const std::optional<byte_range>& size);

/// Returns `the program`, or `program 'jit_step'` if the message names it.
[[nodiscard]] std::string program_of(const memory_message& from);

/// Returns a shape without its layout, cut if it is very long: `f32[4,128,128,9,18]`.
[[nodiscard]] std::string without_layout(std::string_view shape);

/// Returns the name of the operation that makes an array, cut from the left; empty if it is not stated.
[[nodiscard]] std::string operation_of(const imported::listed_allocation& entry);

/// Allocations of equal size, shape, operation and source line.
struct allocation_group {
    std::uint64_t count = 0;
    const imported::listed_allocation* first = nullptr;  ///< an entry of the message that was grouped
    std::string operation = {};  ///< name of the operation, or the label of the compiler; may be empty
    std::string source = {};     ///< `attention.py:1059`, without folders; empty if not stated
};

/// Returns the listed allocations of a message in groups, those with the most bytes first. Cost: O(n^2) for n entries.
[[nodiscard]] std::vector<allocation_group> largest_groups(const memory_message& from);

/// A program that JAX compiles for itself, the call behind it, and what to do instead.
struct framework_program {
    std::string_view name;
    std::string_view call;
    std::string_view remedy;
};

/// Returns such a program by its name, such as `jit__identity_fn`; null for others.
[[nodiscard]] const framework_program* find_framework_program(std::string_view name);

/// What to type, in the words of a framework.
struct framework_words {
    std::string_view free_arrays;
    std::string_view free_programs;
    std::string_view donate;
    std::string_view recompute;
    std::string_view profile;  ///< how to learn whose memory is in use
};

[[nodiscard]] const framework_words& words_of(const memory_message& from);

}  // namespace hbm::compare
