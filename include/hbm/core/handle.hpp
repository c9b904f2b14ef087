#pragma once

/// Handles to buffers and programs: small values, whose staleness a manager detects.

#include <hbm/core/language.hpp>

#include <bit>
#include <compare>
#include <cstdint>

namespace hbm::inline v0 {

/// The index that refers to no block and no slot.
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// The index of a block or a hole. A block keeps its index while it lives, even if it moves. A hole keeps its index
/// until a block next to it is placed, moved or freed.
using block_index = std::uint32_t;
inline constexpr block_index no_block = no_index;

/// A handle: index, generation and salt. Indexes are reused; the generation distinguishes the last 2^30 blocks, or 2^31
/// programs, of an index. The salt distinguishes unrelated managers; copies of a manager share it. A
/// default-constructed handle refers to nothing.
template <class Tag>
struct basic_handle {
    std::uint32_t index = no_index;
    std::uint32_t generation = 0;
    std::uint32_t salt = 0;

    /// Constructs a handle from its parts. It writes index and generation at once: g++ 12 would write them separately,
    /// and reading them together would stall for 4 ns.
    [[nodiscard]] static constexpr basic_handle of(std::uint32_t index, std::uint32_t generation,
                                                   std::uint32_t salt) noexcept {
        if (__builtin_is_constant_evaluated() || std::endian::native != std::endian::little)
            return {index, generation, salt};
        basic_handle handle{.salt = salt};
        const std::uint64_t both = std::uint64_t{generation} << 32 | index;
        detail::copy_bytes(static_cast<void*>(&handle), &both, sizeof both);
        return handle;
    }

    /// Returns true unless default-constructed. Only `manager::check` returns if the handle is still valid.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index != no_index; }
    friend constexpr bool operator==(const basic_handle&, const basic_handle&) = default;
};

struct buffer_tag {};
struct program_tag {};

/// A handle to a buffer. Buffers are never evicted.
using buffer = basic_handle<buffer_tag>;
/// A handle to a loaded program. It stays valid while the program is evicted, until `unload`.
using program = basic_handle<program_tag>;

/// The end of a run or other work. There is one time line: fences are reached in order. A default-constructed fence
/// counts as reached.
/// A fence has no salt: that of another manager is not detected.
struct fence {
    std::uint64_t number = 0;

    friend constexpr auto operator<=>(const fence&, const fence&) = default;
};

/// An interned name, see `tag_names`; frequent calls pass no strings.
enum class tag : std::uint32_t { none = 0 };

}  // namespace hbm::inline v0
