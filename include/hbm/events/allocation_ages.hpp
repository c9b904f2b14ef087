#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The age of a block.
struct allocation_age {
    std::uint64_t events = 0;  ///< events observed since the allocation
    std::uint64_t runs = 0;    ///< runs begun since; 0 for an output of the latest run

    friend constexpr bool operator==(const allocation_age&, const allocation_age&) = default;
};

/// An observer of the age of each block, in 16 to 32 bytes a block. An output that takes over an input starts at age 0.
/// The ages of the reservation and of blocks that are older than the observer are unknown.
class allocation_ages {
public:
    static constexpr fixed_string name{"allocation_ages"};

    /// Cost: O(1) amortised; O(runs in flight) for the first event after a new fence. May allocate on the host.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        // Blocks come and go in events, but their ages are kept by the number of their node, since a block keeps that
        // when it moves. So a move costs nothing here, and a number that is used again begins anew.
        ++now_.events;
        if (memory.issued() != newest_) {
            newest_ = memory.issued();
            now_.runs += is_of_run(e, memory);  // a run issues its fence before it allocates its outputs
        }
        if (e.what == event_kind::allocated || e.what == event_kind::donated) begin(e.subject);
        if (e.what == event_kind::freed || e.what == event_kind::retired) end(e.subject);
        // The reservation may reuse the index of an earlier block.
        if (e.what == event_kind::reserved) end(memory.map().reservation());
        if (e.what == event_kind::loaded || e.what == event_kind::reloaded) {
            begin(memory.programs()[e.subject].code_block);
            begin(memory.programs()[e.subject].scratch_block);
        }
    }

    /// Returns the age of a live block that is not the target of a move; empty if it is unknown.
    [[nodiscard]] constexpr std::optional<allocation_age> age(block_index block) const noexcept {
        const std::uint32_t at = number_of(block);
        if (at >= births_.size() || births_[at].events == 0) return std::nullopt;
        return allocation_age{now_.events - births_[at].events, now_.runs - births_[at].runs};
    }

    friend constexpr bool operator==(const allocation_ages&, const allocation_ages&) = default;

private:
    /// Returns true if the newest fence is that of a run, not of other work. `e` is the first event after it.
    template <class Memory>
    [[nodiscard]] static constexpr bool is_of_run(const event& e, const Memory& memory) noexcept {
        const auto flights = memory.flights();
        for (std::size_t at = flights.size(); at-- > 0;)
            if (flights[at].over == memory.issued()) return flights[at].slot != no_index;
        return e.what != event_kind::reached;  // a run that is over at once has no flight, but has `ran` before
    }
    constexpr void begin(block_index block) {
        if (block == no_block) return;
        if (number_of(block) >= births_.size()) births_.resize(number_of(block) + std::size_t{1});
        births_[number_of(block)] = now_;
    }
    constexpr void end(block_index block) noexcept {
        if (number_of(block) < births_.size()) births_[number_of(block)] = {};
    }
    [[nodiscard]] static constexpr std::uint32_t number_of(block_index block) noexcept {
        return block_map<std::uint32_t>::number_of(block);
    }

    trivial_vector<allocation_age> births_;  // `now_` at the allocation of each block; 0 events: unknown
    allocation_age now_;
    fence newest_;  // newest fence at the latest event
};

static_assert(observer<allocation_ages>);

}  // namespace hbm::inline v0
