#pragma once

#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/hole_lists.hpp>
#include <hbm/index/size_classes.hpp>

namespace hbm::inline v0 {

/// Index that returns the latest hole of the first size class whose holes all fit, as in TLSF (Masmano et al., 2004).
/// If there is none, it searches the class below, whose holes fit in part; TLSF fails there. The far hole is in no
/// list. From the low end it comes last in its class.
template <class Quanta, end From = end::low>
class good_hole {
public:
    using quanta = Quanta;
    static constexpr end search_end = From;
    static constexpr bool leaves_out_far_hole = true;

    constexpr good_hole() : good_hole(0) {}
    constexpr explicit good_hole(Quanta capacity) : lists_(classes::of(capacity) + 1) {}

    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole) {
        const unsigned size_class = classes::of(map.size(hole));
        lists_.note(size_class);
        lists_.push(map, size_class, hole, lists_.link(size_class));
    }
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) { lists_.erase(map, hole); }
    /// Returns a hole that admits `n`, or `no_block`.
    /// Cost: O(1); O(holes of a class) if only one class has a suitable hole. Aligned needs skip misaligned holes.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        // All holes of the classes from `first` on are long enough, so any of them will do, and the lowest class wastes
        // least. The class of the length itself has some that are long enough: searched last, hole by hole, so that a
        // request never fails while a hole fits. The far hole takes part as a hole of its class, after the others.
        if (n.length > map.capacity()) return no_block;
        const unsigned partly = classes::of(n.length);
        const unsigned first = first_that_fits(n.length);
        const block_index farthest = far_hole::admitted(map, n);
        const unsigned far_class = classes::of(far_hole::size(map));
        for (unsigned size_class = at_least(first); size_class != detail::hole_lists::none;
             size_class = lists_.above(size_class)) {
            if (From == end::low && farthest != no_block && far_class >= first && far_class < size_class) break;
            const block_index hole = first_admitted(map, n, size_class);
            if (hole != no_block) return hole;
        }
        if (farthest != no_block && (From == end::low && far_class >= first)) return farthest;
        const block_index hole = first == partly ? no_block : first_admitted(map, n, partly);
        return hole == no_block ? farthest : hole;
    }
    /// Finds and erases a hole of at least `length`, without other constraints.
    /// Cost: as `find`.
    [[gnu::noinline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        // Few steps: compilers limit those of constant evaluation.
        if (__builtin_is_constant_evaluated() && at_least(classes::of(length)) == detail::hole_lists::none)
            return far_hole::at_least(map, length);
        const block_index hole = find(map, {.length = length, .from = From});
        if (hole != no_block && hole != map.far_hole) lists_.erase(map, hole);
        return hole;
    }
    /// Fast path of `take`, in O(1): the hole must be the first of a class whose holes all fit. Otherwise returns
    /// `no_block`, without effect.
    [[gnu::always_inline]] constexpr block_index take_at_once(block_map<Quanta>& map, Quanta length) noexcept {
        // A far hole in a lower class is the better answer; it is left to `take`, as is the class that fits in part.
        const unsigned first = first_that_fits(length);
        const unsigned size_class = at_least(first);
        if (size_class == detail::hole_lists::none) [[unlikely]]
            return no_block;
        if (From == end::low && far_hole::size(map) >= length) [[unlikely]] {
            const unsigned far_class = classes::of(far_hole::size(map));
            if (far_class >= first && far_class < size_class) return no_block;
        }
        const block_index hole = lists_.link(size_class);
        lists_.pop(map, size_class, hole);
        return hole;
    }
    /// Returns the size of the largest hole.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned size_class = lists_.largest();
        Quanta largest = far_hole::size(map);
        if (size_class == detail::hole_lists::none) return largest;
        for (block_index hole = lists_.link(size_class); hole != list_end; hole = map.right(hole))
            if (map.size(hole) > largest) largest = map.size(hole);
        return largest;
    }

private:
    using classes = detail::size_classes<Quanta>;
    static constexpr block_index list_end = block_map<Quanta>::list_end;

    /// Returns the first class whose holes all have at least `length`.
    ///
    /// One more than the class of `length - 1`: the class of `length`, if it begins with just that length.
    [[nodiscard, gnu::always_inline]] static constexpr unsigned first_that_fits(Quanta length) noexcept {
        return classes::of(static_cast<Quanta>(length - 1)) + 1;
    }
    /// Returns the first class from `size_class` on that has a hole. `size_class` may exceed the last class.
    [[nodiscard, gnu::always_inline]] constexpr unsigned at_least(unsigned size_class) const noexcept {
        return size_class < lists_.searched() ? lists_.at_least(size_class) : detail::hole_lists::none;
    }
    [[nodiscard]] constexpr block_index first_admitted(const block_map<Quanta>& map, const need<Quanta>& n,
                                                       unsigned size_class) const {
        for (block_index hole = lists_.link(size_class); hole != list_end; hole = map.right(hole))
            if (n.admits(map.range(hole))) return hole;
        return no_block;
    }

    detail::hole_lists lists_;
};

}  // namespace hbm::inline v0
