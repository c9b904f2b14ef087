#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/careful_moves.hpp>
#include <hbm/search/packing.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// The result of `compact`. Bytes and modelled nanoseconds.
struct compaction {
    std::uint64_t moved = 0;        ///< bytes that have arrived
    std::uint64_t copies = 0;       ///< count of copies
    std::uint64_t nanoseconds = 0;  ///< duration of the copies
    std::uint64_t remaining = 0;    ///< bytes still to be moved by calls with this budget, if nothing else changes
    std::uint64_t needs = 0;  ///< the smallest budget that moves more, if this one is exhausted; 0: this one is enough
    error reason = error::none;  ///< `device_failed`: nothing is lost; the next call continues

    [[nodiscard]] constexpr bool done() const noexcept { return remaining == 0 && needs == 0 && reason == error::none; }

    friend constexpr bool operator==(const compaction&, const compaction&) = default;
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
/// If alignment leaves gaps, moves could shorten the longest hole or add holes; `careful_moves` avoids that.
template <placement P>
class compactor {
public:
    using quanta = typename P::quanta;

    /// Blocks longer than `limit` only slide, if they can be in two places meanwhile.
    /// Requires: `state` has no pending move.
    /// Cost: O(blocks log(blocks)) a jump, and O(blocks) for each size above the limit. If alignment leaves gaps: up to
    /// 64 times O(blocks^2), and `careful_moves`.
    constexpr compactor(const memory_state<P>& state, quanta limit) noexcept {
        const auto& map = state.blocks.map();
        how_ = {.side = {map.capacity(), reserves<P>}, .limit = limit, .slides_in_parts = stretches<P>};
        cut(state);
        if (is_even())
            pack();
        else
            pack_carefully();
    }

    /// Returns the moves in order of execution. A block that is longer than the limit slides.
    [[nodiscard]] constexpr const relocations<quanta>& moves() const noexcept { return how_.moves; }
    /// Returns the smallest limit that would add a move; 0 if there is none.
    [[nodiscard]] constexpr quanta refused() const noexcept { return how_.refused; }
    /// Returns the quanta of a group of moves, executed as a whole, by its first move; 0 for other moves.
    [[nodiscard]] constexpr std::uint64_t length_of_group(std::size_t move) const noexcept {
        return move < lengths_.size() ? lengths_[move] : 0;
    }

private:
    struct jump {
        std::size_t from = 0;  // sections
        std::size_t to = 0;
        std::size_t at = 0;  // index in the section that it leaves
        quanta place = 0;
    };

    constexpr void cut(const memory_state<P>& state) {
        const auto& map = state.blocks.map();
        const bool upwards = how_.side.upwards;
        quanta begin = 0;
        section<quanta> part;
        const auto end_section = [&](quanta end) {
            part.range = {begin, end - begin};
            part.free = part.range.size;
            for (const packed_block<quanta>& block : part.blocks) part.free -= block.size;
            if (part.free != 0 || !part.blocks.empty()) sections_.push_back(static_cast<section<quanta>&&>(part));
            part = {};
        };
        for (block_index block = upwards ? map.last() : map.first(); block != no_block;
             block = upwards ? map.previous(block) : map.next(block)) {
            if (map.is_hole(block)) continue;
            const packed_block<quanta> seen{block, how_.side.seen(map.range(block)), map.size(block),
                                            map.alignment(block)};
            if (state.can_move(block))
                part.blocks.push_back(seen);
            else
                end_section(seen.at), begin = seen.end();
        }
        end_section(map.capacity());
    }

    /// Returns true if packing leaves no gaps: near ends and sizes are multiples of all alignments.
    [[nodiscard]] constexpr bool is_even() const noexcept {
        quanta coarsest = 1;
        for (const section<quanta>& part : sections_)
            for (const packed_block<quanta>& block : part.blocks)
                if (block.alignment > coarsest) coarsest = block.alignment;
        bool even = true;
        for (const section<quanta>& part : sections_) {
            even = even && how_.side.seen({part.range.offset, 0}) % coarsest == 0;
            for (const packed_block<quanta>& block : part.blocks) even = even && block.size % coarsest == 0;
        }
        return even;
    }
    constexpr void pack() {
        for (section<quanta>& part : sections_) section_packer(part, how_).pack();
        while (const std::optional<jump> next = next_jump()) carry_out(*next);
        // Recount: moves beyond the budget may have become pointless.
        how_.refused = 0;
        for (section<quanta>& part : sections_) section_packer(part, how_).pack();
        next_jump();
    }
    constexpr void pack_carefully() {
        careful_moves<quanta> careful(sections_, how_);
        for (bool again = true; again && careful.can_look();) {
            const std::vector<section<quanta>> before = sections_;
            const std::size_t first = how_.moves.size();
            pack();
            sections_ = before;
            if (careful.keep_groups(first)) break;
            again = careful.make_single_moves() || how_.moves.size() != first;
        }
        lengths_ = careful.lengths();
    }

    /// Returns a jump out of the section with the most free quanta that a block can leave, to the section with the
    /// least. The block is the farthest, after which least is repacked.
    constexpr std::optional<jump> next_jump() {
        trivial_vector<std::size_t> order;  // most free first
        for (std::size_t at = 0; at < sections_.size(); ++at) order.push_back(at);
        heap_sort(order, [&](std::size_t index, std::size_t other) {
            const quanta a = sections_[index].free;
            const quanta b = sections_[other].free;
            return a != b ? a < b : index < other;
        });
        trivial_vector<quanta> longest;  // by rank: the longest run of the sections up to it
        for (const std::size_t index : order) {
            const quanta before = longest.empty() ? 0 : longest.back();
            const quanta run = sections_[index].longest_run();
            longest.push_back(run > before ? run : before);
        }
        std::optional<jump> best;
        for (std::size_t rank = order.size(); rank-- > 0 && !best;) {
            const std::size_t from = order[rank];
            const trivial_vector<packed_block<quanta>>& blocks = sections_[from].blocks;
            for (std::size_t at = blocks.size(); at-- > 0 && !best;) {
                const bool is_refused = blocks[at].size > how_.limit && how_.refused != 0;
                if (is_refused && how_.refused <= blocks[at].size) continue;  // it changes nothing
                const quanta gain = sections_[from].free + blocks[at].size;
                const std::optional<jump> way = way_out(order, longest, from, at, gain);
                if (way && how_.allows(blocks[at].size)) best = way;
            }
        }
        return best;
    }
    [[nodiscard]] constexpr std::optional<jump> way_out(const trivial_vector<std::size_t>& order,
                                                        const trivial_vector<quanta>& longest, std::size_t from,
                                                        std::size_t at, quanta gain) const {
        const packed_block<quanta>& block = sections_[from].blocks[at];
        const auto is_held = [&](std::size_t rank) { return rank == order.size() || longest[rank] >= block.size; };
        for (std::size_t rank = *least_enough(order.size(), is_held); rank < order.size(); ++rank) {
            const std::size_t to = order[rank];
            const section<quanta>& target = sections_[to];
            if (target.free > gain) break;
            if (to == from || target.free < block.size || (target.free == gain && to > from)) continue;
            std::optional<quanta> place;
            quanta length = 0;
            target.for_each_run([&](basic_extent<quanta> run) {
                if (place && run.size >= length) return;
                if (const auto offset = how_.side.place_in(run, block.size, block.alignment)) {
                    place = offset;
                    length = run.size;
                }
            });
            if (place) return jump{from, to, at, *place};
        }
        return std::nullopt;
    }

    constexpr void carry_out(const jump& next) {
        section<quanta>& from = sections_[next.from];
        section<quanta>& to = sections_[next.to];
        packed_block<quanta> moved = from.blocks[next.at];
        how_.move(moved, next.place);
        transfer(from, next.at, to, next.place);
        // The order in which a new compaction would pack them.
        const bool first = next.from < next.to;
        section_packer(first ? from : to, how_).pack();
        section_packer(first ? to : from, how_).pack();
    }

    packing_moves<quanta> how_;
    std::vector<section<quanta>> sections_;
    trivial_vector<std::uint64_t> lengths_;  // of groups of moves
};

}  // namespace hbm::inline v0
