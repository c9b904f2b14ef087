#pragma once

/// Blocks that have their offsets, found by the sections in which they live.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/sections.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::pack {

/// The offsets of a block, `[begin, end)`.
struct offset_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A segment tree over sections (Bentley, 1977): a block hangs at the O(log sections) nodes that make up its life, and
/// at the section in which it begins.
class placed_blocks {
public:
    constexpr placed_blocks(std::uint32_t sections, std::size_t max_blocks) {
        while (leaves_ < sections) leaves_ *= 2;
        at_node_.resize(std::size_t{2} * leaves_, none);
        at_first_.resize(sections + std::size_t{1}, none);
        where_.resize(max_blocks, offset_range{});
    }

    /// Adds a block. O(log sections).
    constexpr void add(std::uint32_t which, const section_range& life, const offset_range& where) {
        where_[which] = where;
        push(at_first_[life.first], which);
        std::uint32_t low = life.first + leaves_;
        std::uint32_t high = life.last + leaves_;
        for (; low < high; low /= 2, high /= 2) {
            if (low % 2 != 0) push(at_node_[low++], which);
            if (high % 2 != 0) push(at_node_[--high], which);
        }
    }

    /// The lowest offset at which `each`, which lives in the sections `life`, overlaps no block; `anywhere` if it
    /// cannot lie at its given offset, or nowhere below 2^64. O(m log m + the sections of its life), for m blocks that
    /// live with it.
    [[nodiscard]] constexpr std::uint64_t lowest_gap(const block& each, const section_range& life) {
        gather(life);
        heap_sort(found_, [](const entry& a, const entry& b) {
            return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.which < b.which;
        });
        const bool is_given = each.offset != anywhere;
        std::uint64_t lowest = is_given ? each.offset : 0;
        for (const entry& other : found_) {
            if (lowest < other.range.begin && other.range.begin - lowest >= each.bytes) break;
            if (other.range.end <= lowest) continue;
            if (is_given) return anywhere;
            lowest = other.range.end;
            const std::uint64_t over = each.alignment > 1 ? lowest % each.alignment : 0;
            if (over == 0) continue;
            if (each.alignment - over > ~lowest) return anywhere;
            lowest += each.alignment - over;
        }
        return each.bytes > anywhere - 1 - lowest ? anywhere : lowest;
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct entry {
        offset_range range;
        std::uint32_t which;
    };
    struct link {
        std::uint32_t which;
        std::uint32_t next;
    };

    constexpr void push(std::uint32_t& head, std::uint32_t which) {
        links_.push_back({which, head});
        head = static_cast<std::uint32_t>(links_.size() - 1);
    }
    constexpr void gather_list(std::uint32_t head) {
        for (; head != none; head = links_[head].next)
            found_.push_back({where_[links_[head].which], links_[head].which});
    }
    /// The blocks that live in the first section, and those that begin in the others.
    constexpr void gather(const section_range& life) {
        found_.clear();
        for (std::uint32_t node = life.first + leaves_; node != 0; node /= 2) gather_list(at_node_[node]);
        for (std::uint32_t section = life.first + 1; section < life.last; ++section) gather_list(at_first_[section]);
    }

    std::uint32_t leaves_ = 1;
    trivial_vector<std::uint32_t> at_node_;   // by node: its list of blocks
    trivial_vector<std::uint32_t> at_first_;  // by section: the blocks that begin there
    trivial_vector<link> links_;
    trivial_vector<offset_range> where_;  // by block
    trivial_vector<entry> found_;
};

}  // namespace hbm::pack
