#pragma once

/// Guesses at the place of a block. The page stores the number of the right guess, which is short, instead of the
/// place.

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::compare {

/// A guess at the place of a block; its value is its number in the page.
enum class guess : std::uint8_t {
    low_end_of_best,   ///< the low end of the smallest hole that is long enough; ties go to the lowest
    high_end_of_best,  ///< the high end of the smallest hole that is long enough; ties go to the highest
    lowest,            ///< the low end of the lowest hole that is long enough
    highest,           ///< the high end of the highest hole that is long enough
};
inline constexpr std::uint8_t guesses = 4;

/// The free ranges of a memory, in quanta. Cost: O(holes) for each call.
class free_ranges {
public:
    explicit free_ranges(std::uint64_t capacity);

    /// Returns the place of a block of `size` under `rule`; empty if no hole is long enough.
    [[nodiscard]] std::optional<std::uint64_t> place(guess rule, std::uint64_t size) const;

    /// Removes the range from the free ranges. Requires: all of it is free.
    void take(std::uint64_t offset, std::uint64_t size);

    /// Adds the range to the free ranges. Requires: none of it is free.
    void leave(std::uint64_t offset, std::uint64_t size);

private:
    struct hole {
        std::uint64_t begin;
        std::uint64_t end;
    };

    /// Returns the first hole that begins at `offset` or above.
    [[nodiscard]] std::vector<hole>::iterator at_or_above(std::uint64_t offset);

    std::vector<hole> holes_;  // by address; never empty, never adjacent
};

}  // namespace hbm::compare
