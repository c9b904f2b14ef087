#pragma once

#include <hbm/manager/policy_interface.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// The policies of a call while it makes room, and the marks of the call in the state: the program that comes in is
/// resident without code, and arguments are pinned. Observer and device are called without marks: they may read or
/// copy the state.
template <placement P>
class marked_policies final : public policy_interface {
public:
    /// Marks the program in `slot`, if any, as resident, and pins `walls`; the pins end with the object.
    /// Requires: `walls` outlives the object, and lists each block once.
    [[gnu::cold]] constexpr marked_policies(memory_state<P>& state, policy_interface& policies, std::uint32_t slot,
                                            std::span<const block_index> walls = {})
        : policy_interface(policies), state_(state), policies_(policies), walls_(walls), slot_(slot) {
        mark();
    }
    marked_policies(const marked_policies&) = delete;
    marked_policies& operator=(const marked_policies&) = delete;
    [[gnu::cold]] constexpr ~marked_policies() {
        unpin();
        policies_.heard_reservation = heard_reservation;
    }

    [[gnu::cold]] constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override {
        unmark();
        const bool copied = policies_.copy(to, from, bytes);
        mark();
        return copied;
    }
    [[gnu::cold]] constexpr void on(const event& occurred) override {
        unmark();
        policies_.on(occurred);
        mark();
    }
    [[gnu::cold]] constexpr void add(event_kind what, block_index block, std::uint64_t before) override {
        policies_.add(what, block, before);
    }
    [[gnu::cold]] constexpr void report_retired() override {
        unmark();
        policies_.report_retired();
        mark();
    }
    [[nodiscard, gnu::cold]] constexpr std::uint64_t credit(const program_record& record,
                                                            std::uint64_t now) const override {
        return policies_.credit(record, now);
    }
    [[gnu::cold]] constexpr void evicted(const program_record& record) override { policies_.evicted(record); }

private:
    constexpr void mark() {
        if (slot_ != no_index) state_.programs[slot_].resident = true;
        // Pins, not holds: the last hold that ends would shrink the block.
        for (const block_index wall : walls_) state_.blocks.map().pin(wall);
    }
    constexpr void unmark() {
        if (slot_ != no_index) state_.programs[slot_].resident = false;
        unpin();
    }
    constexpr void unpin() {
        for (const block_index wall : walls_) state_.blocks.map().unpin(wall);
    }

    memory_state<P>& state_;
    policy_interface& policies_;
    std::span<const block_index> walls_;
    std::uint32_t slot_;
};

}  // namespace hbm::inline v0
