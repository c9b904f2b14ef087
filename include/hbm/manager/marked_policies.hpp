#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/manager/policy_interface.hpp>

#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// The policies of a call while it makes room, with its marks: the program that comes in is resident without code, and
/// arguments are pinned. Observer and device are called without the marks: they may read or copy the state.
template <class Quanta>
class marked_policies final : public policy_interface {
public:
    /// Marks the program that comes in, if any, as resident, and pins `walls`; the pins end with the object.
    /// Requires: all arguments outlive the object; `walls` lists each block once.
    [[gnu::cold, gnu::noinline]] constexpr marked_policies(block_map<Quanta>& map, program_record* incoming,
                                                           policy_interface& policies,
                                                           std::span<const block_index> walls = {})
        : policy_interface(policies), map_(map), incoming_(incoming), policies_(policies), walls_(walls) {
        mark(true);
    }
    marked_policies(const marked_policies&) = delete;
    marked_policies& operator=(const marked_policies&) = delete;
    [[gnu::cold, gnu::noinline]] constexpr ~marked_policies() {
        mark(false);
        if (incoming_ != nullptr) incoming_->resident = true;
        policies_.heard_reservation = heard_reservation;
    }

    [[gnu::cold]] constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override {
        mark(false);
        const bool copied = policies_.copy(to, from, bytes);
        mark(true);
        return copied;
    }
    [[gnu::cold]] constexpr void on(const event& occurred) override {
        mark(false);
        policies_.on(occurred);
        mark(true);
    }
    [[gnu::cold]] constexpr void add(event_kind what, block_index block, std::uint64_t before) override {
        policies_.add(what, block, before);
    }
    [[gnu::cold]] constexpr void report_retired() override {
        mark(false);
        policies_.report_retired();
        mark(true);
    }
    [[nodiscard, gnu::cold]] constexpr std::uint64_t credit(const program_record& record,
                                                            std::uint64_t now) const override {
        return policies_.credit(record, now);
    }
    [[gnu::cold]] constexpr void evicted(const program_record& record) override { policies_.evicted(record); }

private:
    [[gnu::cold, gnu::noinline]] constexpr void mark(bool on) {
        if (incoming_ != nullptr) incoming_->resident = on;
        // Pins, not holds: the last hold that ends would shrink the block.
        for (const block_index wall : walls_) on ? map_.pin(wall) : map_.unpin(wall);
    }

    block_map<Quanta>& map_;
    program_record* incoming_;  // null: none
    policy_interface& policies_;
    std::span<const block_index> walls_;
};

}  // namespace hbm::inline v0
