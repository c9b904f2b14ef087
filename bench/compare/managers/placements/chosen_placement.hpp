#pragma once

/// Placement chosen at run time, so that managers under all shipped placements have one type.

#include <hbm/manager/call_parts.hpp>
#include <hbm/placement/placement.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "compare/managers/explained.hpp"

namespace hbm::compare {

/// Placement of any type over 64-bit quanta. Its functions are those of the contract in `placement.hpp`; a placement
/// without an ability has a reservation of 0 and expects unknown lifetimes.
class placed_blocks {
public:
    using quanta = std::uint64_t;

    placed_blocks() = default;
    placed_blocks(const placed_blocks&) = delete;
    placed_blocks& operator=(const placed_blocks&) = delete;
    virtual ~placed_blocks() = default;

    [[nodiscard]] virtual std::unique_ptr<placed_blocks> copy() const = 0;
    /// Returns the blocks under the placement that explains failures: see `explained`.
    [[nodiscard]] virtual std::unique_ptr<placed_blocks> copy_to_explain() const = 0;
    /// Returns true if `other` has an equal placement of the same type.
    [[nodiscard]] virtual bool is_equal(const placed_blocks& other) const = 0;

    [[nodiscard]] virtual block_map<quanta>& map() noexcept = 0;
    virtual block_index place(const hbm::need<quanta>& n) = 0;
    virtual void release(block_index block) = 0;
    [[nodiscard]] virtual hbm::need<quanta> requirement(const hbm::need<quanta>& n) const = 0;
    [[nodiscard]] virtual quanta largest_free() const = 0;
    [[nodiscard]] virtual std::uint64_t most_taken(const hbm::need<quanta>& required) const = 0;
    [[nodiscard]] virtual bool has_hole_for(quanta length) const = 0;
    [[nodiscard]] virtual lifetime expected(tag label) const noexcept = 0;
    virtual block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) = 0;
    virtual bool stretch(block_index block, basic_extent<quanta> range) = 0;
    virtual void shrink(block_index block, quanta granted) = 0;
    virtual bool extend(std::uint64_t capacity) = 0;
    virtual void reserve_metadata(std::size_t blocks) = 0;
    virtual bool reserve(quanta size) = 0;
    [[nodiscard]] virtual quanta reserved() const noexcept = 0;
    [[nodiscard]] virtual quanta reservable() const noexcept = 0;
};

/// Placement `P` as `placed_blocks`.
template <placement P>
class placed_under final : public placed_blocks {
public:
    explicit placed_under(P blocks) : blocks_(std::move(blocks)) {}

    [[nodiscard]] std::unique_ptr<placed_blocks> copy() const override {
        return std::make_unique<placed_under>(blocks_);
    }
    [[nodiscard]] std::unique_ptr<placed_blocks> copy_to_explain() const override {
        using explaining = typename detail::explained<P>::type;
        return std::make_unique<placed_under<explaining>>(explaining(blocks_));
    }
    [[nodiscard]] bool is_equal(const placed_blocks& other) const override {
        const auto* same = dynamic_cast<const placed_under*>(&other);
        return same != nullptr && blocks_ == same->blocks_;
    }

    [[nodiscard]] block_map<quanta>& map() noexcept override { return blocks_.map(); }
    block_index place(const hbm::need<quanta>& n) override { return blocks_.place(n); }
    void release(block_index block) override { blocks_.release(block); }
    [[nodiscard]] hbm::need<quanta> requirement(const hbm::need<quanta>& n) const override {
        return blocks_.requirement(n);
    }
    [[nodiscard]] quanta largest_free() const override { return blocks_.largest_free(); }
    [[nodiscard]] std::uint64_t most_taken(const hbm::need<quanta>& required) const override {
        return hbm::detail::most_taken(blocks_, required);
    }
    [[nodiscard]] bool has_hole_for(quanta length) const override { return blocks_.has_hole_for(length); }
    [[nodiscard]] lifetime expected(tag label) const noexcept override {
        return expected_under(blocks_, lifetime::unknown, label);
    }
    block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) override {
        return blocks_.occupy(range, granted, alignment);
    }
    bool stretch(block_index block, basic_extent<quanta> range) override { return blocks_.stretch(block, range); }
    void shrink(block_index block, quanta granted) override { blocks_.shrink(block, granted); }
    bool extend(std::uint64_t capacity) override { return blocks_.extend(capacity); }
    void reserve_metadata(std::size_t blocks) override { blocks_.reserve_metadata(blocks); }
    bool reserve(quanta size) override {
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
    P blocks_;
};

/// Placement chosen at run time; by default best fit. It has the permission to move: relief policies decide.
class chosen_placement {
public:
    using quanta = std::uint64_t;
    static constexpr fixed_string name{"chosen_placement"};
    static constexpr quanta unlimited = ~quanta{0};
    static constexpr bool merges_neighbours = false;
    static constexpr bool may_move = true;
    static constexpr bool heeds_lifetimes = true;

    chosen_placement() : chosen_placement(quanta{0}) {}
    explicit chosen_placement(quanta capacity);
    explicit chosen_placement(std::unique_ptr<placed_blocks> blocks)
        : blocks_(std::move(blocks)), map_(&blocks_->map()) {}
    template <class P>
    requires(!std::derived_from<P, chosen_placement> && placement<P>) explicit chosen_placement(const P& blocks)
        : chosen_placement(std::make_unique<placed_under<P>>(blocks)) {}
    chosen_placement(const chosen_placement& other) : chosen_placement(other.blocks_->copy()) {}
    chosen_placement(chosen_placement&&) noexcept = default;
    chosen_placement& operator=(const chosen_placement& other) { return *this = chosen_placement(other); }
    chosen_placement& operator=(chosen_placement&&) noexcept = default;
    ~chosen_placement() = default;

    [[nodiscard]] block_map<quanta>& map() noexcept { return *map_; }
    [[nodiscard]] const block_map<quanta>& map() const noexcept { return *map_; }
    block_index place(const hbm::need<quanta>& n) { return blocks_->place(n); }
    void release(block_index block) { blocks_->release(block); }
    [[nodiscard]] hbm::need<quanta> requirement(const hbm::need<quanta>& n) const { return blocks_->requirement(n); }
    [[nodiscard]] quanta largest_free() const { return blocks_->largest_free(); }
    [[nodiscard]] std::uint64_t most_taken(const hbm::need<quanta>& required) const {
        return blocks_->most_taken(required);
    }
    [[nodiscard]] bool has_hole_for(quanta length) const { return blocks_->has_hole_for(length); }
    [[nodiscard]] lifetime expected(tag label) const noexcept { return blocks_->expected(label); }
    block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) {
        return blocks_->occupy(range, granted, alignment);
    }
    block_index occupy(basic_extent<quanta> range) { return occupy(range, range.size, 1); }
    bool relocate(block_index block, quanta to) {
        return to == align_down(to, map_->alignment(block)) && stretch(block, {to, map_->size(block)});
    }
    bool stretch(block_index block, basic_extent<quanta> range) { return blocks_->stretch(block, range); }
    void shrink(block_index block, quanta granted) { blocks_->shrink(block, granted); }
    bool extend(std::uint64_t capacity) { return blocks_->extend(capacity); }
    void reserve_metadata(std::size_t blocks) { blocks_->reserve_metadata(blocks); }

    [[nodiscard]] std::unique_ptr<placed_blocks> copy_to_explain() const { return blocks_->copy_to_explain(); }

    /// A template, because the state of a manager requires a constexpr comparison.
    template <std::derived_from<chosen_placement> P>
    friend constexpr bool operator==(const P& a, const P& b) {
        return a.blocks_->is_equal(*b.blocks_);
    }

protected:
    [[nodiscard]] placed_blocks& blocks() noexcept { return *blocks_; }
    [[nodiscard]] const placed_blocks& blocks() const noexcept { return *blocks_; }

private:
    std::unique_ptr<placed_blocks> blocks_;
    block_map<quanta>* map_;
};

/// Placement chosen at run time that reserves scratch at the bottom.
class chosen_reserving : public chosen_placement {
public:
    static constexpr scratch_sharing sharing = scratch_sharing::shared;

    using chosen_placement::chosen_placement;

    bool reserve(quanta size) { return blocks().reserve(size); }
    [[nodiscard]] quanta reserved() const noexcept { return blocks().reserved(); }
    [[nodiscard]] quanta reservable() const noexcept { return blocks().reservable(); }
};

static_assert(placement<chosen_placement> && !reserves<chosen_placement> && reserves<chosen_reserving>);

/// Placement that explains failures under `Chosen`, with the blocks of another placement in place.
template <class Chosen>
class explained_under : public Chosen {
public:
    using Chosen::Chosen;
    explicit explained_under(const Chosen& other) : Chosen(other.copy_to_explain()) {}
    template <class P>
    requires(!std::derived_from<P, chosen_placement> && placement<P>) explicit explained_under(const P& other)
        : Chosen(typename detail::explained<P>::type(other)) {}
};

}  // namespace hbm::compare
