#pragma once

/// What a user holds: a buffer, a program. Both are small values that notice when they have gone stale.

#include <compare>
#include <cstdint>

namespace hbm {

/// No block, no slot: the index that names nothing.
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// Names a block, or a hole. A block's stays the same while the block lives, also when it moves; a hole's until a block
/// beside it comes or goes.
using block_index = std::uint32_t;
inline constexpr block_index no_block = no_index;

/// Index, generation and salt. The generation tells a slot's present owner from its earlier ones; the salt tells the
/// manager (and its copies) from unrelated ones. A default-made handle names nothing. `Tag` keeps the kinds apart.
template <class Tag>
struct basic_handle {
    std::uint32_t index = no_index;
    std::uint32_t generation = 0;
    std::uint32_t salt = 0;

    /// True unless default-made. Says nothing about being alive: ask the manager.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index != no_index; }
    friend constexpr bool operator==(const basic_handle&, const basic_handle&) = default;
};

struct buffer_tag {};
struct program_tag {};

/// A data allocation. It outranks programs and is never evicted.
using buffer = basic_handle<buffer_tag>;
/// A loaded executable. The handle stays good while the program is evicted; it ends with `unload`.
using program = basic_handle<program_tag>;

/// When a run is over. A device runs what it is given in order, so that a manager's fences are reached in the order of
/// its runs; a default-made one is reached from the start.
struct fence {
    std::uint64_t number = 0;

    friend constexpr auto operator<=>(const fence&, const fence&) = default;
};

/// A small number that stands for a name; see `tag_names`. Tags travel through the hot path, names do not.
enum class tag : std::uint32_t { none = 0 };

}  // namespace hbm
