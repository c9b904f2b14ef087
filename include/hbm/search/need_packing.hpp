#pragma once

/// Packing of several needs into the holes of a memory.

#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/heap_sort.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A run of `length` quanta at a multiple of `alignment`, a power of two.
struct layout_need {
    std::uint64_t length = 1;
    std::uint64_t alignment = 1;

    friend constexpr bool operator==(const layout_need&, const layout_need&) = default;
};

/// The range `[low, high)` in quanta.
struct range_of_quanta {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    [[nodiscard]] constexpr std::uint64_t size() const noexcept { return high - low; }
    [[nodiscard, gnu::cold]] constexpr bool holds(const layout_need& need) const noexcept {
        const std::uint64_t begin = align_up(low, need.alignment);
        return begin >= low && begin <= high && high - begin >= need.length;
    }
};

/// Returns the needs that no other dominates: the longest of each alignment, if longer than stricter ones.
template <class Need>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr trivial_vector<Need> hardest_of(const trivial_vector<Need>& needs) {
    if (needs.size() < 2) return needs;
    std::array<std::uint64_t, 64> longest{};  // indexed by the exponent of the alignment
    for (const Need& need : needs) {
        std::uint64_t& length = longest[static_cast<std::size_t>(std::countr_zero(need.alignment))];
        if (need.length > length) length = need.length;
    }
    trivial_vector<Need> hardest;
    std::uint64_t so_far = 0;
    for (std::size_t shift = longest.size(); shift-- > 0;) {
        if (longest[shift] <= so_far) continue;
        so_far = longest[shift];
        hardest.push_back({so_far, std::uint64_t{1} << shift});
    }
    return hardest;
}

/// Sorts needs by length or, if `strictest_first`, by alignment, in descending order; ties by the other.
template <class Need>
[[gnu::cold, gnu::noinline]] constexpr void sort_needs(trivial_vector<Need>& needs, bool strictest_first) {
    heap_sort(needs, [=](const layout_need& a, const layout_need& b) {
        const bool by_alignment = a.alignment != b.alignment && (strictest_first || a.length == b.length);
        return by_alignment ? a.alignment > b.alignment : a.length > b.length;
    });
}

/// Returns a run that holds all needs one after another, the strictest alignment first.
template <class Need>
[[nodiscard, gnu::cold]] constexpr Need all_in_one(trivial_vector<Need> needs) {
    sort_needs(needs, true);
    Need all{0, needs.empty() ? 1 : needs[0].alignment};
    for (const layout_need& need : needs) {
        const std::uint64_t begin = align_up(all.length, need.alignment);
        all.length = begin < all.length ? ~std::uint64_t{0} : saturating_add(begin, need.length);
    }
    return all;
}

/// Up to this many needs are packed exactly.
inline constexpr std::size_t max_needs_packed_exactly = 6;

/// Packs needs into holes, best fit: in the given order, then longest first, then strictest alignment first. Up to
/// `max_needs_packed_exactly` needs it then searches exhaustively. A set fits into a hole if it does in some order,
/// each need as near to one end as possible. Of the holes that take a set, only as many as there are needs matter.
template <class Hole>
class need_packer {
    /// Sorts by alignment (if `strictest_first`), then length, then index; the largest first.
    [[gnu::cold, gnu::noinline]] constexpr void sort(trivial_vector<std::uint32_t>& order, bool strictest_first) const {
        heap_sort(order, [&](std::uint32_t a, std::uint32_t b) {
            const layout_need& left = needs_[a];
            const layout_need& right = needs_[b];
            if (strictest_first && left.alignment != right.alignment) return left.alignment > right.alignment;
            return left.length != right.length ? left.length > right.length : a < b;
        });
    }

public:
    /// Refers to `holes`, sorted by offset, and `needs` without copying them. With `from_top`, needs go to the high
    /// ends of holes, and into the first hole last.
    [[gnu::cold]] constexpr need_packer(const trivial_vector<Hole>& holes, const trivial_vector<layout_need>& needs,
                                        bool from_top)
        : holes_(holes), needs_(needs), from_top_(from_top) {}

    /// Returns the offset of each need, or `nullopt` if they do not fit.
    /// Cost: O(needs x holes), plus O(2^needs x holes) if exact.
    [[nodiscard, gnu::cold]] constexpr std::optional<trivial_vector<std::uint64_t>> places() const {
        std::uint64_t free = 0;
        for (const Hole& hole : holes_) free = saturating_add(free, hole.size());
        std::uint64_t needed = 0;
        for (const layout_need& need : needs_) needed = saturating_add(needed, need.length);
        if (free < needed) return std::nullopt;
        for (const layout_need& need : needs_) {
            bool possible = false;
            for (std::size_t at = 0; at < holes_.size() && !possible; ++at) possible = holes_[at].holds(need);
            if (!possible) return std::nullopt;
        }
        trivial_vector<std::uint32_t> order;
        for (std::uint32_t at = 0; at < needs_.size(); ++at) order.push_back(at);
        if (auto offsets = one_after_another(order)) return offsets;
        if (needs_.size() < 2) return std::nullopt;
        sort(order, false);
        if (auto offsets = one_after_another(order)) return offsets;
        if (needs_.size() <= max_needs_packed_exactly) return exactly();
        sort(order, true);
        if (auto offsets = one_after_another(order)) return offsets;
        return need_packer(holes_, needs_, !from_top_).one_after_another(order);
    }

private:
    static constexpr std::size_t max_sets = std::size_t{1} << max_needs_packed_exactly;

    [[nodiscard, gnu::cold]] constexpr std::uint64_t place_in(const Hole& hole,
                                                              const layout_need& need) const noexcept {
        return from_top_ ? align_down(hole.high - need.length, need.alignment) : align_up(hole.low, need.alignment);
    }

    /// Packs the requests in `order`, each into the smallest hole that fits, of equal holes the lowest (with `from_top`
    /// the highest). Returns their offsets; empty if one finds no hole.
    [[nodiscard, gnu::cold]] constexpr std::optional<trivial_vector<std::uint64_t>>
    one_after_another(const trivial_vector<std::uint32_t>& order) const {
        trivial_vector<Hole> holes = holes_;
        trivial_vector<std::uint64_t> offsets(needs_.size(), 0);
        for (const std::uint32_t which : order) {
            const layout_need& need = needs_[which];
            std::size_t best = holes.size();
            for (std::size_t at = from_top_ ? 1 : 0; at < holes.size(); ++at)
                if (holes[at].size() >= need.length && (best == holes.size() || is_better(holes[at], holes[best])) &&
                    holes[at].holds(need))
                    best = at;
            if (best == holes.size() && from_top_ && !holes.empty() && holes[0].holds(need)) best = 0;
            if (best == holes.size()) return std::nullopt;
            const std::uint64_t place = place_in(holes[best], need);
            const Hole below{holes[best].low, place};
            const Hole above{place + need.length, holes[best].high};
            offsets[which] = place;
            holes[best] = from_top_ ? below : above;
            const Hole& other = from_top_ ? above : below;
            if (other.low < other.high) holes.push_back(other);
        }
        return offsets;
    }
    [[nodiscard, gnu::cold]] constexpr bool is_better(const Hole& hole, const Hole& other) const noexcept {
        if (hole.size() != other.size()) return hole.size() < other.size();
        return from_top_ ? hole.low > other.low : hole.low < other.low;
    }

    using cursors = std::array<std::uint64_t, max_sets>;
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// Returns the rest of a hole after a need is packed into its last `left` quanta, or `none` if it does not fit.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t after(const Hole& hole, std::uint64_t left,
                                                           const layout_need& need) const noexcept {
        if (left == none) return none;
        const Hole rest = from_top_ ? Hole{hole.low, hole.low + left} : Hole{hole.high - left, hole.high};
        if (!rest.holds(need)) return none;
        const std::uint64_t place = place_in(rest, need);
        return from_top_ ? place - hole.low : hole.high - place - need.length;
    }
    /// Computes the largest rest of a hole for each set of needs.
    [[gnu::cold]] constexpr void fill(const Hole& hole, cursors& left) const noexcept {
        left[0] = hole.size();
        for (std::size_t set = 1; set < std::size_t{1} << needs_.size(); ++set) {
            left[set] = none;
            for (std::size_t last = 0; last < needs_.size(); ++last) {
                if ((set >> last & 1) == 0) continue;
                const std::uint64_t more = after(hole, left[set ^ std::size_t{1} << last], needs_[last]);
                if (more != none && (left[set] == none || more > left[set])) left[set] = more;
            }
        }
    }

    /// Sets of needs are bit masks; a set of sets is a 64-bit mask of those.
    [[nodiscard, gnu::cold]] constexpr std::optional<trivial_vector<std::uint64_t>> exactly() const {
        struct used_hole {
            std::size_t at = 0;
            std::uint64_t taken = 0;   // sets that this hole holds
            std::uint64_t before = 1;  // sets that the holes before it hold
        };
        const std::size_t sets = std::size_t{1} << needs_.size();
        std::array<std::uint8_t, max_sets> holes_that_take{};
        trivial_vector<used_hole> used;
        cursors left{};
        std::uint64_t reached = 1;
        for (std::size_t at = 0; at < holes_.size() && (reached >> (sets - 1) & 1) == 0; ++at) {
            bool takes_any = false;
            for (const layout_need& need : needs_) takes_any = takes_any || holes_[at].holds(need);
            if (!takes_any) continue;
            fill(holes_[at], left);
            used_hole next{at, 0, reached};
            for (std::size_t set = 1; set < sets; ++set)
                if (left[set] != none && holes_that_take[set] < needs_.size())
                    next.taken |= std::uint64_t{1} << set, ++holes_that_take[set];
            if (next.taken == 0) continue;
            for (std::size_t before = 0; before < sets; ++before) {
                if ((next.before >> before & 1) == 0) continue;
                for (std::size_t set = 1; set < sets; ++set)
                    if ((next.taken >> set & 1) != 0 && (before & set) == 0)
                        reached |= std::uint64_t{1} << (before | set);
            }
            used.push_back(next);
        }
        if ((reached >> (sets - 1) & 1) == 0) return std::nullopt;
        trivial_vector<std::uint64_t> offsets(needs_.size(), 0);
        for (std::size_t required = sets - 1; required != 0; used.pop_back()) {
            const used_hole& last = used.back();
            if ((last.before >> required & 1) != 0) continue;
            std::size_t set = 1;
            while ((last.taken >> set & 1) == 0 || (set & ~required) != 0 || (last.before >> (required ^ set) & 1) == 0)
                ++set;
            required ^= set;
            fill(holes_[last.at], left);
            while (set != 0) {
                std::size_t need = 0;
                for (;; ++need) {
                    if ((set >> need & 1) == 0) continue;
                    const std::uint64_t rest = left[set ^ std::size_t{1} << need];
                    if (after(holes_[last.at], rest, needs_[need]) == left[set]) break;
                }
                const Hole& hole = holes_[last.at];
                set ^= std::size_t{1} << need;
                offsets[need] =
                    place_in(from_top_ ? Hole{hole.low, hole.low + left[set]} : Hole{hole.high - left[set], hole.high},
                             needs_[need]);
            }
        }
        return offsets;
    }

    const trivial_vector<Hole>& holes_;
    const trivial_vector<layout_need>& needs_;
    bool from_top_;
};

}  // namespace hbm::inline v0
