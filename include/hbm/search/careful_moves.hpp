#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/free_runs.hpp>
#include <hbm/search/packing.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// Packing for layouts with alignment gaps that never shortens the longest hole or increases the number of holes. Keeps
/// the moves of a plan up to the last after which this invariant holds. Cuts them into groups that are carried out as a
/// whole: the invariant holds after each and, relative to each, at the end of the plan, so that a later call can
/// continue. Single moves follow, which go nearer to the end or increase the largest free sum of a section. All
/// searches share one budget of looks.
template <class Quanta>
class careful_moves {
    using run = basic_extent<Quanta>;
    using place = std::optional<Quanta>;

public:
    /// Refers to sections and moves without copying them.
    constexpr careful_moves(std::vector<section<Quanta>>& sections, packing_moves<Quanta>& how)
        : sections_(sections), how_(how) {}

    [[nodiscard]] constexpr bool can_look() const noexcept { return looks_ != 0; }

    /// Keeps the groups of the moves from `first` on and applies them to the sections, which are still unmoved. Groups
    /// of several moves stay within the limit. Returns false if it dropped moves because they are a loss.
    /// Cost: O((blocks + moves) log(blocks + moves)), plus a copy of the blocks for each move.
    [[gnu::cold]] constexpr bool keep_groups(std::size_t first) {
        spend(round_looks);
        trivial_vector<Quanta> offsets;
        for (const section<Quanta>& part : sections_) {
            offsets.push_back(part.range.offset);
            offsets.push_back(part.range.end());
            for (const packed_block<Quanta>& block : part.blocks) {
                offsets.push_back(block.at);
                offsets.push_back(block.end());
            }
        }
        for (std::size_t at = first; at < how_.steps.size(); ++at) {
            offsets.push_back(how_.steps[at].to);
            offsets.push_back(how_.steps[at].to + how_.steps[at].size);
        }
        free_runs<Quanta> runs(static_cast<trivial_vector<Quanta>&&>(offsets));
        for (const section<Quanta>& part : sections_) {
            runs.free(part.range);
            for (const packed_block<Quanta>& block : part.blocks) runs.occupy({block.at, block.size});
        }
        if (first == 0) start_ = {runs.longest(), runs.count()};
        trivial_vector<shape> after;
        std::size_t end = 0;  // end of the moves that keep the invariant
        for (std::size_t at = first; at < how_.steps.size(); ++at) {
            const packing_step<Quanta> step = how_.steps[at];
            runs.free({step.from, step.size});
            runs.occupy({step.to, step.size});
            after.push_back({runs.longest(), runs.count()});
            if (after.back().is_no_loss(start_)) end = after.size();
        }
        std::uint64_t length = 0;
        std::size_t kept = first;
        const bool all = first + end == how_.steps.size();
        for (std::size_t at = first; at < first + end; ++at) {
            length += how_.steps[at].size;
            const shape& now = after[at - first];
            if (!now.is_no_loss(start_) || !after[end - 1].is_no_loss(now)) continue;
            if (at != kept && !allows(length)) break;
            lengths_.resize(at + 1, 0);
            if (at != kept) lengths_[kept] = length;
            for (; kept <= at; ++kept) carry_out(how_.steps[kept]);
            length = 0;
        }
        const bool ended = all || kept != first + end;
        how_.keep(kept);
        return ended;
    }

    /// Makes single moves, block by block. Returns true if there were any.
    /// Cost: O(blocks x holes), plus O(blocks) for each move, bounded by the looks.
    [[gnu::cold]] constexpr bool make_single_moves() {
        list_holes();
        const std::size_t before = how_.moves.size();
        for (section<Quanta>& part : sections_) {
            for (std::size_t at = 0; at < part.blocks.size() && can_look(); ++at) {
                const place to = better_place(part, at);
                if (!to) continue;
                packed_block<Quanta> moved = part.blocks[at];
                how_.move(moved, *to);
                carry_out(how_.steps.back());
                list_holes();
            }
        }
        lengths_.resize(how_.moves.size(), 0);
        return how_.moves.size() != before;
    }

    /// For each move, the total length of its group if it is the first of several, else 0.
    [[nodiscard]] constexpr const trivial_vector<std::uint64_t>& lengths() const noexcept { return lengths_; }

private:
    static constexpr std::uint64_t max_looks = std::uint64_t{1} << 22;
    static constexpr std::uint64_t round_looks = max_looks / 64;
    static constexpr std::size_t ranks = 4;

    /// The length of the longest free range, and the number of free ranges.
    struct shape {
        Quanta longest = 0;
        std::size_t count = 0;

        [[nodiscard]] constexpr bool is_no_loss(const shape& before) const noexcept {
            return longest >= before.longest && count <= before.count;
        }
    };
    struct hole {
        run range;
        std::size_t part = 0;
    };
    /// The holes that a move takes, and the lengths of those that it creates; 0 means none.
    struct exchange {
        run taken[3];
        Quanta created[3];
    };

    constexpr void spend(std::uint64_t looks) noexcept { looks_ -= looks < looks_ ? looks : looks_; }

    /// Returns false, and records it, if moves are too long in total.
    [[nodiscard]] constexpr bool allows(std::uint64_t length) noexcept {
        constexpr auto unlimited = ~Quanta{0};
        return how_.limit == unlimited || how_.allows(length < unlimited ? static_cast<Quanta>(length) : unlimited);
    }

    /// Returns the index of the first item for which `before` is false, or the number of items.
    template <class Items, class Before>
    [[nodiscard]] static constexpr std::size_t first_not(const Items& items, Before before) {
        return *least_enough(items.size(), [&](std::size_t at) { return at == items.size() || !before(items[at]); });
    }
    [[nodiscard]] constexpr section<Quanta>& section_at(Quanta offset) noexcept {
        return sections_[first_not(sections_, [&](const auto& part) { return part.range.end() <= offset; })];
    }
    constexpr void carry_out(const packing_step<Quanta>& step) {
        section<Quanta>& from = section_at(step.from);
        const std::size_t at = first_not(from.blocks, [&](const auto& block) { return block.at < step.from; });
        transfer(from, at, section_at(step.to), step.to);
    }

    constexpr void list_holes() {
        spend(holes_.size());
        holes_.clear();
        for (run& longest : longest_) longest = {};
        for (std::size_t part = 0; part < sections_.size(); ++part) {
            sections_[part].for_each_run([&](run range) {
                holes_.push_back({range, part});
                for (run& longest : longest_) {
                    if (range.size <= longest.size) continue;
                    const run shorter = longest;
                    longest = range;
                    range = shorter;
                }
            });
        }
    }
    [[nodiscard]] constexpr bool is_no_loss(const exchange& changed) const noexcept {
        shape after;
        std::size_t taken = 0;
        for (const run& range : changed.taken) taken += range.size != 0;
        for (const run& range : longest_) {
            bool stays = true;
            for (const run& gone : changed.taken) stays = stays && (gone.size == 0 || gone.offset != range.offset);
            if (stays && range.size > after.longest) after.longest = range.size;
        }
        for (const Quanta size : changed.created) {
            after.count += size != 0;
            if (size > after.longest) after.longest = size;
        }
        return after.is_no_loss({longest_[0].size, taken});
    }

    /// Returns a better place for a block, if any.
    [[nodiscard]] constexpr place better_place(const section<Quanta>& part, std::size_t at) {
        const packed_block<Quanta>& block = part.blocks[at];
        const Quanta begin = at == 0 ? part.range.offset : part.blocks[at - 1].end();
        const Quanta end = at + 1 == part.blocks.size() ? part.range.end() : part.blocks[at + 1].at;
        const run below{begin, block.at - begin};
        const run above{block.end(), end - block.end()};
        const place slid = how_.side.place_in({begin, block.end() - begin}, block.size, block.alignment);
        if (slid && *slid < block.at && is_no_loss({{below, above}, {*slid - begin, end - *slid - block.size}}) &&
            (how_.slides_in_parts || how_.allows(block.size)))
            return slid;
        if (longest_[0].size < block.size) return std::nullopt;
        const auto own = static_cast<std::size_t>(&part - sections_.data());
        const Quanta gain = part.free + block.size;
        for (const hole& target : holes_) {
            if (!can_look()) break;
            spend(1);
            const Quanta free = sections_[target.part].free;
            const bool helps =
                target.part == own ? target.range.offset < begin : gain > free || (gain == free && target.part < own);
            if (!helps || target.range.size < block.size) continue;
            for (const place& to : {how_.side.place_in(target.range, block.size, block.alignment),
                                    how_.side.far_place_in(target.range, block.size, block.alignment)}) {
                if (to &&
                    is_no_loss({{below, above, target.range},
                                {*to - target.range.offset, target.range.end() - *to - block.size, end - begin}}) &&
                    how_.allows(block.size))
                    return to;
            }
        }
        return std::nullopt;
    }

    std::vector<section<Quanta>>& sections_;
    packing_moves<Quanta>& how_;
    trivial_vector<std::uint64_t> lengths_;
    trivial_vector<hole> holes_;
    shape start_;  // shape before all moves
    run longest_[ranks] = {};
    std::uint64_t looks_ = max_looks;
};

}  // namespace hbm::inline v0
