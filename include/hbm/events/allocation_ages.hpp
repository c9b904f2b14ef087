#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/events/events.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm {

/// How old a block is: how much has happened since it came to be.
struct allocation_age {
    std::uint64_t events = 0;  ///< that the observer heard
    std::uint64_t runs = 0;    ///< an output of the latest run is none old

    friend constexpr bool operator==(const allocation_age&, const allocation_age&) = default;
};

/// Knows how old each block is. An output that took an input over begins anew. What came to be before this
/// observer began to listen has no known age, nor has the reservation.
class allocation_ages {
public:
    static constexpr fixed_string name{"allocation_ages"};

    /// O(1) amortised; allocates on the host now and then.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        ++now_.events;
        now_.runs = memory.issued().number;  // a run's outputs come to be after its fence was issued
        if (e.what == event_kind::allocated || e.what == event_kind::donated) begin(e.subject);
        if (e.what == event_kind::freed || e.what == event_kind::retired) end(e.subject);
        if (e.what == event_kind::loaded || e.what == event_kind::reloaded) {
            begin(memory.programs()[e.subject].code_block);
            begin(memory.programs()[e.subject].scratch_block);
        }
    }

    /// The age of a live block; nothing if it is not known. O(1).
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

    std::vector<allocation_age>
        births_;  // by block: what had been heard when it began; no events where that is unknown
    allocation_age now_;
};

static_assert(observer<allocation_ages>);

}  // namespace hbm
