#pragma once

#include <hbm/core/heap_sort.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/search_problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::pack::detail {

/// The outcome of a search.
enum class search_end : std::uint8_t { found, impossible, out_of_steps };

/// Exhaustive search for a packing into a capacity, with one order of the blocks.
///
/// Tries only packings in which each block lies on the bottom, on another block, or at its given offset. Blocks are
/// placed in ascending order of offsets, so the next block lies as low as those below allow. Prunes if a section has
/// too many bytes left above its floor, or a gap stays that a block would fill. If no remaining block lives across an
/// instant, both sides are searched independently. (After Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
/// Hardware-Accelerated Machine Learning", ASPLOS 2023: canonical solutions, dominance and dynamic decomposition. Here
/// the state of a branch is a few dense arrays, copied at each step and vectorised by compilers.)
class packing_search {
public:
    /// `capacity` is in units of the problem.
    /// Requires: `problem` outlives the search.
    constexpr packing_search(const search_problem& problem, std::uint32_t capacity, const block_order& order,
                             interruption early = {})
        : problem_(&problem), order_(order), early_(early), capacity_(capacity) {
        offsets_.resize(problem.blocks.size(), 0);
    }

    /// Searches for at most `max_steps` steps, or until interrupted.
    /// Cost: O(steps x (n + the sections of all blocks)), and O(n^2) memory.
    [[nodiscard]] constexpr search_end run(std::uint64_t max_steps) {
        left_ = max_steps;
        steps_ = 0;
        for (const std::uint32_t live : problem_->live)
            if (live > capacity_) return search_end::impossible;
        branch root{.count = static_cast<std::uint32_t>(problem_->blocks.size()), .sections = problem_->sections};
        reserve(root);
        for (std::uint32_t at = 0; at < root.count; ++at) {
            const search_block& source = problem_->blocks[at];
            column(root, first)[at] = source.life.first;
            column(root, last)[at] = source.life.last;
            column(root, size)[at] = source.size;
            column(root, offset)[at] = source.offset == unplaced ? 0 : source.offset;
            column(root, name)[at] = at;
            column(root, rank)[at] = at;
        }
        for (std::uint32_t section = 0; section < root.sections; ++section) {
            floors(root)[section] = 0;
            totals(root)[section] = problem_->live[section];
        }
        sort(root);
        return search_parts(root, 0, 0);
    }

    /// Returns the offset of each block in units, after a run that found a packing.
    [[nodiscard]] constexpr const trivial_vector<std::uint32_t>& offsets() const noexcept { return offsets_; }
    /// Returns the number of states that the last run visited, each with some blocks placed.
    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return steps_; }

private:
    /// Columns of the unplaced blocks: sections, size, lowest possible offset, number, and rank in the order.
    enum column_name : std::uint32_t { first, last, size, offset, name, rank, columns };

    /// The unplaced blocks in a range of sections, with the floor and the remaining bytes of each section. In
    /// `numbers_` from `base` on: the columns, the floors, the totals.
    struct branch {
        std::size_t base = 0;
        std::uint32_t count = 0;
        std::uint32_t first_section = 0;
        std::uint32_t sections = 0;

        [[nodiscard]] constexpr std::size_t end() const noexcept {
            return base + std::size_t{columns} * count + std::size_t{2} * sections;
        }
    };

    constexpr void reserve(const branch& node) {
        if (numbers_.size() < node.end()) numbers_.resize(node.end() * 2, 0);
    }
    [[nodiscard]] constexpr std::uint32_t* column(const branch& node, column_name which) {
        return numbers_.data() + node.base + std::size_t{which} * node.count;
    }
    [[nodiscard]] constexpr std::uint32_t* floors(const branch& node) {
        return numbers_.data() + node.base + std::size_t{columns} * node.count;
    }
    [[nodiscard]] constexpr std::uint32_t* totals(const branch& node) { return floors(node) + node.sections; }

    /// Sorts blocks by the order in which they are tried at equal offsets.
    ///
    /// Part of the key is how crowded the sections of a block are, which changes when a branch is cut out; so each
    /// branch sorts its own blocks, and ranks count within it.
    constexpr void sort(const branch& node) {
        struct entry {
            order_key key;
            std::uint32_t at;
        };
        trivial_vector<entry> entries;
        for (std::uint32_t at = 0; at < node.count; ++at) {
            std::uint32_t crowd = 0;
            for (std::uint32_t section = column(node, first)[at]; section < column(node, last)[at]; ++section) {
                const std::uint32_t total = totals(node)[section - node.first_section];
                if (total > crowd) crowd = total;
            }
            entries.push_back({key_of(problem_->blocks[column(node, name)[at]], crowd, order_), at});
        }
        heap_sort(entries, [](const entry& a, const entry& b) { return a.key != b.key ? b.key < a.key : a.at < b.at; });
        trivial_vector<std::uint32_t> sorted;
        for (std::uint32_t which = 0; which < rank; ++which) {
            sorted.clear();
            for (const entry& item : entries) sorted.push_back(column(node, column_name{which})[item.at]);
            for (std::uint32_t at = 0; at < node.count; ++at) column(node, column_name{which})[at] = sorted[at];
        }
        for (std::uint32_t at = 0; at < node.count; ++at) column(node, rank)[at] = at;
    }

    /// Searches the parts of a branch whose lives do not overlap one after the other, those of the fewest blocks first:
    /// a failure is found sooner there.
    [[nodiscard]] constexpr search_end search_parts(const branch& node, std::uint32_t min_offset,
                                                    std::uint32_t min_rank) {
        struct part {
            std::uint32_t first, last, count;
        };
        // Two lives meet if they share a section, so a part ends where no life that began before reaches: as in a sweep
        // over intervals. Parts have nothing in common but the capacity. If one has no packing, the branch has none,
        // whatever the others; so the smallest goes first, and the others are not even looked at.
        trivial_vector<std::uint32_t> reach;  // for each section: the latest end of the lives that begin there
        reach.resize(node.sections, 0);
        for (std::uint32_t at = 0; at < node.count; ++at) {
            std::uint32_t& furthest = reach[column(node, first)[at] - node.first_section];
            const std::uint32_t end = column(node, last)[at] - node.first_section;
            if (end > furthest) furthest = end;
        }
        trivial_vector<part> parts;
        std::uint32_t end = 0;
        for (std::uint32_t section = 0; section < node.sections; ++section) {
            if (reach[section] == 0) continue;
            if (section >= end) parts.push_back({section, section, 0});
            if (reach[section] > end) end = reach[section];
            parts.back().last = end;
        }
        if (parts.empty()) return search_end::found;
        if (parts.size() == 1) return search(node, min_offset, min_rank);
        for (std::uint32_t at = 0; at < node.count; ++at) {
            const std::uint32_t begin = column(node, first)[at] - node.first_section;
            for (part& piece : parts)
                if (piece.first <= begin && begin < piece.last) ++piece.count;
        }
        heap_sort(parts, [](const part& a, const part& b) {
            return a.count != b.count ? a.count < b.count : a.first < b.first;
        });
        for (const part& piece : parts) {
            const branch alone = cut_out(node, piece.first, piece.last, piece.count);
            const search_end ended = search(alone, 0, 0);
            if (ended != search_end::found) return ended;
        }
        return search_end::found;
    }

    /// Returns a branch with `count` blocks of `node`, those in sections `begin` to `end`, sorted by its own totals.
    [[nodiscard]] constexpr branch cut_out(const branch& node, std::uint32_t begin, std::uint32_t end,
                                           std::uint32_t count) {
        const branch alone{
            .base = node.end(), .count = count, .first_section = node.first_section + begin, .sections = end - begin};
        reserve(alone);
        std::uint32_t put = 0;
        for (std::uint32_t at = 0; at < node.count; ++at) {
            const std::uint32_t where = column(node, first)[at] - node.first_section;
            if (where < begin || where >= end) continue;
            for (std::uint32_t which = 0; which < columns; ++which)
                column(alone, column_name{which})[put] = column(node, column_name{which})[at];
            ++put;
        }
        for (std::uint32_t section = begin; section < end; ++section) {
            floors(alone)[section - begin] = floors(node)[section];
            totals(alone)[section - begin] = totals(node)[section];
        }
        sort(alone);
        return alone;
    }

    /// Tries each candidate for the lowest block of a branch without independent parts. Offsets ascend by step.
    [[nodiscard]] constexpr search_end search(const branch& node, std::uint32_t min_offset, std::uint32_t min_rank) {
        // The next block in ascending order of offsets. Of equal offsets, only the order by rank is tried, since
        // exchanging two blocks at the same height leads to the same packing: that is what `min_offset` and `min_rank`
        // say.
        if (steps_ % 16 == 15 && early_.is_wished()) left_ = 0;
        if (left_ == 0) return search_end::out_of_steps;
        --left_;
        ++steps_;
        // Candidates begin below all ends: a block above the end of another leaves a gap that the other would fill.
        std::uint32_t lowest_end = ~std::uint32_t{0};
        for (std::uint32_t at = 0; at < node.count; ++at) {
            const std::uint32_t end = column(node, offset)[at] + column(node, size)[at];
            if (end < lowest_end) lowest_end = end;
        }
        struct candidate {
            std::uint32_t offset, at;
        };
        trivial_vector<candidate> candidates;
        for (std::uint32_t at = 0; at < node.count; ++at) {
            const std::uint32_t where = column(node, offset)[at];
            if (where >= lowest_end || where < min_offset) continue;
            if (where == min_offset && column(node, rank)[at] < min_rank) continue;
            candidates.push_back({where, at});
        }
        heap_sort(candidates, [](const candidate& a, const candidate& b) {
            return a.offset != b.offset ? a.offset < b.offset : a.at < b.at;
        });
        for (const candidate& choice : candidates) {
            // All remaining blocks lie at or above the candidate; later candidates are higher still.
            if (!leaves_room(node, choice.offset)) break;
            offsets_[column(node, name)[choice.at]] = choice.offset;
            bool is_covered = false;
            branch next;
            if (place(node, choice.at, next, is_covered)) {
                const search_end ended = search_parts(next, choice.offset, column(node, rank)[choice.at]);
                if (ended != search_end::impossible) return ended;
            }
            // Nothing will lie on this block, so no other is better in its place.
            if (!is_covered) break;
        }
        return search_end::impossible;
    }

    /// Places the block `at` in `next`. Returns false if that cannot lead to a packing. Sets `is_covered` if a
    /// remaining block lives at the same time.
    [[nodiscard]] constexpr bool place(const branch& node, std::uint32_t at, branch& next, bool& is_covered) {
        // The state of a branch is copied behind that of its parent, so going back costs nothing: the parent is still
        // there.
        next = {.base = node.end(),
                .count = node.count - 1,
                .first_section = node.first_section,
                .sections = node.sections};
        reserve(next);
        for (std::uint32_t which = 0; which < columns; ++which) {
            const std::uint32_t* const from = column(node, column_name{which});
            std::uint32_t* const to = column(next, column_name{which});
            std::copy_n(from, at, to);
            std::copy_n(from + at + 1, next.count - at, to + at);
        }
        const std::uint32_t bottom = column(node, offset)[at];
        const std::uint32_t height = column(node, size)[at];
        const std::uint32_t begin = column(node, first)[at];
        const std::uint32_t end = column(node, last)[at];
        is_covered = raise(next, begin, end, bottom + height);
        std::uint32_t* const floor = floors(next);
        std::uint32_t* const total = totals(next);
        std::copy_n(floors(node), std::size_t{2} * node.sections, floor);
        for (std::uint32_t i = begin - node.first_section; i < end - node.first_section; ++i) {
            floor[i] = bottom + height;
            total[i] -= height;
        }
        if (problem_->is_constrained && !heed_constraints(next)) return false;
        if (!is_covered) return true;
        raise_floors(next);
        return leaves_room(next, bottom);
    }

    /// Raises the blocks that live in these sections to at least `top`. Returns true if there are any.
    constexpr bool raise(const branch& node, std::uint32_t begin, std::uint32_t end, std::uint32_t top) {
        // Without branches, for compilers to vectorise: whether two lives meet is a matter of chance.
        const std::uint32_t* const firsts = column(node, first);
        const std::uint32_t* const lasts = column(node, last);
        std::uint32_t* const lowest = column(node, offset);
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            const std::uint32_t meets = static_cast<std::uint32_t>(firsts[i] < end) & (begin < lasts[i] ? 1U : 0U);
            const std::uint32_t least = meets != 0 ? top : 0;
            any |= meets;
            lowest[i] = lowest[i] < least ? least : lowest[i];
        }
        return any != 0;
    }

    /// Rounds lowest offsets up to alignments. Returns false if a block can no longer lie at its offset.
    [[nodiscard]] constexpr bool heed_constraints(const branch& node) {
        for (std::uint32_t i = 0; i < node.count; ++i) {
            const search_block& source = problem_->blocks[column(node, name)[i]];
            std::uint32_t& lowest = column(node, offset)[i];
            if (source.offset != unplaced && lowest > source.offset) return false;
            const std::uint32_t over = lowest % source.alignment;
            if (over != 0) lowest += source.alignment - over;
            if (lowest > capacity_) return false;
        }
        return true;
    }

    /// Raises the floor of each section to the lowest of its remaining blocks.
    constexpr void raise_floors(const branch& node) {
        // Below the lowest of the blocks that remain in a section, nothing will lie any more: what is free there is
        // lost. Raising the floor to it is what lets `leaves_room` see that too many bytes are left.
        lowest_.assign(node.sections, ~std::uint32_t{0});
        std::uint32_t* const lowest = lowest_.data();
        const std::uint32_t* const firsts = column(node, first);
        const std::uint32_t* const lasts = column(node, last);
        const std::uint32_t* const offsets = column(node, offset);
        for (std::uint32_t at = 0; at < node.count; ++at) {
            const std::uint32_t here = offsets[at];
            const std::uint32_t end = lasts[at] - node.first_section;
            for (std::uint32_t i = firsts[at] - node.first_section; i < end; ++i)
                lowest[i] = lowest[i] < here ? lowest[i] : here;
        }
        std::uint32_t* const floor = floors(node);
        for (std::uint32_t i = 0; i < node.sections; ++i)
            if (lowest[i] != ~std::uint32_t{0} && floor[i] < lowest[i]) floor[i] = lowest[i];
    }

    /// Returns true if the remaining blocks fit above the floor of each section. None of them lies below `bottom`.
    [[nodiscard]] constexpr bool leaves_room(const branch& node, std::uint32_t bottom) {
        const std::uint32_t* const floor = floors(node);
        const std::uint32_t* const total = totals(node);
        std::uint32_t too_much = 0;
        for (std::uint32_t i = 0; i < node.sections; ++i)
            // All sections are looked at, without an early end: that is faster than a branch for each.
            too_much |= static_cast<std::uint32_t>((floor[i] < bottom ? bottom : floor[i]) + total[i] > capacity_);
        return too_much == 0;
    }

    const search_problem* problem_;
    block_order order_;
    interruption early_;
    std::uint32_t capacity_;
    std::uint64_t left_ = 0;
    std::uint64_t steps_ = 0;
    trivial_vector<std::uint32_t> offsets_;  // offset of each block
    trivial_vector<std::uint32_t> numbers_;  // columns of all branches on the path
    trivial_vector<std::uint32_t> lowest_;   // lowest offset in each section of the current branch
};

}  // namespace hbm::inline v0::pack::detail
