#pragma once

/// Requests in bytes, and the needs in quanta that placements derive from them.

#include <hbm/core/bytes.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace hbm::inline v0 {

/// An end of memory, at which a search begins, or an end of a hole, at which a block is placed. `either` is for holes
/// only: the end that keeps free memory together, see `free_together<P>`.
enum class end : std::uint8_t { low, high, either };

/// Expected lifetime of a block. A hint, used by `lifetimes_apart<P>`. With n live blocks, a brief block is freed
/// before n / 4 further blocks are allocated.
enum class lifetime : std::uint8_t { unknown, brief, lasting };

/// The end of memory that the caller prefers. A hint: placements that use one end for themselves ignore it.
enum class side : std::uint8_t { any, low, high };

/// A request for memory, in bytes.
struct request {
    std::uint64_t bytes = 0;                ///< rounded up to the quantum; 0 occupies one quantum
    std::uint64_t alignment = 0;            ///< a power of two in bytes; values below the quantum mean the quantum
    side preferred = side::any;             ///< hint
    lifetime expected = lifetime::unknown;  ///< hint
    tag label = tag::none;
};

/// A request in quanta, adjusted to the rules of a placement (buddy rounds up to powers of two). The index chooses the
/// hole, searching `from` an end; `at` is the end of the hole; the placement splits the hole.
template <class Quanta>
struct need {
    Quanta length = 1;
    Quanta alignment = 1;                   ///< a power of two
    end from = end::low;                    ///< end at which a search begins; ties go to the hole closest to it
    end at = end::low;                      ///< end of the hole that the block is placed at
    Quanta avoid_below = 0;                 ///< holes that begin below this offset are the last choice
    bool ends_chosen = false;               ///< `from` and `at` are final: a placement that separates blocks chose them
    lifetime expected = lifetime::unknown;  ///< a hint, see `lifetimes_apart<P>`

    /// Returns true if every hole that is long enough is suitable, and the block is placed at its low end.
    [[nodiscard]] constexpr bool is_plain() const noexcept {
        return alignment == 1 && avoid_below == 0 && from == end::low && at == end::low;
    }
    /// Returns the offset of the block in `hole`.
    /// Requires: `admits(hole)`.
    [[nodiscard]] constexpr Quanta offset_in(basic_extent<Quanta> hole) const noexcept {
        return at == end::low ? align_up(hole.offset, alignment)
                              : align_down(static_cast<Quanta>(hole.end() - length), alignment);
    }
    /// Returns true if an aligned block fits into `hole`, and the hole does not begin below `avoid_below`.
    [[nodiscard]] constexpr bool admits(basic_extent<Quanta> hole) const noexcept {
        if (hole.size < length || hole.offset < avoid_below) return false;
        if (alignment == 1) return true;
        // The distance to the next multiple of the alignment, without computing that: it may lie beyond the width.
        const Quanta slack = static_cast<Quanta>((Quanta{0} - hole.offset) & (alignment - 1));
        return slack <= hole.size - length;
    }

    friend constexpr bool operator==(const need&, const need&) = default;
};

/// Converts `bytes` to quanta, rounded up and at least 1. Returns `nullopt` on overflow.
/// Requires: `quantum` is a power of two.
template <class Quanta>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr std::optional<Quanta> to_quanta(std::uint64_t bytes,
                                                                                  std::uint64_t quantum) noexcept {
    const int shift = std::countr_zero(quantum);
    const std::uint64_t count = bytes == 0 ? 1 : ((bytes - 1) >> shift) + 1;
    if (count > std::numeric_limits<Quanta>::max() || count > ~std::uint64_t{0} >> shift) return std::nullopt;
    return static_cast<Quanta>(count);
}

/// Writes the need of a request to `converted`. Returns `error::none` or why the request is invalid.
/// Requires: `quantum` is a power of two.
template <class Quanta>
[[nodiscard]] constexpr error to_need(const request& request, std::uint64_t quantum, need<Quanta>& converted) noexcept {
    const std::optional<Quanta> length = to_quanta<Quanta>(request.bytes, quantum);
    if (!length) return error::size_too_large;
    converted.length = *length;
    if (request.alignment > 1) {
        if (!std::has_single_bit(request.alignment)) return error::bad_alignment;
        const std::optional<Quanta> alignment = to_quanta<Quanta>(request.alignment, quantum);
        if (!alignment) return error::size_too_large;
        converted.alignment = *alignment;
    }
    converted.expected = request.expected;
    if (request.preferred == side::high) converted.from = converted.at = end::high;
    return error::none;
}

}  // namespace hbm::inline v0
