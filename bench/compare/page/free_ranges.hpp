#pragma once

/// Guesses where a block will lie, so that the page needs few bytes for where it does.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hbm::compare {

/// The guesses about the place of a block, in the order of their numbers in the page.
enum class guess : std::uint8_t {
    low_end_of_best,   ///< of the smallest hole that is long enough; the lowest of equals
    high_end_of_best,  ///< of the smallest hole that is long enough; the highest of equals
    lately_left,       ///< where the block of that size lay that was removed last
    lowest,            ///< the low end of the lowest hole that is long enough
    highest,           ///< the high end of the highest hole that is long enough
};
inline constexpr std::uint8_t guesses = 5;

/// The free ranges of a memory, in quanta.
class free_ranges {
public:
    explicit free_ranges(std::uint64_t capacity) { add(0, capacity); }

    /// Where `which` puts a block of `size`; empty where it knows no place. The lowest and highest take O(holes), the
    /// others O(log holes).
    [[nodiscard]] std::optional<std::uint64_t> place(guess which, std::uint64_t size) const;

    /// A block takes a free range, or leaves it. O(log holes).
    void take(std::uint64_t offset, std::uint64_t size);
    void leave(std::uint64_t offset, std::uint64_t size);

private:
    void add(std::uint64_t offset, std::uint64_t size);
    void remove(std::map<std::uint64_t, std::uint64_t>::iterator hole);

    std::map<std::uint64_t, std::uint64_t> by_offset_;           // size by offset
    std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // size and offset
    std::map<std::uint64_t, std::uint64_t> left_;                // by size: the place left last
};

}  // namespace hbm::compare
