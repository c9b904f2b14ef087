#pragma once

/// The needs of a call, and how several of them are packed into the holes of a memory.

#include <hbm/core/bytes.hpp>
#include <hbm/core/heap_sort.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/planning/problem.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The range `[low, high)` in quanta.
struct range_of_quanta {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr std::uint64_t size() const noexcept { return high - low; }
    constexpr bool overlaps(range_of_quanta other) const noexcept { return low < other.high && other.low < high; }
    constexpr bool holds(const layout_need& need) const noexcept {
        const std::uint64_t begin = align_up(low, need.alignment);
        return begin >= low && begin <= high && high - begin >= need.length;
    }
    /// Like `holds`, quick where nearly all ranges are too short.
    [[gnu::always_inline]] constexpr bool takes(const layout_need& need) const noexcept {
        return size() >= need.length && holds(need);
    }
};

/// Returns the needs that no other dominates: the longest of each alignment, if longer than stricter ones.
/// A window that a search finds for one of these would hold any that is left out, so bounds and windows look at these
/// only.
[[gnu::cold]] constexpr trivial_vector<layout_need> hardest_of(const trivial_vector<layout_need>& needs) {
    // From the strictest alignment down: a need of a weaker alignment counts only if it is longer than all stricter
    // ones, for else a place of one of these would do for it, too.
    if (needs.size() < 2) return needs;
    std::array<std::uint64_t, 64> longest{};  // indexed by the exponent of the alignment
    for (const layout_need& need : needs) {
        std::uint64_t& length = longest[static_cast<std::size_t>(std::countr_zero(need.alignment))];
        if (need.length > length) length = need.length;
    }
    trivial_vector<layout_need> hardest;
    std::uint64_t so_far = 0;
    for (std::size_t shift = longest.size(); shift-- > 0;) {
        if (longest[shift] <= so_far) continue;
        so_far = longest[shift];
        hardest.push_back({so_far, std::uint64_t{1} << shift});
    }
    return hardest;
}

/// Sorts needs by length or, if `strictest_first`, by alignment, in descending order; ties by the other.
[[gnu::cold]] constexpr void sort_needs(trivial_vector<layout_need>& needs, bool strictest_first) {
    heap_sort(needs, [=](const layout_need& a, const layout_need& b) {
        const bool by_alignment = a.alignment != b.alignment && (strictest_first || a.length == b.length);
        return by_alignment ? a.alignment > b.alignment : a.length > b.length;
    });
}

/// Returns a run that holds all needs one after another, the strictest alignment first.
[[gnu::cold]] constexpr layout_need all_in_one(trivial_vector<layout_need> needs) {
    // With the strictest alignment first, each need ends where a weaker one may mostly begin, so few gaps are lost.
    // Lengths that exceed 64 bits saturate, and such a run fits nowhere.
    sort_needs(needs, true);
    layout_need all{0, needs.empty() ? 1 : needs[0].alignment};
    for (const layout_need& need : needs) {
        const std::uint64_t begin = align_up(all.length, need.alignment);
        all.length = begin < all.length ? ~std::uint64_t{0} : saturating_add(begin, need.length);
    }
    return all;
}

/// Up to this many needs are packed exactly.
inline constexpr std::size_t max_needs_packed_exactly = 6;

/// Packs needs into holes. The quick attempts come first, for one of them nearly always succeeds: each need into the
/// smallest hole that takes it, in the given order, then the longest first. Up to `max_needs_packed_exactly` needs it
/// then looks at all ways there are, so that the planner may trust a refusal: it is a proof. More needs are tried the
/// strictest alignment first and to the other end of holes, and a refusal proves nothing.
class need_packer {
    using offsets = trivial_vector<std::uint64_t>;

public:
    /// Refers to `holes`, sorted by offset, and `needs` without copying them. With `from_top`, needs go to the high
    /// ends of holes, and into the first hole last.
    constexpr need_packer(const trivial_vector<range_of_quanta>& holes, const trivial_vector<layout_need>& needs,
                          bool from_top)
        : holes_(holes), needs_(needs), from_top_(from_top) {}

    /// Returns the offset of each need, or `nullopt` if they do not fit.
    /// Cost: O(needs x holes), plus O(2^needs x holes) if exact.
    [[gnu::cold]] constexpr std::optional<offsets> places() const {
        // A call in its own order is what the placement will do afterwards, so that order is tried before all others.
        if (!could_fit()) return std::nullopt;
        trivial_vector<std::uint32_t> order;
        for (std::uint32_t at = 0; at < needs_.size(); ++at) order.push_back(at);
        if (auto found = one_after_another(order)) return found;
        if (needs_.size() < 2) return std::nullopt;
        sort(order, false);
        if (auto found = one_after_another(order)) return found;
        if (needs_.size() <= max_needs_packed_exactly) return exactly();
        sort(order, true);
        if (auto found = one_after_another(order)) return found;
        return need_packer(holes_, needs_, !from_top_).one_after_another(order);
    }

private:
    static constexpr std::size_t max_sets = std::size_t{1} << max_needs_packed_exactly;
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// Sorts by alignment (if `strictest_first`), then length, then index; the largest first.
    [[gnu::cold]] constexpr void sort(trivial_vector<std::uint32_t>& order, bool strictest_first) const {
        heap_sort(order, [&](std::uint32_t a, std::uint32_t b) {
            const layout_need& left = needs_[a];
            const layout_need& right = needs_[b];
            if (strictest_first && left.alignment != right.alignment) return left.alignment > right.alignment;
            return left.length != right.length ? left.length > right.length : a < b;
        });
    }
    /// Returns false if the bytes do not suffice, or a need fits into no hole even alone.
    [[gnu::cold]] constexpr bool could_fit() const noexcept {
        std::uint64_t free = 0;
        for (const range_of_quanta& hole : holes_) free = saturating_add(free, hole.size());
        std::uint64_t needed = 0;
        for (const layout_need& need : needs_) {
            needed = saturating_add(needed, need.length);
            bool possible = false;
            for (std::size_t at = 0; at < holes_.size() && !possible; ++at) possible = holes_[at].holds(need);
            if (!possible) return false;
        }
        return needed <= free;
    }
    constexpr std::uint64_t place_in(range_of_quanta hole, const layout_need& need) const noexcept {
        return from_top_ ? align_down(hole.high - need.length, need.alignment) : align_up(hole.low, need.alignment);
    }

    /// Packs the needs in `order`, each into the smallest hole that takes it, of equal holes the lowest (with
    /// `from_top` the highest). Returns their offsets, or `nullopt` if one finds no hole.
    [[gnu::cold]] constexpr std::optional<offsets> one_after_another(const trivial_vector<std::uint32_t>& order) const {
        // The smallest hole keeps long ones whole. From the top, the first hole is the last resort: it begins where the
        // reservation may grow. What alignment leaves on the other side of the need becomes a hole of its own.
        trivial_vector<range_of_quanta> holes = holes_;
        offsets found(needs_.size(), 0);
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
            const range_of_quanta below{holes[best].low, place};
            const range_of_quanta above{place + need.length, holes[best].high};
            found[which] = place;
            holes[best] = from_top_ ? below : above;
            const range_of_quanta& other = from_top_ ? above : below;
            if (other.low < other.high) holes.push_back(other);
        }
        return found;
    }
    constexpr bool is_better(range_of_quanta hole, range_of_quanta other) const noexcept {
        if (hole.size() != other.size()) return hole.size() < other.size();
        return from_top_ ? hole.low > other.low : hole.low < other.low;
    }

    /// What a hole can take: for each set of needs, a bit mask, the largest rest of the hole after it, or `none`, and
    /// the need that is packed last. Needs of a set stand one after another from one end, each as near to it as it may.
    struct filling {
        std::array<std::uint64_t, max_sets> rest{};
        std::array<std::uint8_t, max_sets> last{};
    };
    /// Returns the part of a hole that is left where its rest is `quanta` long.
    constexpr range_of_quanta rest_of(range_of_quanta hole, std::uint64_t quanta) const noexcept {
        return from_top_ ? range_of_quanta{hole.low, hole.low + quanta}
                         : range_of_quanta{hole.high - quanta, hole.high};
    }
    [[gnu::cold]] constexpr filling fill(range_of_quanta hole) const noexcept {
        // A set is filled by filling it without one of its needs and adding this one; the best of these is the set's.
        // More rest is always better, since the rest is one range at the end: whatever fits into a shorter one fits
        // into it. Sets are numbered so that a set comes after all of its subsets.
        filling found;
        found.rest[0] = hole.size();
        for (std::size_t set = 1; set < std::size_t{1} << needs_.size(); ++set) {
            found.rest[set] = none;
            for (std::size_t last = 0; last < needs_.size(); ++last) {
                if ((set >> last & 1) == 0) continue;
                const std::uint64_t before = found.rest[set ^ std::size_t{1} << last];
                if (before == none || !rest_of(hole, before).holds(needs_[last])) continue;
                const std::uint64_t place = place_in(rest_of(hole, before), needs_[last]);
                const std::uint64_t rest = from_top_ ? place - hole.low : hole.high - place - needs_[last].length;
                if (found.rest[set] != none && rest <= found.rest[set]) continue;
                found.rest[set] = rest;
                found.last[set] = static_cast<std::uint8_t>(last);
            }
        }
        return found;
    }

    /// Packs by dynamic programming over sets of needs; a family of sets is a 64-bit mask, a bit for each set.
    /// Holes are added one by one: `reached` is the family that the holes so far hold together. Of the holes that take
    /// a set only as many as there are needs matter: the others hold other needs, so one of these is always left.
    /// Once the set of all needs is reached, it is taken apart again, the last hole first.
    [[gnu::cold]] constexpr std::optional<offsets> exactly() const {
        struct used_hole {
            std::size_t at = 0;
            std::uint64_t taken = 0;   // the sets that this hole holds
            std::uint64_t before = 1;  // the sets that the holes before it hold
        };
        const std::size_t sets = std::size_t{1} << needs_.size();
        std::array<std::uint8_t, max_sets> holes_that_take{};
        trivial_vector<used_hole> used;
        std::uint64_t reached = 1;
        for (std::size_t at = 0; at < holes_.size() && (reached >> (sets - 1) & 1) == 0; ++at) {
            const filling hole = fill(holes_[at]);
            used_hole next{at, 0, reached};
            for (std::size_t set = 1; set < sets; ++set) {
                if (hole.rest[set] == none || holes_that_take[set] == needs_.size()) continue;
                next.taken |= std::uint64_t{1} << set;
                ++holes_that_take[set];
            }
            if (next.taken == 0) continue;
            used.push_back(next);
            for (std::size_t before = 0; before < sets; ++before)
                for (std::size_t set = 1; set < sets; ++set)
                    if ((next.before >> before & next.taken >> set & 1) != 0 && (before & set) == 0)
                        reached |= std::uint64_t{1} << (before | set);
        }
        if ((reached >> (sets - 1) & 1) == 0) return std::nullopt;
        offsets found(needs_.size(), 0);
        for (std::size_t required = sets - 1; required != 0; used.pop_back()) {
            const used_hole& last = used.back();
            if ((last.before >> required & 1) != 0) continue;  // the holes before it are enough
            std::size_t set = 1;
            while ((last.taken >> set & 1) == 0 || (set & ~required) != 0 || (last.before >> (required ^ set) & 1) == 0)
                ++set;
            required ^= set;
            const filling hole = fill(holes_[last.at]);
            while (set != 0) {
                const std::size_t need = hole.last[set];
                set ^= std::size_t{1} << need;
                found[need] = place_in(rest_of(holes_[last.at], hole.rest[set]), needs_[need]);
            }
        }
        return found;
    }

    const trivial_vector<range_of_quanta>& holes_;
    const trivial_vector<layout_need>& needs_;
    bool from_top_;
};

}  // namespace hbm::inline v0
