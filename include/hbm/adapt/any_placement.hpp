#pragma once

#include <hbm/manager/call_parts.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/placement.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hbm::inline v0 {

/// Blocks under a placement of any type over 64-bit quanta. Each function is that of the contract in placement.hpp.
/// Without the ability, `occupy`, `relocate`, `stretch`, `extend` and `reserve` fail, and `shrink` and
/// `reserve_metadata` do nothing.
class placed_blocks {
public:
    using quanta = std::uint64_t;

    placed_blocks() = default;
    placed_blocks(const placed_blocks&) = delete;
    placed_blocks& operator=(const placed_blocks&) = delete;
    virtual ~placed_blocks() = default;

    /// Returns a copy, to be deleted by the caller.
    [[nodiscard]] virtual placed_blocks* copy() const = 0;
    /// Returns true if `other` has an equal placement of the same type.
    [[nodiscard]] virtual bool is_equal(const placed_blocks& other) const = 0;

    [[nodiscard]] virtual block_map<quanta>& map() noexcept = 0;
    virtual block_index place(const hbm::need<quanta>& n) = 0;
    virtual void release(block_index block) = 0;
    [[nodiscard]] virtual hbm::need<quanta> requirement(const hbm::need<quanta>& n) const = 0;
    [[nodiscard]] virtual quanta largest_free() const = 0;
    [[nodiscard]] virtual std::uint64_t most_taken(const hbm::need<quanta>& required) const = 0;
    [[nodiscard]] virtual bool has_run_of(quanta length) const = 0;
    [[nodiscard]] virtual lifetime expected(tag label) const noexcept = 0;
    virtual block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) = 0;
    virtual bool relocate(block_index block, quanta to) = 0;
    virtual bool stretch(block_index block, basic_extent<quanta> range) = 0;
    virtual void shrink(block_index block, quanta granted) = 0;
    virtual bool extend(std::uint64_t capacity) = 0;
    virtual void reserve_metadata(std::size_t blocks) = 0;
    virtual bool reserve(quanta size) = 0;
    [[nodiscard]] virtual quanta reserved() const noexcept = 0;
    [[nodiscard]] virtual quanta reservable() const noexcept = 0;

    /// Returns an address, one for each type of placement.
    [[nodiscard]] virtual const void* type() const noexcept = 0;
};

/// Placement `P` as `placed_blocks`.
template <placement P>
class placed_under final : public placed_blocks {
    static_assert(std::same_as<typename P::quanta, std::uint64_t>,
                  "a placement that is chosen at run time, or by name in C, has quanta of 64 bits, such as "
                  "hbm::basic_best_fit<std::uint64_t>");

public:
    explicit placed_under(const P& blocks) : blocks_(blocks) {}

    [[nodiscard]] placed_blocks* copy() const override { return new placed_under(blocks_); }
    [[nodiscard]] bool is_equal(const placed_blocks& other) const override {
        return other.type() == type() && static_cast<const placed_under&>(other).blocks_ == blocks_;
    }
    [[nodiscard]] const void* type() const noexcept override { return &number; }

    [[nodiscard]] block_map<quanta>& map() noexcept override { return blocks_.map(); }
    block_index place(const hbm::need<quanta>& n) override { return blocks_.place(n); }
    void release(block_index block) override { blocks_.release(block); }
    [[nodiscard]] hbm::need<quanta> requirement(const hbm::need<quanta>& n) const override {
        return blocks_.requirement(n);
    }
    [[nodiscard]] quanta largest_free() const override { return blocks_.largest_free(); }
    [[nodiscard]] std::uint64_t most_taken(const hbm::need<quanta>& required) const override {
        return detail::most_taken(blocks_, required);
    }
    [[nodiscard]] bool has_run_of(quanta length) const override { return detail::has_run_of(blocks_, length); }
    [[nodiscard]] lifetime expected(tag label) const noexcept override {
        return expected_under(blocks_, lifetime::unknown, label);
    }
    block_index occupy([[maybe_unused]] basic_extent<quanta> range, [[maybe_unused]] quanta granted,
                       [[maybe_unused]] quanta alignment) override {
        if constexpr (imports<P>)
            return blocks_.occupy(range, granted, alignment);
        else
            return no_block;
    }
    bool relocate([[maybe_unused]] block_index block, [[maybe_unused]] quanta to) override {
        if constexpr (relocates<P>)
            return blocks_.relocate(block, to);
        else
            return false;
    }
    bool stretch([[maybe_unused]] block_index block, [[maybe_unused]] basic_extent<quanta> range) override {
        if constexpr (stretches<P>)
            return blocks_.stretch(block, range);
        else
            return false;
    }
    void shrink([[maybe_unused]] block_index block, [[maybe_unused]] quanta granted) override {
        if constexpr (shrinks<P>) blocks_.shrink(block, granted);
    }
    bool extend([[maybe_unused]] std::uint64_t capacity) override {
        if constexpr (extends<P>)
            return blocks_.extend(capacity);
        else
            return false;
    }
    void reserve_metadata([[maybe_unused]] std::size_t blocks) override {
        if constexpr (reserves_metadata<P>) blocks_.reserve_metadata(blocks);
    }
    bool reserve([[maybe_unused]] quanta size) override {
        if constexpr (reserves<P>)
            return blocks_.reserve(size);
        else
            return false;
    }
    [[nodiscard]] quanta reserved() const noexcept override {
        if constexpr (reserves<P>)
            return blocks_.reserved();
        else
            return 0;
    }
    [[nodiscard]] quanta reservable() const noexcept override {
        if constexpr (reserves<P>)
            return blocks_.reservable();
        else
            return 0;
    }

private:
    static constexpr char number = 0;

    P blocks_;
};

/// The abilities of a placement that managers ask of its type.
struct placement_abilities {
    bool moves = false;
    bool heeds_lifetimes = false;
    bool reserves = false;
    scratch_sharing sharing = scratch_sharing::shared;
};
template <placement P>
[[nodiscard]] consteval placement_abilities abilities_of_placement() noexcept {
    placement_abilities abilities{.moves = compacts<P>, .heeds_lifetimes = heeds_lifetimes<P>};
    if constexpr (reserves<P>) {
        abilities.reserves = true;
        abilities.sharing = P::sharing;
    }
    return abilities;
}

/// Placement chosen at run time, so that managers under all placements of equal abilities have one type. A copy of any
/// placement over 64-bit quanta, to which all calls go; from a capacity alone, a kind of best fit.
/// Cost: a virtual call each, and an allocation on the host for each copy.
template <placement_abilities Abilities>
class any_placement {
    // The placements of README.md's manager and of `best_fit`.
    using usual = std::conditional_t<Abilities.reserves,
                                     bottom_reserve<compacting<basic_best_fit_lifo<std::uint64_t>>, Abilities.sharing>,
                                     basic_best_fit<std::uint64_t>>;

public:
    using quanta = std::uint64_t;
    static constexpr fixed_string name{"any_placement"};
    static constexpr quanta unlimited = ~quanta{0};
    static constexpr bool merges_neighbours = false;
    static constexpr bool may_move = Abilities.moves;
    static constexpr bool heeds_lifetimes = Abilities.heeds_lifetimes;
    static constexpr scratch_sharing sharing = Abilities.sharing;

    any_placement() : any_placement(quanta{0}) {}
    explicit any_placement(quanta capacity) : any_placement(usual(capacity)) {}
    template <class P>
    requires(!std::derived_from<P, any_placement> && placement<P>) explicit any_placement(const P& blocks)
        : any_placement(*new placed_under<P>(blocks)) {}
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
    [[nodiscard]] lifetime expected(tag label) const noexcept requires(heeds_lifetimes) {
        return blocks_->expected(label);
    }
    block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) {
        return blocks_->occupy(range, granted, alignment);
    }
    block_index occupy(basic_extent<quanta> range) { return occupy(range, range.size, 1); }
    bool relocate(block_index block, quanta to) { return blocks_->relocate(block, to); }
    bool stretch(block_index block, basic_extent<quanta> range) { return blocks_->stretch(block, range); }
    void shrink(block_index block, quanta granted) { blocks_->shrink(block, granted); }
    bool extend(std::uint64_t capacity) { return blocks_->extend(capacity); }
    void reserve_metadata(std::size_t blocks) { blocks_->reserve_metadata(blocks); }
    bool reserve(quanta size) requires(Abilities.reserves) { return blocks_->reserve(size); }
    [[nodiscard]] quanta reserved() const noexcept requires(Abilities.reserves) { return blocks_->reserved(); }
    [[nodiscard]] quanta reservable() const noexcept requires(Abilities.reserves) { return blocks_->reservable(); }

    /// A template, because the state of a manager requires a constexpr comparison.
    template <std::same_as<any_placement> Other>
    friend constexpr bool operator==(const any_placement& a, const Other& b) {
        return a.blocks_->is_equal(*b.blocks_);
    }

private:
    explicit any_placement(placed_blocks& blocks) : blocks_(&blocks), map_(&blocks.map()) {}

    placed_blocks* blocks_;
    block_map<quanta>* map_;
};

}  // namespace hbm::inline v0
