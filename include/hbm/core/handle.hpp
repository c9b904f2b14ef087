#pragma once

/// Handles to buffers and programs. They are small values; a manager recognises a handle whose block or program is
/// gone.

#include <hbm/core/language.hpp>

#include <bit>
#include <compare>
#include <cstdint>

namespace hbm {

/// The index that refers to no block and to no slot.
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// The index of a block or of a hole. A block keeps its index while it lives, also when it moves; a hole keeps its
/// index until a block beside it is placed, moved or freed.
using block_index = std::uint32_t;
/// The index that refers to no block.
inline constexpr block_index no_block = no_index;

/// A handle: index, generation and salt. An index is used again after its block or program is gone; the generation
/// tells the present owner of an index from earlier owners, of the last 2^30 of a block and 2^31 of a program. The salt
/// tells a manager and its copies from unrelated managers. A default-constructed handle refers to nothing. `Tag` makes
/// handles of different kinds different types.
template <class Tag>
struct basic_handle {
    std::uint32_t index = no_index;
    std::uint32_t generation = 0;
    std::uint32_t salt = 0;

    /// A handle of these three numbers. It is passed on as a whole, so index and generation are written at once: g++ 12
    /// would write them apart, and the read of both would wait for the two writes, for four nanoseconds.
    [[nodiscard]] static constexpr basic_handle of(std::uint32_t index, std::uint32_t generation,
                                                   std::uint32_t salt) noexcept {
        if (__builtin_is_constant_evaluated() || std::endian::native != std::endian::little)
            return {index, generation, salt};
        basic_handle made{.salt = salt};
        const std::uint64_t both = std::uint64_t{generation} << 32 | index;
        __builtin_memcpy(static_cast<void*>(&made), &both, sizeof both);
        return made;
    }

    /// True unless default-constructed. Whether the handle is still valid only the manager can tell.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index != no_index; }
    friend constexpr bool operator==(const basic_handle&, const basic_handle&) = default;
};

/// The kinds of handles.
struct buffer_tag {};
struct program_tag {};

/// A handle to a data allocation, which is never evicted.
using buffer = basic_handle<buffer_tag>;
/// A handle to a loaded executable. It stays valid while the program is evicted and ends with `unload`.
using program = basic_handle<program_tag>;

/// Marks the end of a run. A device executes runs in the order in which they were issued, so a manager's fences are
/// reached in that order. A default-constructed fence counts as reached.
struct fence {
    std::uint64_t number = 0;

    friend constexpr auto operator<=>(const fence&, const fence&) = default;
};

/// A small number that stands for a name, see `tag_names`, so that frequent calls pass no strings.
enum class tag : std::uint32_t { none = 0 };

}  // namespace hbm
