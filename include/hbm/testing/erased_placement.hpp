#pragma once

#include <hbm/manager/call_parts.hpp>
#include <hbm/placement/placement.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A placement of any type over these quanta. Each function is that of the contract in placement.hpp.
/// Without the ability, `occupy`, `relocate`, `stretch`, `extend` and `reserve` fail, and `shrink` and
/// `reserve_metadata` do nothing.
///
/// The suite is then compiled once for a width, not once for each placement: a further placement costs half a second
/// instead of several.
template <class Quanta>
class erased_placement {
public:
    using quanta = Quanta;

    erased_placement() = default;
    erased_placement(const erased_placement&) = delete;
    erased_placement& operator=(const erased_placement&) = delete;
    virtual ~erased_placement() = default;

    /// Returns a copy, to be deleted by the caller.
    [[nodiscard]] virtual erased_placement* copy() const = 0;
    /// Returns true if `other` has an equal placement of the same type.
    [[nodiscard]] virtual bool is_equal(const erased_placement& other) const = 0;

    [[nodiscard]] virtual block_map<quanta>& map() noexcept = 0;
    virtual block_index place(const hbm::need<quanta>& n) = 0;
    virtual void release(block_index block) = 0;
    [[nodiscard]] virtual hbm::need<quanta> requirement(const hbm::need<quanta>& n) const = 0;
    [[nodiscard]] virtual quanta largest_free() const = 0;
    [[nodiscard]] virtual std::uint64_t most_taken(const hbm::need<quanta>& required) const = 0;
    [[nodiscard]] virtual bool has_run_of(quanta length) const = 0;
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

/// Placement `P` as `erased_placement`.
template <placement P>
class erased_placement_of final : public erased_placement<typename P::quanta> {
public:
    using quanta = typename P::quanta;

    explicit erased_placement_of(const P& blocks) : blocks_(blocks) {}

    [[nodiscard]] erased_placement<quanta>* copy() const override { return new erased_placement_of(blocks_); }
    [[nodiscard]] bool is_equal(const erased_placement<quanta>& other) const override {
        // Without RTTI: the address of a static member is different for each type.
        return other.type() == &number && static_cast<const erased_placement_of&>(other).blocks_ == blocks_;
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
    block_index occupy([[maybe_unused]] basic_extent<quanta> range, [[maybe_unused]] quanta granted,
                       [[maybe_unused]] quanta alignment) override {
        // A placement may import with a granted size and an alignment, or a plain range; the suite uses the wider form
        // if there is one.
        if constexpr (requires { blocks_.occupy(range, granted, alignment); })
            return blocks_.occupy(range, granted, alignment);
        else if constexpr (imports<P>)
            return blocks_.occupy(range);
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

}  // namespace hbm::inline v0
