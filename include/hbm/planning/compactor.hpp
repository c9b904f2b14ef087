#pragma once

/// Compaction: the sections of memory between walls, and the moves that pack them.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bisect.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/heap_sort.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A block and its new offset, in quanta.
struct relocation {
    block_index block = no_block;
    std::uint64_t to = 0;

    friend constexpr bool operator==(const relocation&, const relocation&) = default;
};

/// Coordinates from the end towards which blocks are packed, in quanta: whatever the direction, packing goes to 0.
struct packing_side {
    std::uint64_t capacity = 0;
    bool upwards = false;  ///< towards the high end

    /// Returns the offset of a range as seen from that end. It is its own inverse.
    constexpr std::uint64_t seen(extent range) const noexcept {
        return upwards ? capacity - range.end() : range.offset;
    }
    /// Returns the nearest place in a run for a block whose real offset must be a multiple of `alignment`.
    constexpr std::optional<std::uint64_t> place_in(extent run, std::uint64_t size,
                                                    std::uint64_t alignment) const noexcept {
        if (size > run.size) return std::nullopt;
        const extent real{seen(run), run.size};
        const std::uint64_t last = real.end() - size;
        const std::uint64_t at = upwards ? align_down(last, alignment) : align_up(real.offset, alignment);
        if (at < real.offset || at > last) return std::nullopt;
        return seen({at, size});
    }
    /// Returns the farthest place in a run.
    constexpr std::optional<std::uint64_t> far_place_in(extent run, std::uint64_t size,
                                                        std::uint64_t alignment) const noexcept {
        const packing_side other{capacity, !upwards};
        const auto place = other.place_in({other.seen({seen(run), run.size}), run.size}, size, alignment);
        if (!place) return std::nullopt;
        return seen({other.seen({*place, size}), size});
    }
};

/// A movable block, as seen from the near end.
struct packed_block {
    block_index block = no_block;
    std::uint64_t at = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;

    constexpr std::uint64_t end() const noexcept { return at + size; }
};

/// The range between two walls, or a wall and an end of memory.
struct section {
    extent range;  ///< range as seen from the near end
    std::uint64_t free = 0;
};

/// A memory between its walls. The blocks of all sections are one list, so that a block which goes to another section
/// only goes to another place in it.
struct sectioned_memory {
    trivial_vector<section> sections;     ///< in ascending order of distance
    trivial_vector<packed_block> blocks;  ///< blocks that may move, in ascending order of distance
};

/// Constraints of moves, and the moves chosen so far.
struct packing_moves {
    packing_side side;
    std::uint64_t limit = 0;                ///< largest block that may move at once
    bool slides_in_parts = false;           ///< blocks over the limit may still slide, in parts
    trivial_vector<relocation> moves = {};  ///< in executable order, with real offsets
    std::uint64_t refused = 0;              ///< the smallest block over the limit that would have moved; 0: none

    constexpr void move(packed_block& block, std::uint64_t to) {
        block.at = to;
        moves.push_back({block.block, side.seen({to, block.size})});
    }
    /// Returns false, and records the size, if a block is too large to move at once.
    constexpr bool allows(std::uint64_t size) noexcept {
        if (size <= limit) return true;
        if (refused == 0 || size < refused) refused = size;
        return false;
    }
};

/// Packs the blocks of a section towards its near end, so that its free space becomes one hole. At the nearest hole
/// it takes the first possible of two moves: blocks from beyond jump in if they fill it exactly, so that those between
/// need not move; or the next block slides. Each block moves nearer and, except for the limit, once: never more bytes
/// than sliding alone. Choices depend only on what is beyond the hole, so an interrupted packing continues in the same
/// way, and what `compact` says is left to do is what later calls do.
/// Requires: alignment leaves no gaps, see `compactor::is_even`.
/// Cost: O(blocks log(blocks)).
class section_packer {
public:
    /// Packs the blocks of indexes `[first, last)`, which are those of the section that begins at `offset`.
    constexpr section_packer(trivial_vector<packed_block>& blocks, std::size_t first, std::size_t last,
                             std::uint64_t offset, packing_moves& how)
        : all_(blocks), first_(first), blocks_(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                               blocks.begin() + static_cast<std::ptrdiff_t>(last)),
          offset_(offset), how_(how) {}

    [[gnu::cold]] constexpr void pack() {
        // Below `cursor` all is packed. A gap there is closed by blocks from beyond if some fill it exactly, and is
        // looked at again, since those are settled now; else the next block slides down and takes the gap along.
        index();
        trivial_vector<packed_block> settled;
        std::uint64_t cursor = offset_;  // end of the settled blocks
        for (std::size_t next = 0; next < blocks_.size(); ++next) {
            if (is_gone(next)) continue;
            packed_block& near = blocks_[next];
            while (near.at != cursor && close({cursor, near.at - cursor}, next)) {
                for (const std::size_t pick : picks_) {
                    packed_block block = take(pick);
                    how_.move(block, cursor);
                    settled.push_back(block);
                    cursor = block.end();
                }
            }
            const auto to = how_.side.place_in({cursor, near.end() - cursor}, near.size, near.alignment);
            if (to && *to != near.at && (how_.slides_in_parts || how_.allows(near.size))) how_.move(near, *to);
            settled.push_back(near);
            cursor = near.end();
            take(next);
        }
        for (std::size_t at = 0; at < settled.size(); ++at) all_[first_ + at] = settled[at];
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t max_picks = 8;

    /// Sorts blocks by size, then distance.
    [[gnu::cold]] constexpr void index() {
        for (std::size_t at = 0; at < blocks_.size(); ++at) by_size_.push_back(at);
        rank_.resize(blocks_.size(), 0);
        heap_sort(by_size_, [&](std::size_t left, std::size_t right) {
            const std::uint64_t a = blocks_[left].size;
            const std::uint64_t b = blocks_[right].size;
            return a != b ? a < b : left < right;
        });
        for (std::size_t rank = 0; rank < by_size_.size(); ++rank) rank_[by_size_[rank]] = rank;
        for (std::size_t rank = 0; rank <= by_size_.size(); ++rank) there_.push_back(rank);
    }
    constexpr bool is_gone(std::size_t at) const noexcept { return there_[rank_[at] + 1] != rank_[at] + 1; }
    constexpr packed_block take(std::size_t at) noexcept {
        there_[rank_[at] + 1] = rank_[at];
        return blocks_[at];
    }
    /// Returns the number of ranks up to the highest below `ranks` whose block is still unpacked: union-find, in which
    /// a block that is gone points below itself, so that many of them are skipped at once.
    constexpr std::size_t still_there(std::size_t ranks) noexcept {
        while (there_[ranks] != ranks) {
            there_[ranks] = there_[there_[ranks]];
            ranks = there_[ranks];
        }
        return ranks;
    }

    /// Returns the longest block beyond a gap that fits at its beginning, ties to the farthest; neither `self` nor
    /// picked.
    [[gnu::cold]] constexpr std::size_t longest_for(extent gap, std::size_t self) {
        const std::uint64_t most = how_.limit < gap.size ? how_.limit : gap.size;
        const std::size_t ranks_up_to_it = *least_enough(by_size_.size(), [&](std::size_t rank) {
            return rank == by_size_.size() || blocks_[by_size_[rank]].size > most;
        });
        for (std::size_t ranks = still_there(ranks_up_to_it); ranks != 0; ranks = still_there(ranks - 1)) {
            const std::size_t at = by_size_[ranks - 1];
            const packed_block& block = blocks_[at];
            bool other = at != self && block.at > gap.offset;
            for (const std::size_t pick : picks_) other = other && at != pick;
            if (other && how_.side.place_in(gap, block.size, block.alignment) == gap.offset) return at;
        }
        return none;
    }
    /// Picks blocks that fill a gap exactly, the longest first.
    [[gnu::cold]] constexpr bool close(extent gap, std::size_t self) {
        // Greedy, without going back: a sum that only other blocks make is missed, for looking at all sums would take
        // exponential time.
        picks_.clear();
        while (gap.size != 0 && picks_.size() < max_picks) {
            const std::size_t pick = longest_for(gap, self);
            if (pick == none) return false;
            picks_.push_back(pick);
            gap = {gap.offset + blocks_[pick].size, gap.size - blocks_[pick].size};
        }
        return gap.size == 0;
    }

    trivial_vector<packed_block>& all_;
    std::size_t first_;
    trivial_vector<packed_block> blocks_;  // as they were before, but for the next one
    std::uint64_t offset_;
    packing_moves& how_;
    trivial_vector<std::size_t> by_size_;
    trivial_vector<std::size_t> rank_;   // of each block in `by_size_`
    trivial_vector<std::size_t> there_;  // for each number of ranks a lower or equal one: a forest
    trivial_vector<std::size_t> picks_;
};

/// Computes all moves of a compaction, in order. Walls divide memory into sections.
///
/// Each section is packed towards the low end of memory, or towards the high end if the placement reserves at the
/// bottom (see `section_packer`). Then single blocks jump to another section if they leave a longer hole than they
/// fill, or an equal one that is farther from that end.
/// The section with the most free quanta comes first, and in it the farthest block. (Longest first makes long holes
/// sooner, but moves each block six times and more between many walls.) Each move increases the sum of the squares of
/// the sections' free quanta; or keeps it and decreases the sum over all blocks of size times distance from the near
/// end. So it terminates. The largest free sum of a section never decreases.
/// If alignment leaves gaps, packing could shorten the longest hole or add holes. Then blocks move one by one, and each
/// move is checked first.
class compactor {
public:
    /// Blocks longer than the limit only slide, if they can be in two places meanwhile.
    /// Cost: O(blocks log(blocks)) a jump, and O(blocks) for each size above the limit. If alignment leaves gaps:
    /// O(blocks x holes) a move, bounded by `max_looks`.
    [[gnu::cold]] constexpr compactor(sectioned_memory&& memory, const packing_moves& how)
        : how_(how), sections_(static_cast<trivial_vector<section>&&>(memory.sections)),
          blocks_(static_cast<trivial_vector<packed_block>&&>(memory.blocks)) {
        if (is_even())
            pack();
        else
            move_carefully();
    }

    constexpr const packing_moves& moves() const noexcept { return how_; }

private:
    struct jump {
        std::size_t from = 0;  // sections
        std::size_t to = 0;
        std::size_t at = 0;  // index of the block
        std::uint64_t place = 0;
    };

    /// Returns the index of the first block at or beyond an offset.
    constexpr std::size_t first_from(std::uint64_t offset) const noexcept {
        return *least_enough(blocks_.size(),
                             [&](std::size_t at) { return at == blocks_.size() || blocks_[at].at >= offset; });
    }
    constexpr std::size_t first_of(std::size_t part) const noexcept { return first_from(sections_[part].range.offset); }
    constexpr std::size_t end_of(std::size_t part) const noexcept { return first_from(sections_[part].range.end()); }
    /// Calls `visit(run)` for each free run of a section, the nearest first.
    template <class Visit>
    constexpr void for_each_run(std::size_t part, Visit visit) const {
        const section& here = sections_[part];
        std::uint64_t begin = here.range.offset;
        for (std::size_t at = first_of(part); at < blocks_.size() && blocks_[at].at < here.range.end(); ++at) {
            if (blocks_[at].at != begin) visit(extent{begin, blocks_[at].at - begin});
            begin = blocks_[at].end();
        }
        if (here.range.end() != begin) visit(extent{begin, here.range.end() - begin});
    }

    /// Returns true if packing leaves no gaps: near ends and sizes are multiples of all alignments.
    [[gnu::cold]] constexpr bool is_even() const noexcept {
        std::uint64_t coarsest = 1;
        for (const packed_block& block : blocks_)
            if (block.alignment > coarsest) coarsest = block.alignment;
        bool even = true;
        for (const section& part : sections_) even = even && how_.side.seen({part.range.offset, 0}) % coarsest == 0;
        for (const packed_block& block : blocks_) even = even && block.size % coarsest == 0;
        return even;
    }
    [[gnu::cold]] constexpr void pack() {
        // Sections are packed before the first jump, and after each jump the two that changed: so what is free in a
        // section is mostly one hole when the next jump looks for it.
        pack_all();
        for (jump next; find_jump(next);) carry_out(next);
        // Recount: moves beyond the budget may have become pointless.
        how_.refused = 0;
        pack_all();
        jump next;
        find_jump(next);
    }
    constexpr void pack_all() {
        for (std::size_t part = 0; part < sections_.size(); ++part) pack(part);
    }
    constexpr void pack(std::size_t part) {
        section_packer(blocks_, first_of(part), end_of(part), sections_[part].range.offset, how_).pack();
    }

    /// Finds a jump out of the section with the most free quanta that a block can leave, to the section with the
    /// least. The block is the farthest, after which least is repacked. Sections are ranked by their free quanta, and
    /// `longest` says from which rank on there is a run that holds a block, so most blocks are passed over at once.
    [[gnu::cold]] constexpr bool find_jump(jump& next) {
        trivial_vector<std::size_t> order;  // most free first
        for (std::size_t at = 0; at < sections_.size(); ++at) order.push_back(at);
        heap_sort(order, [&](std::size_t index, std::size_t other) {
            const std::uint64_t a = sections_[index].free;
            const std::uint64_t b = sections_[other].free;
            return a != b ? a < b : index < other;
        });
        trivial_vector<std::uint64_t> longest;  // by rank: the longest run of the sections up to it
        for (const std::size_t index : order) {
            const std::uint64_t before = longest.empty() ? 0 : longest.back();
            longest.push_back(before);
            for_each_run(index, [&](extent run) {
                if (run.size > longest.back()) longest.back() = run.size;
            });
        }
        for (std::size_t rank = order.size(); rank-- > 0;) {
            const std::size_t first = first_of(order[rank]);
            for (std::size_t at = end_of(order[rank]); at-- > first;) {
                const bool is_refused = blocks_[at].size > how_.limit && how_.refused != 0;
                if (is_refused && how_.refused <= blocks_[at].size) continue;  // it changes nothing
                if (find_way_out(order, longest, order[rank], at, next) && how_.allows(blocks_[at].size)) return true;
            }
        }
        return false;
    }
    [[gnu::cold]] constexpr bool find_way_out(const trivial_vector<std::size_t>& order,
                                              const trivial_vector<std::uint64_t>& longest, std::size_t from,
                                              std::size_t at, jump& next) const {
        const packed_block& block = blocks_[at];
        const std::uint64_t gain = sections_[from].free + block.size;
        const auto is_held = [&](std::size_t rank) { return rank == order.size() || longest[rank] >= block.size; };
        for (std::size_t rank = *least_enough(order.size(), is_held); rank < order.size(); ++rank) {
            const std::size_t to = order[rank];
            const section& target = sections_[to];
            if (target.free > gain) break;
            if (to == from || target.free < block.size || (target.free == gain && to > from)) continue;
            std::uint64_t length = ~std::uint64_t{0};
            for_each_run(to, [&](extent run) {
                const auto offset = how_.side.place_in(run, block.size, block.alignment);
                if (!offset || run.size >= length) return;
                next = {from, to, at, *offset};
                length = run.size;
            });
            if (length != ~std::uint64_t{0}) return true;
        }
        return false;
    }
    [[gnu::cold]] constexpr void carry_out(const jump& next) {
        transfer(next);
        // The order in which a new compaction would pack them.
        pack(next.from < next.to ? next.from : next.to);
        pack(next.from < next.to ? next.to : next.from);
    }
    /// Moves a block to another section, or within its own. Cost: O(blocks).
    [[gnu::cold]] constexpr void transfer(const jump& next) {
        const std::uint64_t size = blocks_[next.at].size;
        const std::size_t place = first_from(next.place) - (next.place > blocks_[next.at].at);
        how_.move(blocks_[next.at], next.place);
        blocks_.reposition(next.at, place);
        sections_[next.from].free += size;
        sections_[next.to].free -= size;
    }

    // -- one block after another -----------------------------------------------------------------------------------

    static constexpr std::uint64_t max_looks = std::uint64_t{1} << 22;

    struct hole {
        extent range;
        std::size_t part = 0;
    };
    /// The holes that a move takes, and the lengths of those that it creates; 0 means none.
    struct exchange {
        extent taken[3];
        std::uint64_t created[3];
    };

    /// First the farthest blocks jump, each into the shortest hole that improves memory: a nearer one, or one in
    /// another section as in `find_jump`. Then blocks slide, the nearest first, so that one pass is enough for a row of
    /// them. No move shortens the longest hole or adds one, so a call may be interrupted after any of them. Moves that
    /// only together are no loss are not looked for: that took 240 lines more.
    [[gnu::cold]] constexpr void move_carefully() {
        list_holes();
        for (std::size_t before = ~std::size_t{0}; before != how_.moves.size() && looks_ != 0;) {
            before = how_.moves.size();
            how_.refused = 0;
            for (std::size_t part = 0; part < sections_.size(); ++part)
                for (std::size_t at = end_of(part); at-- > first_of(part) && looks_ != 0;) jump_carefully(part, at);
            for (std::size_t part = 0; part < sections_.size(); ++part)
                for (std::size_t at = first_of(part); at < end_of(part) && looks_ != 0; ++at) slide_carefully(part, at);
        }
    }
    [[gnu::cold]] constexpr void list_holes() {
        // The four longest are kept sorted: a hole that is longer than one of them pushes it and the rest down.
        looks_ -= holes_.size() < looks_ ? holes_.size() : looks_;
        holes_.clear();
        for (extent& longest : longest_) longest = {};
        for (std::size_t part = 0; part < sections_.size(); ++part) {
            for_each_run(part, [&](extent range) {
                holes_.push_back({range, part});
                for (extent& longest : longest_) {
                    if (range.size <= longest.size) continue;
                    const extent shorter = longest;
                    longest = range;
                    range = shorter;
                }
            });
        }
    }
    /// Returns true if neither the longest hole becomes shorter nor the holes become more. A move takes at most three
    /// holes, so the longest of the others is among the four longest.
    [[gnu::cold]] constexpr bool is_no_loss(const exchange& changed) const noexcept {
        std::uint64_t longest = 0;
        int added = 0;
        for (const extent& range : changed.taken) added -= range.size != 0;
        for (const extent& range : longest_) {
            bool stays = true;
            for (const extent& gone : changed.taken) stays = stays && (gone.size == 0 || gone.offset != range.offset);
            if (stays && range.size > longest) longest = range.size;
        }
        for (const std::uint64_t size : changed.created) {
            added += size != 0;
            if (size > longest) longest = size;
        }
        return longest >= longest_[0].size && added <= 0;
    }
    constexpr extent below(const section& part, std::size_t at) const noexcept {
        std::uint64_t begin = part.range.offset;
        if (at > 0 && blocks_[at - 1].end() > begin) begin = blocks_[at - 1].end();
        return {begin, blocks_[at].at - begin};
    }
    constexpr extent above(const section& part, std::size_t at) const noexcept {
        std::uint64_t end = part.range.end();
        if (at + 1 < blocks_.size() && blocks_[at + 1].at < end) end = blocks_[at + 1].at;
        return {blocks_[at].end(), end - blocks_[at].end()};
    }
    [[gnu::cold]] constexpr void slide_carefully(std::size_t own, std::size_t at) {
        const section& part = sections_[own];
        const packed_block& block = blocks_[at];
        const extent low = below(part, at);
        const extent high = above(part, at);
        const auto to = how_.side.place_in({low.offset, low.size + block.size}, block.size, block.alignment);
        if (!to || *to == block.at) return;
        if (!is_no_loss({{low, high}, {*to - low.offset, high.end() - *to - block.size}})) return;
        if (how_.slides_in_parts || how_.allows(block.size)) carry_out_alone({own, own, at, *to});
    }
    [[gnu::cold]] constexpr void jump_carefully(std::size_t own, std::size_t at) {
        // Of the holes that help, the shortest: long ones stay long. In it the near end, or the far one if that is no
        // loss and the near one is.
        const section& part = sections_[own];
        const packed_block& block = blocks_[at];
        if (longest_[0].size < block.size) return;
        const extent low = below(part, at);
        const extent high = above(part, at);
        const std::uint64_t gain = part.free + block.size;
        jump best;
        std::uint64_t length = ~std::uint64_t{0};  // of the hole that it takes
        for (const hole& target : holes_) {
            if (looks_ == 0) break;
            --looks_;
            const std::uint64_t free = sections_[target.part].free;
            const bool helps = target.part == own ? target.range.offset < low.offset
                                                  : gain > free || (gain == free && target.part < own);
            if (!helps || target.range.size < block.size || target.range.size >= length) continue;
            for (const auto& to : {how_.side.place_in(target.range, block.size, block.alignment),
                                   how_.side.far_place_in(target.range, block.size, block.alignment)}) {
                if (!to || !is_no_loss({{low, high, target.range},
                                        {*to - target.range.offset, target.range.end() - *to - block.size,
                                         low.size + block.size + high.size}}))
                    continue;
                best = {own, target.part, at, *to};
                length = target.range.size;
                break;
            }
        }
        if (length != ~std::uint64_t{0} && how_.allows(block.size)) carry_out_alone(best);
    }
    [[gnu::cold]] constexpr void carry_out_alone(const jump& next) {
        transfer(next);
        list_holes();
    }

    packing_moves how_;
    trivial_vector<section> sections_;
    trivial_vector<packed_block> blocks_;
    trivial_vector<hole> holes_;
    extent longest_[4] = {};
    std::uint64_t looks_ = max_looks;
};

}  // namespace hbm::inline v0
