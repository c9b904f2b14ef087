#pragma once

/// Placements chosen at run time, so that managers under all shipped placements have one type.

#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/testing/erased_placement.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hbm::compare {

/// A copy of a placement over 64-bit quanta, to which all calls go; from a capacity alone, a kind of best fit. It may
/// move blocks: relief policies decide whether. `Reserves`: it reserves scratch at the bottom.
/// Cost: a virtual call each, and an allocation on the host for each copy.
template <bool Reserves>
class any_placement {
    using usual =
        std::conditional_t<Reserves, bottom_reserve<basic_best_fit<std::uint64_t>>, basic_best_fit<std::uint64_t>>;

public:
    using quanta = std::uint64_t;
    static constexpr fixed_string name{"any_placement"};
    static constexpr quanta unlimited = ~quanta{0};
    static constexpr bool merges_neighbours = false;
    static constexpr bool may_move = true;
    static constexpr bool heeds_lifetimes = true;
    static constexpr scratch_sharing sharing = scratch_sharing::shared;

    any_placement() : any_placement(quanta{0}) {}
    explicit any_placement(quanta capacity) : any_placement(usual(capacity)) {}
    template <class P>
    requires(!std::derived_from<P, any_placement> && placement<P> &&
             std::same_as<typename P::quanta, std::uint64_t>) explicit any_placement(const P& blocks)
        : any_placement(*new erased_placement_of<P>(blocks)) {}
    any_placement(const any_placement& other) : any_placement(*other.blocks_->copy()) {}
    any_placement& operator=(const any_placement& other) { return *this = any_placement(other); }
    any_placement(any_placement&& other) noexcept
        : blocks_(std::exchange(other.blocks_, nullptr)), map_(std::exchange(other.map_, nullptr)) {}
    any_placement& operator=(any_placement&& other) noexcept {
        std::swap(blocks_, other.blocks_);
        std::swap(map_, other.map_);
        return *this;
    }
    ~any_placement() { delete blocks_; }

    [[nodiscard]] block_map<quanta>& map() noexcept { return *map_; }
    [[nodiscard]] const block_map<quanta>& map() const noexcept { return *map_; }
    block_index place(const hbm::need<quanta>& n) { return blocks_->place(n); }
    void release(block_index block) { blocks_->release(block); }
    [[nodiscard]] hbm::need<quanta> requirement(const hbm::need<quanta>& n) const { return blocks_->requirement(n); }
    [[nodiscard]] quanta largest_free() const { return blocks_->largest_free(); }
    [[nodiscard]] std::uint64_t most_taken(const hbm::need<quanta>& required) const {
        return blocks_->most_taken(required);
    }
    [[nodiscard]] bool has_hole_for(quanta length) const { return blocks_->has_run_of(length); }
    block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) {
        return blocks_->occupy(range, granted, alignment);
    }
    block_index occupy(basic_extent<quanta> range) { return occupy(range, range.size, 1); }
    bool relocate(block_index block, quanta to) { return blocks_->relocate(block, to); }
    bool stretch(block_index block, basic_extent<quanta> range) { return blocks_->stretch(block, range); }
    void shrink(block_index block, quanta granted) { blocks_->shrink(block, granted); }
    bool extend(std::uint64_t capacity) { return blocks_->extend(capacity); }
    void reserve_metadata(std::size_t blocks) { blocks_->reserve_metadata(blocks); }
    bool reserve(quanta size) requires(Reserves) { return blocks_->reserve(size); }
    [[nodiscard]] quanta reserved() const noexcept requires(Reserves) { return blocks_->reserved(); }
    [[nodiscard]] quanta reservable() const noexcept requires(Reserves) { return blocks_->reservable(); }

    /// A template, because the state of a manager requires a constexpr comparison.
    template <std::same_as<any_placement> Other>
    friend constexpr bool operator==(const any_placement& a, const Other& b) {
        return a.blocks_->is_equal(*b.blocks_);
    }

private:
    explicit any_placement(erased_placement<quanta>& blocks) : blocks_(&blocks), map_(&blocks.map()) {}

    erased_placement<quanta>* blocks_;
    block_map<quanta>* map_;
};

/// A placement without a reservation at the bottom, and one that has it.
using chosen_placement = any_placement<false>;
using chosen_reserving = any_placement<true>;

}  // namespace hbm::compare
