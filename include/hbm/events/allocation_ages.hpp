#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

#include <cstdint>
#include <optional>

namespace hbm {

/// The age of a block: how much has happened since it was allocated.
struct allocation_age {
    std::uint64_t events = 0;  ///< how many events the observer heard since
    std::uint64_t runs = 0;    ///< how many runs began since; 0 for an output of the latest run

    friend constexpr bool operator==(const allocation_age&, const allocation_age&) = default;
};

/// An observer that knows the age of each block. An output that takes over an input starts at age 0. The age of blocks
/// that are older than the observer, and that of the reservation, is unknown.
class allocation_ages {
public:
    static constexpr fixed_string name{"allocation_ages"};

    /// Hears an event. O(1) amortised; may allocate on the host.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        ++now_.events;
        now_.runs = memory.issued().number;  // a run's outputs are allocated after its fence was issued
        if (e.what == event_kind::allocated || e.what == event_kind::donated) begin(e.subject);
        if (e.what == event_kind::freed || e.what == event_kind::retired) end(e.subject);
        if (e.what == event_kind::loaded || e.what == event_kind::reloaded) {
            begin(memory.programs()[e.subject].code_block);
            begin(memory.programs()[e.subject].scratch_block);
        }
    }

    /// The age of a live block; empty if it is unknown. O(1).
    [[nodiscard]] constexpr std::optional<allocation_age> age(block_index block) const noexcept {
        if (block >= births_.size() || births_[block].events == 0) return std::nullopt;
        return allocation_age{now_.events - births_[block].events, now_.runs - births_[block].runs};
    }

    friend constexpr bool operator==(const allocation_ages&, const allocation_ages&) = default;

private:
    constexpr void begin(block_index block) {
        if (block == no_block) return;
        if (block >= births_.size()) births_.resize(block + std::size_t{1});
        births_[block] = now_;
    }
    constexpr void end(block_index block) noexcept {
        if (block < births_.size()) births_[block] = {};
    }

    trivial_vector<allocation_age> births_;  // the value of `now_` when each block was allocated; 0 events: unknown
    allocation_age now_;
};

static_assert(observer<allocation_ages>);

}  // namespace hbm
