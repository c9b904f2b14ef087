#pragma once

#include <hbm/events/observers.hpp>
#include <hbm/explain/dump_tags.hpp>
#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/manager.hpp>
#include <hbm/relief/never_relieve.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

struct dump_options {
    std::size_t most = 10;        ///< limit of the items shown of each list
    failure_place place = {};     ///< place of the failure, for its message
    bool programs_leave = false;  ///< programs count as evictable even if the manager never evicts
    bool blocks_stay = false;     ///< the manager's relief policy moves no blocks, although its placement permits it
};

namespace detail {

/// Facts that a memory view lacks.
struct manager_facts {
    const char* name = "";
    bool blocks_move = false;
    bool programs_leave = false;
    const allocation_ages* ages = nullptr;
    const growth_by_tag* growth = nullptr;
    const failed_run* refused = nullptr;
};

/// Builds the dump of a memory; used once.
template <class Quanta>
class dump_maker {
public:
    dump_maker(const memory_view<Quanta>& memory, const memory_records& records, const manager_facts& facts,
               const dump_options& options)
        : memory_(memory), records_(records), map_(memory.map()), facts_(facts), options_(options) {
        dumped_.blocks_move = facts.blocks_move && !options.blocks_stay;
        dumped_.programs_leave = options.programs_leave || facts.programs_leave;
    }

    allocation_dump make(const failure& why) {
        note_runs();
        dumped_.why = why;
        dumped_.name = memory_.name_of(why.label);
        dumped_.message = message(why, dumped_.name, options_.place);
        dumped_.device = memory_.spec().name == nullptr ? "" : memory_.spec().name;
        dumped_.manager = facts_.name;
        dumped_.quantum = memory_.spec().quantum;
        dumped_.ledger = ledger_of(memory_, why, facts_.refused);
        dumped_.managed = memory_.capacity_bytes();
        dumped_.reserved = memory_.reserved_bytes();
        dumped_.reservable = memory_.reservable_bytes();
        look_at_blocks();
        dumped_.tags = tags_of(memory_, facts_.ages, facts_.growth, options_.most);
        look_at_programs();
        look_at_frees();
        look_at_runs();
        look_at_donations();
        return std::move(dumped_);
    }

private:
    struct hole {
        extent where;
        block_index below = no_block;
        block_index above = no_block;
    };

    /// The runs in flight that hold a block.
    struct runs_of_block {
        std::uint32_t count = 0;
        fence last = {};
    };
    void note_runs() {
        runs_.resize(map_.nodes());
        std::size_t at = 0;
        for (const flight& run : memory_.flights())
            for (std::uint32_t i = 0; i < run.holds; ++i) {
                runs_of_block& holding = runs_[map_.number_of(records_.held[at++])];
                ++holding.count;
                holding.last = run.over;
            }
    }
    [[nodiscard]] const runs_of_block& runs_of(block_index block) const { return runs_[map_.number_of(block)]; }

    void look_at_blocks() {
        memory_map drawn{memory_.capacity_bytes()};
        std::vector<block_index> blocks;
        std::vector<block_index> walls;
        std::vector<hole> holes;
        block_index before = no_block;
        bool in_hole = false;
        for (block_index block = map_.first(); block != no_block; block = map_.next(block)) {
            const extent where = memory_.where(block);
            const block_kind kind = map_.kind(block);
            drawn.draw(cell(block), where);
            if (kind == block_kind::hole) {
                if (!in_hole) holes.push_back({{where.offset, 0}, before, no_block});
                holes.back().where.size += where.size;
                in_hole = true;
                continue;
            }
            if (in_hole) holes.back().above = block;
            in_hole = false;
            before = block;
            if (kind != block_kind::reservation) blocks.push_back(block);
            if (!can_move(block)) walls.push_back(block);
        }
        dumped_.map = drawn.cells();
        dumped_.allocations = largest_of(blocks);
        dumped_.walls = largest_of(walls);
        dumped_.holes = shown(
            holes, [](const hole& gap) { return gap.where; },
            [&](const hole& gap) {
                dumped_hole described{.where = gap.where};
                if (gap.below != no_block) described.below = describe(gap.below);
                if (gap.above != no_block) described.above = describe(gap.above);
                return described;
            });
    }

    void look_at_programs() {
        const std::span<const program_record> programs = memory_.programs();
        std::vector<std::uint32_t> slots;
        std::uint64_t now = 0;
        for (std::uint32_t slot = 0; slot < programs.size(); ++slot) {
            if (programs[slot].generation % 2 == 0) continue;
            slots.push_back(slot);
            now = std::max(now, programs[slot].last_use);
            dumped_.programs.bytes += programs[slot].code;
        }
        std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair{!programs[a].resident, programs[a].last_use} <
                   std::pair{!programs[b].resident, programs[b].last_use};
        });
        dumped_.programs.count = slots.size();
        slots.resize(std::min(slots.size(), options_.most));
        for (const std::uint32_t slot : slots) {
            const program_record& record = programs[slot];
            dumped_.programs.items.push_back({.name = memory_.name_of(record.label),
                                              .loaded = record.resident,
                                              .running = record.resident && runs_of(record.code_block).count != 0,
                                              .idle = now - record.last_use,
                                              .uses = record.uses,
                                              .code = record.code,
                                              .scratch = record.scratch,
                                              .spilled = record.spilled,
                                              .reload_nanoseconds = record.reload_nanoseconds});
        }
    }

    void look_at_frees() {
        for (const deferred_free& waiting : records_.deferred) {
            ++dumped_.pending_frees.count;
            dumped_.pending_frees.bytes += memory_.where(waiting.block).size;
            if (dumped_.pending_frees.items.size() == options_.most) continue;
            dumped_block described = describe(waiting.block);
            described.until = std::max(described.until, waiting.until);
            dumped_.pending_frees.items.push_back(described);
        }
    }

    void look_at_runs() {
        const std::span<const flight> flights = memory_.flights();
        dumped_.runs.count = flights.size();
        for (const flight& run : flights.first(std::min(flights.size(), options_.most)))
            dumped_.runs.items.push_back(
                {.name = run.slot == no_index ? texts::own_work : memory_.name_of(memory_.programs()[run.slot].label),
                 .over = run.over,
                 .holds = run.holds,
                 .nanoseconds = run.nanoseconds});
    }

    void look_at_donations() {
        const totals& so_far = memory_.done_so_far();
        dumped_.donations = {.offered = so_far.donations_offered,
                             .taken = so_far.donations_taken,
                             .kept = so_far.donations_kept,
                             .not_taken = so_far.donations_offered - so_far.donations_kept - so_far.donations_taken};
    }

    [[nodiscard]] bool is_moving(block_index block) const noexcept { return memory_.moving().block == block; }
    [[nodiscard]] bool can_move(block_index block) const noexcept {
        const block_kind kind = map_.kind(block);
        return kind != block_kind::reservation && kind != block_kind::deferred && !map_.is_held(block) &&
               !is_moving(block);
    }
    [[nodiscard]] char cell(block_index block) const {
        if (map_.kind(block) == block_kind::hole) return map_cell::hole;
        if (map_.kind(block) == block_kind::reservation) return map_cell::reservation;
        if (map_.kind(block) == block_kind::deferred) return map_cell::freed;
        if (map_.is_held(block) || is_moving(block)) return map_cell::wall;
        return map_.kind(block) == block_kind::data ? map_cell::buffer : map_cell::program;
    }

    [[nodiscard]] dumped_block describe(block_index block) const {
        const block_kind kind = map_.kind(block);
        const bool of_program = kind == block_kind::code || kind == block_kind::scratch;
        const std::uint32_t owner = map_.owner(block);
        dumped_block described{.kind = kind,
                               .where = memory_.where(block),
                               .pins = map_.pins(block),
                               .runs = runs_of(block).count,
                               .until = runs_of(block).last,
                               .wall = !can_move(block),
                               .half_moved = is_moving(block)};
        if (!dumped_.blocks_move && !(of_program && dumped_.programs_leave)) described.wall = true;
        if (kind != block_kind::reservation)
            described.name = memory_.name_of(of_program ? memory_.programs()[owner].label : static_cast<tag>(owner));
        if (facts_.ages != nullptr) described.age = facts_.ages->age(block);
        return described;
    }

    [[nodiscard]] shown_items<dumped_block> largest_of(std::vector<block_index>& blocks) const {
        return shown(
            blocks, [&](block_index block) { return memory_.where(block); },
            [&](block_index block) { return describe(block); });
    }

    /// Returns the largest items; ties go to the lower address.
    template <class Item, class Where, class Describe>
    [[nodiscard]] auto shown(std::vector<Item>& items, Where where, Describe describe_item) const {
        shown_items<decltype(describe_item(items.front()))> list;
        list.count = items.size();
        for (const Item& item : items) list.bytes += where(item).size;
        const std::size_t most = std::min(items.size(), options_.most);
        std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(),
                          [&](const Item& a, const Item& b) {
                              return where(a).size != where(b).size ? where(a).size > where(b).size
                                                                    : where(a).offset < where(b).offset;
                          });
        for (std::size_t at = 0; at < most; ++at) list.items.push_back(describe_item(items[at]));
        return list;
    }

    const memory_view<Quanta>& memory_;
    const memory_records& records_;
    const block_map<Quanta>& map_;
    const manager_facts& facts_;
    dump_options options_;
    std::vector<runs_of_block> runs_;  // by number of the block
    allocation_dump dumped_;
};

template <placement Placement, eviction Eviction, donation Donation, relief Relief, device Device, observer Events>
[[nodiscard]] manager_facts facts_of(const manager<Placement, Eviction, Donation, Relief, Device, Events>& memory) {
    using memory_type = manager<Placement, Eviction, Donation, Relief, Device, Events>;
    constexpr bool can_relieve = !std::same_as<Relief, never_relieve>;
    return {.name = memory_type::name.c_str(),
            .blocks_move = compacts<Placement> && can_relieve,
            .programs_leave = evicts<Eviction> && can_relieve,
            .ages = observer_in<allocation_ages>(memory.events()),
            .growth = observer_in<growth_by_tag>(memory.events()),
            .refused = &memory.refused()};
}

}  // namespace detail

/// Returns the dump of `memory`, which has just returned `why`.
/// The message has the figures at the moment of failure, which may include parts of the failed call.
/// All else is as it is after the call, which has removed those parts.
/// Cost: O(blocks log shown + programs log programs + holds).
template <placement Placement, eviction Eviction, donation Donation, relief Relief, device Device, observer Events>
[[nodiscard]] allocation_dump dump(const manager<Placement, Eviction, Donation, Relief, Device, Events>& memory,
                                   const failure& why, const dump_options& options = {}) {
    const detail::manager_facts facts = detail::facts_of(memory);
    const memory_view<typename Placement::quanta> seen = memory.view();
    return detail::dump_maker(seen, memory.state(), facts, options).make(why);
}

/// Returns the dump of the memory of a `memory_set` that has just failed; its message names the kind.
/// Requires: the failure names a kind.
template <class Set>
[[nodiscard]] allocation_dump dump(const Set& memories, const typename Set::failure_type& failed,
                                   dump_options options = {}) {
    options.place.device = failed.kind;
    return memories.visit(*Set::kind::named(failed.kind),
                          [&](const auto& memory) { return dump(memory, failed.why, options); });
}

}  // namespace hbm::inline v0
