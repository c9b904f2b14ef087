#pragma once

/// What a caller asks for, and what a placement makes of it.

#include <hbm/core/bytes.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace hbm {

/// An end: of memory, when it says where a search begins, or of a hole, when it says which part of it is taken. Of a
/// hole it may be `either`: the one that leaves free memory together, see `free_together<P>`.
enum class end : std::uint8_t { low, high, either };

/// How long a block is expected to live. A hint: `lifetimes_apart<P>` keeps brief blocks apart from the others. Brief
/// is well below the average: it dies before a quarter as many blocks have come as are live at a time.
enum class lifetime : std::uint8_t { unknown, brief, lasting };

/// Which end of memory the caller would like. A hint as well: a placement that owns an end decides for itself.
enum class side : std::uint8_t { any, low, high };

/// A request for memory, in bytes.
struct request {
    std::uint64_t bytes = 0;      ///< rounded up to the quantum; 0 occupies one quantum
    std::uint64_t alignment = 0;  ///< a power of two in bytes; 0 and anything below the quantum mean the quantum
    side preferred = side::any;   ///< hint
    lifetime expected = lifetime::unknown;  ///< hint
    tag label = tag::none;
};

/// What would satisfy a request, in quanta. A placement turns a manager's wish into a need (buddy rounds up to its
/// powers of two); indexes search with it and the planner of relief makes room for it. The three choices stay apart:
/// which hole (the index, searching `from` an end of memory), which end of the hole (`at`), and how to split (the
/// placement).
template <class Quanta>
struct need {
    Quanta length = 1;
    Quanta alignment = 1;                   ///< a power of two
    end from = end::low;                    ///< ties and first-ness count from this end of memory
    end at = end::low;                      ///< the end of the hole that is taken
    Quanta avoid_below = 0;                 ///< holes that begin below this offset are the last resort
    bool ends_chosen = false;               ///< `from` and `at` were chosen by who keeps blocks apart, and stay
    lifetime expected = lifetime::unknown;  ///< for placements that heed it

    /// True when every hole that is long enough will do, and the block goes to its low end. O(1).
    [[nodiscard]] constexpr bool is_plain() const noexcept {
        return alignment == 1 && avoid_below == 0 && from == end::low && at == end::low;
    }
    /// Where the block would go in `hole`; the result is meaningful only if `admits(hole)`. O(1).
    [[nodiscard]] constexpr Quanta offset_in(basic_extent<Quanta> hole) const noexcept {
        return at == end::low ? align_up(hole.offset, alignment)
                              : align_down(static_cast<Quanta>(hole.end() - length), alignment);
    }
    /// True when a block of this need fits into `hole`, aligned, and the hole is not one to shun. O(1).
    [[nodiscard]] constexpr bool admits(basic_extent<Quanta> hole) const noexcept {
        if (hole.size < length || hole.offset < avoid_below) return false;
        if (alignment == 1) return true;
        const Quanta slack = static_cast<Quanta>((Quanta{0} - hole.offset) & (alignment - 1));
        return slack <= hole.size - length;
    }

    friend constexpr bool operator==(const need&, const need&) = default;
};

/// How many quanta `bytes` become, at least one; empty when that exceeds what `Quanta` can count. `quantum` is a power
/// of two. O(1).
template <class Quanta>
[[nodiscard]] constexpr std::optional<Quanta> to_quanta(std::uint64_t bytes, std::uint64_t quantum) noexcept {
    const std::uint64_t count = bytes == 0 ? 1 : ((bytes - 1) >> std::countr_zero(quantum)) + 1;
    if (count > std::numeric_limits<Quanta>::max() || count > ~std::uint64_t{0} / quantum) return std::nullopt;
    return static_cast<Quanta>(count);
}

/// Turns a request into a need, `quantum` being a power of two; or says what is wrong with it. O(1).
template <class Quanta>
[[nodiscard]] constexpr error to_need(const request& wanted, std::uint64_t quantum, need<Quanta>& converted) noexcept {
    const std::optional<Quanta> length = to_quanta<Quanta>(wanted.bytes, quantum);
    if (!length) return error::size_too_large;
    converted.length = *length;
    if (wanted.alignment > 1) {
        if (!std::has_single_bit(wanted.alignment)) return error::bad_alignment;
        const std::optional<Quanta> alignment = to_quanta<Quanta>(wanted.alignment, quantum);
        if (!alignment) return error::size_too_large;
        converted.alignment = *alignment;
    }
    converted.expected = wanted.expected;
    if (wanted.preferred == side::high) converted.from = converted.at = end::high;
    return error::none;
}

}  // namespace hbm
