#pragma once

#include <hbm/core/extent.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hbm::inline v0 {

namespace map_cell {

inline constexpr char reservation = '=';
inline constexpr char buffer = 'b';
inline constexpr char program = 'p';
inline constexpr char wall = '#';  ///< a buffer or a program that is pinned or in use, or half moved
inline constexpr char freed = 'd';
inline constexpr char hole = '.';
inline constexpr char mixed = '+';

}  // namespace map_cell

/// Draws blocks and holes, given in address order without gaps, into 100 cells.
/// Cell n shows the bytes from n/100 to (n+1)/100 of the memory, at least 1 byte.
class memory_map {
public:
    static constexpr std::size_t width = 100;

    explicit memory_map(std::uint64_t bytes) : bytes_(bytes), cells_(width, ' ') {}

    /// Draws a block or hole at `where` as the character `kind`.
    void draw(char kind, const extent& where) {
        while (at_ < width && begin(at_) < where.end()) {
            char& cell = cells_[at_];
            cell = cell == ' ' || cell == kind ? kind : map_cell::mixed;
            if (end(at_) > where.end()) return;  // the next block shares this cell
            ++at_;
        }
    }

    [[nodiscard]] const std::string& cells() const noexcept { return cells_; }

private:
    [[nodiscard]] std::uint64_t begin(std::size_t cell) const noexcept {
        return bytes_ / width * cell + bytes_ % width * cell / width;
    }
    [[nodiscard]] std::uint64_t end(std::size_t cell) const noexcept {
        const std::uint64_t next = begin(cell + 1);
        return next > begin(cell) ? next : begin(cell) + 1;
    }

    std::uint64_t bytes_;
    std::string cells_;
    std::size_t at_ = 0;  // first cell that may still change
};

}  // namespace hbm::inline v0
