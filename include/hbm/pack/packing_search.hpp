#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/interruption.hpp>
#include <hbm/pack/search_problem.hpp>
#include <hbm/search/heap_sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hbm::pack {

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
            const search_block& each = problem_->blocks[at];
            column(root, first)[at] = each.life.first;
            column(root, last)[at] = each.life.last;
            column(root, size)[at] = each.size;
            column(root, offset)[at] = each.offset == unplaced ? 0 : each.offset;
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
    /// Columns of the unplaced blocks: sections, size, lowest possible offset, number in the problem, and rank in the
    /// order.
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

    constexpr void reserve(const branch& of) {
        if (numbers_.size() < of.end()) numbers_.resize(of.end() * 2, 0);
    }
    [[nodiscard]] constexpr std::uint32_t* column(const branch& of, column_name which) {
        return numbers_.data() + of.base + std::size_t{which} * of.count;
    }
    [[nodiscard]] constexpr std::uint32_t* floors(const branch& of) {
        return numbers_.data() + of.base + std::size_t{columns} * of.count;
    }
    [[nodiscard]] constexpr std::uint32_t* totals(const branch& of) { return floors(of) + of.sections; }

    /// Sorts blocks by the order in which they are tried at equal offsets.
    constexpr void sort(const branch& of) {
        struct entry {
            order_key key;
            std::uint32_t at;
        };
        trivial_vector<entry> entries;
        for (std::uint32_t at = 0; at < of.count; ++at) {
            std::uint32_t crowd = 0;
            for (std::uint32_t section = column(of, first)[at]; section < column(of, last)[at]; ++section) {
                const std::uint32_t total = totals(of)[section - of.first_section];
                if (total > crowd) crowd = total;
            }
            entries.push_back({key_of(problem_->blocks[column(of, name)[at]], crowd, order_), at});
        }
        heap_sort(entries, [](const entry& a, const entry& b) { return a.key != b.key ? b.key < a.key : a.at < b.at; });
        trivial_vector<std::uint32_t> sorted;
        for (std::uint32_t which = 0; which < rank; ++which) {
            sorted.clear();
            for (const entry& each : entries) sorted.push_back(column(of, column_name{which})[each.at]);
            for (std::uint32_t at = 0; at < of.count; ++at) column(of, column_name{which})[at] = sorted[at];
        }
        for (std::uint32_t at = 0; at < of.count; ++at) column(of, rank)[at] = at;
    }

    /// Searches the independent parts of a branch, the smaller first, which fail sooner.
    [[nodiscard]] constexpr search_end search_parts(const branch& of, std::uint32_t min_offset,
                                                    std::uint32_t min_rank) {
        struct part {
            std::uint32_t first, last, count;
        };
        trivial_vector<std::uint32_t> reach;  // by section: the latest end of the lives that begin there
        reach.resize(of.sections, 0);
        for (std::uint32_t at = 0; at < of.count; ++at) {
            std::uint32_t& furthest = reach[column(of, first)[at] - of.first_section];
            const std::uint32_t end = column(of, last)[at] - of.first_section;
            if (end > furthest) furthest = end;
        }
        trivial_vector<part> parts;
        std::uint32_t end = 0;
        for (std::uint32_t section = 0; section < of.sections; ++section) {
            if (reach[section] == 0) continue;
            if (section >= end) parts.push_back({section, section, 0});
            if (reach[section] > end) end = reach[section];
            parts.back().last = end;
        }
        if (parts.empty()) return search_end::found;
        if (parts.size() == 1) return search(of, min_offset, min_rank);
        for (std::uint32_t at = 0; at < of.count; ++at) {
            const std::uint32_t begin = column(of, first)[at] - of.first_section;
            for (part& each : parts)
                if (each.first <= begin && begin < each.last) ++each.count;
        }
        heap_sort(parts, [](const part& a, const part& b) {
            return a.count != b.count ? a.count < b.count : a.first < b.first;
        });
        for (const part& each : parts) {
            const branch alone = cut_out(of, each.first, each.last, each.count);
            const search_end ended = search(alone, 0, 0);
            if (ended != search_end::found) return ended;
        }
        return search_end::found;
    }

    /// Returns the branch of some sections, sorted by its own totals.
    [[nodiscard]] constexpr branch cut_out(const branch& of, std::uint32_t begin, std::uint32_t end,
                                           std::uint32_t count) {
        const branch alone{
            .base = of.end(), .count = count, .first_section = of.first_section + begin, .sections = end - begin};
        reserve(alone);
        std::uint32_t put = 0;
        for (std::uint32_t at = 0; at < of.count; ++at) {
            const std::uint32_t where = column(of, first)[at] - of.first_section;
            if (where < begin || where >= end) continue;
            for (std::uint32_t which = 0; which < columns; ++which)
                column(alone, column_name{which})[put] = column(of, column_name{which})[at];
            ++put;
        }
        for (std::uint32_t section = begin; section < end; ++section) {
            floors(alone)[section - begin] = floors(of)[section];
            totals(alone)[section - begin] = totals(of)[section];
        }
        sort(alone);
        return alone;
    }

    /// Tries each candidate for the lowest block of a branch without independent parts. Offsets ascend from step to
    /// step.
    [[nodiscard]] constexpr search_end search(const branch& of, std::uint32_t min_offset, std::uint32_t min_rank) {
        if (steps_ % 16 == 15 && early_.is_wished()) left_ = 0;
        if (left_ == 0) return search_end::out_of_steps;
        --left_;
        ++steps_;
        // A block above the end of another leaves a gap that the other would fill.
        std::uint32_t lowest_end = ~std::uint32_t{0};
        for (std::uint32_t at = 0; at < of.count; ++at) {
            const std::uint32_t end = column(of, offset)[at] + column(of, size)[at];
            if (end < lowest_end) lowest_end = end;
        }
        struct candidate {
            std::uint32_t offset, at;
        };
        trivial_vector<candidate> candidates;
        for (std::uint32_t at = 0; at < of.count; ++at) {
            const std::uint32_t where = column(of, offset)[at];
            if (where >= lowest_end || where < min_offset) continue;
            if (where == min_offset && column(of, rank)[at] < min_rank) continue;
            candidates.push_back({where, at});
        }
        heap_sort(candidates, [](const candidate& a, const candidate& b) {
            return a.offset != b.offset ? a.offset < b.offset : a.at < b.at;
        });
        for (const candidate& each : candidates) {
            // All remaining blocks lie at or above the candidate; later candidates are higher still.
            if (!leaves_room(of, each.offset)) break;
            offsets_[column(of, name)[each.at]] = each.offset;
            bool is_covered = false;
            branch next;
            if (place(of, each.at, next, is_covered)) {
                const search_end ended = search_parts(next, each.offset, column(of, rank)[each.at]);
                if (ended != search_end::impossible) return ended;
            }
            // Nothing will lie on this block, so no other is better in its place.
            if (!is_covered) break;
        }
        return search_end::impossible;
    }

    /// Places the block `at` in `next`. Returns false if that cannot lead to a packing. Sets `is_covered` if a
    /// remaining block lives at the same time.
    [[nodiscard]] constexpr bool place(const branch& of, std::uint32_t at, branch& next, bool& is_covered) {
        next = {.base = of.end(), .count = of.count - 1, .first_section = of.first_section, .sections = of.sections};
        reserve(next);
        for (std::uint32_t which = 0; which < columns; ++which) {
            const std::uint32_t* const from = column(of, column_name{which});
            std::uint32_t* const to = column(next, column_name{which});
            std::copy_n(from, at, to);
            std::copy_n(from + at + 1, next.count - at, to + at);
        }
        const std::uint32_t bottom = column(of, offset)[at];
        const std::uint32_t height = column(of, size)[at];
        const std::uint32_t begin = column(of, first)[at];
        const std::uint32_t end = column(of, last)[at];
        is_covered = raise(next, begin, end, bottom + height);
        std::uint32_t* const floor = floors(next);
        std::uint32_t* const total = totals(next);
        std::copy_n(floors(of), std::size_t{2} * of.sections, floor);
        for (std::uint32_t i = begin - of.first_section; i < end - of.first_section; ++i) {
            floor[i] = bottom + height;
            total[i] -= height;
        }
        if (problem_->is_constrained && !heed_constraints(next)) return false;
        if (!is_covered) return true;
        raise_floors(next);
        return leaves_room(next, bottom);
    }

    /// Raises the blocks that live in these sections to at least `top`. Returns true if there are any.
    constexpr bool raise(const branch& of, std::uint32_t begin, std::uint32_t end, std::uint32_t top) {
        const std::uint32_t* const firsts = column(of, first);
        const std::uint32_t* const lasts = column(of, last);
        std::uint32_t* const lowest = column(of, offset);
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < of.count; ++i) {
            const std::uint32_t meets = static_cast<std::uint32_t>(firsts[i] < end) & (begin < lasts[i] ? 1U : 0U);
            const std::uint32_t least = meets != 0 ? top : 0;
            any |= meets;
            lowest[i] = lowest[i] < least ? least : lowest[i];
        }
        return any != 0;
    }

    /// Rounds lowest offsets up to alignments. Returns false if a block can no longer lie at its offset.
    [[nodiscard]] constexpr bool heed_constraints(const branch& of) {
        for (std::uint32_t i = 0; i < of.count; ++i) {
            const search_block& each = problem_->blocks[column(of, name)[i]];
            std::uint32_t& lowest = column(of, offset)[i];
            if (each.offset != unplaced && lowest > each.offset) return false;
            const std::uint32_t over = lowest % each.alignment;
            if (over != 0) lowest += each.alignment - over;
            if (lowest > capacity_) return false;
        }
        return true;
    }

    /// Raises the floor of each section to the lowest of its remaining blocks.
    constexpr void raise_floors(const branch& of) {
        lowest_.assign(of.sections, ~std::uint32_t{0});
        std::uint32_t* const lowest = lowest_.data();
        const std::uint32_t* const firsts = column(of, first);
        const std::uint32_t* const lasts = column(of, last);
        const std::uint32_t* const offsets = column(of, offset);
        for (std::uint32_t at = 0; at < of.count; ++at) {
            const std::uint32_t here = offsets[at];
            const std::uint32_t end = lasts[at] - of.first_section;
            for (std::uint32_t i = firsts[at] - of.first_section; i < end; ++i)
                lowest[i] = lowest[i] < here ? lowest[i] : here;
        }
        std::uint32_t* const floor = floors(of);
        for (std::uint32_t i = 0; i < of.sections; ++i)
            if (lowest[i] != ~std::uint32_t{0} && floor[i] < lowest[i]) floor[i] = lowest[i];
    }

    /// True when the remaining blocks fit above the floor of each section. None of them lies below `bottom`.
    [[nodiscard]] constexpr bool leaves_room(const branch& of, std::uint32_t bottom) {
        const std::uint32_t* const floor = floors(of);
        const std::uint32_t* const total = totals(of);
        std::uint32_t too_much = 0;
        for (std::uint32_t i = 0; i < of.sections; ++i)
            too_much |= static_cast<std::uint32_t>((floor[i] < bottom ? bottom : floor[i]) + total[i] > capacity_);
        return too_much == 0;
    }

    const search_problem* problem_;
    block_order order_;
    interruption early_;
    std::uint32_t capacity_;
    std::uint64_t left_ = 0;
    std::uint64_t steps_ = 0;
    trivial_vector<std::uint32_t> offsets_;  // by block
    trivial_vector<std::uint32_t> numbers_;  // of all branches on the path
    trivial_vector<std::uint32_t> lowest_;   // by section of the current branch
};

}  // namespace hbm::pack
