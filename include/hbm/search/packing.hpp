#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/heap_sort.hpp>
#include <hbm/search/slide.hpp>

#include <cstddef>
#include <optional>

namespace hbm::inline v0 {

/// Coordinates from the end towards which blocks are packed, in quanta.
template <class Quanta>
struct packing_side {
    Quanta capacity = 0;
    bool upwards = false;  ///< towards the high end

    /// Returns the offset of a range as seen from that end. It is its own inverse.
    [[nodiscard]] constexpr Quanta seen(basic_extent<Quanta> range) const noexcept {
        return upwards ? capacity - range.end() : range.offset;
    }
    /// Returns the farthest place in a run.
    [[nodiscard]] constexpr std::optional<Quanta> far_place_in(basic_extent<Quanta> run, Quanta size,
                                                               Quanta alignment) const noexcept {
        const packing_side other{capacity, !upwards};
        const auto place = other.place_in({other.seen({seen(run), run.size}), run.size}, size, alignment);
        if (!place) return std::nullopt;
        return seen({other.seen({*place, size}), size});
    }
    /// Returns the nearest place in a run for a block whose real offset must be a multiple of `alignment`.
    [[nodiscard]] constexpr std::optional<Quanta> place_in(basic_extent<Quanta> run, Quanta size,
                                                           Quanta alignment) const noexcept {
        if (size > run.size) return std::nullopt;
        const basic_extent<Quanta> real{seen(run), run.size};
        const Quanta last = real.end() - size;
        const Quanta at = upwards ? align_down(last, alignment) : align_up(real.offset, alignment);
        if (at < real.offset || at > last) return std::nullopt;
        return seen({at, size});
    }
};

/// A movable block, as seen from the near end.
template <class Quanta>
struct packed_block {
    block_index block = no_block;
    Quanta at = 0;
    Quanta size = 0;
    Quanta alignment = 1;

    [[nodiscard]] constexpr Quanta end() const noexcept { return at + size; }
};

/// The range between two walls, or a wall and an end of memory.
template <class Quanta>
struct section {
    basic_extent<Quanta> range;                   ///< range as seen from the near end
    trivial_vector<packed_block<Quanta>> blocks;  ///< blocks in ascending order of distance
    Quanta free = 0;

    /// Calls `visit(run)` for each free run, the nearest first.
    template <class Visit>
    constexpr void for_each_run(Visit visit) const {
        Quanta begin = range.offset;
        for (const packed_block<Quanta>& block : blocks) {
            if (block.at != begin) visit(basic_extent<Quanta>{begin, block.at - begin});
            begin = block.end();
        }
        if (range.end() != begin) visit(basic_extent<Quanta>{begin, range.end() - begin});
    }
    [[nodiscard]] constexpr Quanta longest_run() const {
        Quanta longest = 0;
        for_each_run([&](basic_extent<Quanta> run) {
            if (run.size > longest) longest = run.size;
        });
        return longest;
    }
};

/// Moves the block of index `at` in a section to the offset `place` of a section, which may be the same.
/// Cost: O(blocks).
template <class Quanta>
constexpr void transfer(section<Quanta>& from, std::size_t at, section<Quanta>& to, Quanta place) {
    packed_block<Quanta> block = from.blocks[at];
    block.at = place;
    from.blocks.erase(from.blocks.begin() + static_cast<std::ptrdiff_t>(at));
    from.free += block.size;
    const auto is_beyond = [&](std::size_t other) { return other == to.blocks.size() || to.blocks[other].at > place; };
    const std::size_t after = *least_enough(to.blocks.size(), is_beyond);
    to.blocks.insert(to.blocks.begin() + static_cast<std::ptrdiff_t>(after), block);
    to.free -= block.size;
}

/// A move of `size` quanta, as seen from the near end.
template <class Quanta>
struct packing_step {
    Quanta from = 0;
    Quanta to = 0;
    Quanta size = 0;
};

/// Constraints of moves, and the moves chosen so far.
template <class Quanta>
struct packing_moves {
    packing_side<Quanta> side;
    Quanta limit = 0;                                 ///< largest block that may move at once
    bool slides_in_parts = false;                     ///< blocks over the limit may still slide, in parts
    relocations<Quanta> moves = {};                   ///< in executable order, with real offsets
    trivial_vector<packing_step<Quanta>> steps = {};  ///< the moves, as seen from the near end
    Quanta refused = 0;  ///< the smallest block over the limit that would have moved; 0: none

    constexpr void move(packed_block<Quanta>& block, Quanta to) {
        steps.push_back({block.at, to, block.size});
        block.at = to;
        moves.push_back({block.block, side.seen({to, block.size})});
    }
    /// Returns false, and records the size, if a block is too large to move at once.
    [[nodiscard]] constexpr bool allows(Quanta size) noexcept {
        if (size <= limit) return true;
        if (refused == 0 || size < refused) refused = size;
        return false;
    }
    constexpr void keep(std::size_t count) {
        moves.resize(count);
        steps.resize(count);
    }
};

/// Packs the blocks of a section towards its near end, so that its free space becomes one hole. At the lowest usable
/// hole it takes the first possible of three moves: blocks from beyond jump in if they fill it exactly, so that those
/// between need not move; the next block slides; or, if alignment forbids that, the longest block that fits jumps in.
/// Each block moves nearer and, except for alignment and limit, once: never more bytes than sliding alone. Choices
/// depend only on what is beyond the hole, so an interrupted packing continues in the same way.
/// Cost: O(blocks log(blocks)) without alignment.
template <class Quanta>
class section_packer {
public:
    constexpr section_packer(section<Quanta>& packed, packing_moves<Quanta>& how) : section_(packed), how_(how) {}

    constexpr void pack() {
        index();
        trivial_vector<packed_block<Quanta>> settled;
        Quanta cursor = section_.range.offset;
        std::size_t next = 0;
        const auto settle = [&](const packed_block<Quanta>& block) {
            settled.push_back(block);
            cursor = block.end();
        };
        trivial_vector<packed_block<Quanta>> waiting;  // jumped into a gap before the next block, the nearest last
        for (;;) {
            while (next < blocks().size() && gone(next)) ++next;
            if (waiting.empty() && next == blocks().size()) break;
            packed_block<Quanta>& near = waiting.empty() ? blocks()[next] : waiting.back();
            const std::size_t self = waiting.empty() ? next : blocks().size();
            if (near.at != cursor) {
                const basic_extent<Quanta> gap{cursor, near.at - cursor};
                if (close(gap, self)) {
                    for (const std::size_t pick : picks_) {
                        packed_block<Quanta> block = take(pick);
                        how_.move(block, cursor);
                        settle(block);
                    }
                } else if (const auto to = slide_of(near, cursor)) {
                    how_.move(near, *to);
                    continue;
                } else if (const std::size_t pick = longest_for(gap, self, false); pick != none) {
                    packed_block<Quanta> block = take(pick);
                    how_.move(block, *how_.side.place_in(gap, block.size, block.alignment));
                    waiting.push_back(block);
                    continue;
                }
            }
            settle(near);
            if (waiting.empty())
                take(next);
            else
                waiting.pop_back();
        }
        section_.blocks = static_cast<trivial_vector<packed_block<Quanta>>&&>(settled);
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t max_picks = 8;

    [[nodiscard]] constexpr trivial_vector<packed_block<Quanta>>& blocks() noexcept { return section_.blocks; }

    /// Sorts blocks by size, then distance.
    constexpr void index() {
        const std::size_t count = blocks().size();
        for (std::size_t at = 0; at < count; ++at) {
            by_size_.push_back(at);
            place_.push_back(at);
        }
        heap_sort(by_size_, [&](std::size_t left, std::size_t right) {
            const Quanta a = blocks()[left].size;
            const Quanta b = blocks()[right].size;
            return a != b ? a < b : left < right;
        });
        for (std::size_t rank = 0; rank < count; ++rank) place_[by_size_[rank]] = rank;
        for (std::size_t rank = 0; rank <= count; ++rank) there_.push_back(rank);
    }
    [[nodiscard]] constexpr bool gone(std::size_t at) const noexcept {
        return there_[place_[at] + 1] != place_[at] + 1;
    }
    constexpr packed_block<Quanta> take(std::size_t at) noexcept {
        there_[place_[at] + 1] = place_[at];
        return blocks()[at];
    }
    /// Returns the number of ranks up to the highest below `ranks` whose block is still unpacked (union-find).
    [[nodiscard]] constexpr std::size_t still_there(std::size_t ranks) noexcept {
        while (there_[ranks] != ranks) {
            there_[ranks] = there_[there_[ranks]];
            ranks = there_[ranks];
        }
        return ranks;
    }
    [[nodiscard]] constexpr std::size_t ranks_up_to(Quanta size) noexcept {
        return *least_enough(by_size_.size(), [&](std::size_t rank) {
            return rank == by_size_.size() || blocks()[by_size_[rank]].size > size;
        });
    }

    /// Returns the longest block beyond a gap that fits into it, ties to the farthest. Skips `self` and picked blocks.
    [[nodiscard]] constexpr std::size_t longest_for(basic_extent<Quanta> gap, std::size_t self, bool at_begin) {
        for (std::size_t ranks = still_there(ranks_up_to(at_begin && how_.limit < gap.size ? how_.limit : gap.size));
             ranks != 0; ranks = still_there(ranks - 1)) {
            const std::size_t at = by_size_[ranks - 1];
            const packed_block<Quanta>& block = blocks()[at];
            bool other = at != self && block.at > gap.offset;
            if (at_begin)
                for (const std::size_t pick : picks_) other = other && at != pick;
            if (!other) continue;
            const auto to = how_.side.place_in(gap, block.size, block.alignment);
            if (!to || (at_begin && *to != gap.offset)) continue;
            if (how_.allows(block.size)) return at;
        }
        return none;
    }

    /// Picks blocks that fill a gap exactly, the longest first.
    constexpr bool close(basic_extent<Quanta> gap, std::size_t self) {
        picks_.clear();
        while (gap.size != 0 && picks_.size() < max_picks) {
            const std::size_t pick = longest_for(gap, self, true);
            if (pick == none) return false;
            picks_.push_back(pick);
            gap = {gap.offset + blocks()[pick].size, gap.size - blocks()[pick].size};
        }
        return gap.size == 0;
    }

    [[nodiscard]] constexpr std::optional<Quanta> slide_of(const packed_block<Quanta>& near, Quanta cursor) {
        const basic_extent<Quanta> run{cursor, near.end() - cursor};
        const auto to = how_.side.place_in(run, near.size, near.alignment);
        if (!to || *to == near.at || (!how_.slides_in_parts && !how_.allows(near.size))) return std::nullopt;
        return to;
    }

    section<Quanta>& section_;
    packing_moves<Quanta>& how_;
    trivial_vector<std::size_t> by_size_;
    trivial_vector<std::size_t> place_;  // rank of each block in `by_size_`
    trivial_vector<std::size_t> there_;  // for each number of ranks a lower or equal one: a forest
    trivial_vector<std::size_t> picks_;
};

}  // namespace hbm::inline v0
