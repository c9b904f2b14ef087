#pragma once

#include <hbm/events/observers.hpp>
#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/manager.hpp>
#include <hbm/planning/relief.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

/// Builds the dump of a memory; used once. It looks at the memory in passes, one for each part of the dump. Blocks are
/// sorted as indices, and only those that are shown are described.
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
        look_at_tags();
        look_at_programs();
        look_at_frees();
        look_at_runs();
        const totals& so_far = memory_.done_so_far();
        dumped_.donations = {.offered = so_far.donations_offered,
                             .taken = so_far.donations_taken,
                             .kept = so_far.donations_kept,
                             .not_taken = so_far.donations_offered - so_far.donations_kept - so_far.donations_taken};
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

    /// Draws the map and lists blocks, walls and holes, all in one walk. Holes that touch are one: a placement may keep
    /// them apart, but a request that is placed by hand may use both.
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
        const auto where_is = [&](block_index block) { return memory_.where(block); };
        const auto described = [&](block_index block) { return describe(block); };
        dumped_.map = drawn.cells();
        dumped_.allocations = shown(blocks, where_is, described);
        dumped_.walls = shown(walls, where_is, described);
        dumped_.holes = shown(
            holes, [](const hole& gap) { return gap.where; },
            [&](const hole& gap) {
                dumped_hole result{.where = gap.where};
                if (gap.below != no_block) result.below = describe(gap.below);
                if (gap.above != no_block) result.above = describe(gap.above);
                return result;
            });
    }

    /// Adds up the buffers of each tag (label of the user), and the code of all programs.
    void look_at_tags() {
        std::map<std::size_t, dumped_tag> all;  // 0: programs; else a tag has its number plus 1
        for (block_index block = map_.first(); block != no_block; block = map_.next(block)) {
            const block_kind kind = map_.kind(block);
            const bool is_buffer = kind == block_kind::data || kind == block_kind::deferred;
            if (!is_buffer && kind != block_kind::code) continue;
            const std::size_t number = is_buffer ? std::size_t{map_.owner(block)} + 1 : 0;
            const auto [entry, is_new] = all.try_emplace(number);
            dumped_tag& its = entry->second;
            if (is_new) begin_tag(its, number);
            its.bytes += memory_.where(block).size;
            ++its.blocks;
            std::optional<std::uint64_t> age;
            if (facts_.growth != nullptr) age = facts_.growth->age(block);
            if (!age && facts_.ages != nullptr)
                if (const std::optional<allocation_age> known = facts_.ages->age(block)) age = known->runs;
            if (age) its.oldest_steps = std::max(its.oldest_steps.value_or(0), *age);
        }
        std::vector<dumped_tag> tags;
        for (auto& [number, its] : all) tags.push_back(std::move(its));
        dumped_.tags = shown_tags(std::move(tags), options_.most);
    }
    void begin_tag(dumped_tag& its, std::size_t number) const {
        its.is_programs = number == 0;
        const auto label = static_cast<tag>(number - 1);
        if (!its.is_programs) its.name = memory_.name_of(label);
        // The observer follows so many tags; those from there on share an entry, of which it cannot be said.
        if (facts_.growth == nullptr || number >= facts_.growth->tally().most_tags()) return;
        const auto& grows = (its.is_programs ? facts_.growth->programs() : (*facts_.growth)[label]).series.growing();
        its.micro_bytes_a_step = grows ? grows->micro_bytes_a_step() : 0;
        its.since_step = grows ? grows->since : 0;
    }

    void look_at_programs() {
        const std::span<const program_record> programs = memory_.programs();
        std::vector<std::uint32_t> slots;
        std::uint64_t now = 0;
        for (std::uint32_t slot = 0; slot < programs.size(); ++slot) {
            if (programs[slot].generation % 2 == 0) continue;  // an empty slot
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
            dumped_.pending_frees.items.push_back(describe(waiting.block));
            dumped_block& described = dumped_.pending_frees.items.back();
            described.until = std::max(described.until, waiting.until);
        }
    }

    void look_at_runs() {
        const std::span<const flight> flights = memory_.flights();
        dumped_.runs.count = flights.size();
        for (const flight& run : flights.first(std::min(flights.size(), options_.most)))
            dumped_.runs.items.push_back({.name = run.slot == no_index
                                                      ? "work of your own"
                                                      : memory_.name_of(memory_.programs()[run.slot].label),
                                          .over = run.over,
                                          .holds = run.holds,
                                          .nanoseconds = run.nanoseconds});
    }

    [[nodiscard]] bool is_moving(block_index block) const noexcept { return memory_.moving().block == block; }
    [[nodiscard]] bool can_move(block_index block) const noexcept {
        const block_kind kind = map_.kind(block);
        return kind != block_kind::reservation && kind != block_kind::deferred && !map_.is_held(block) &&
               !is_moving(block);
    }
    [[nodiscard]] char cell(block_index block) const {
        const block_kind kind = map_.kind(block);
        if (kind == block_kind::hole) return map_cell::hole;
        if (kind == block_kind::reservation) return map_cell::reservation;
        if (kind == block_kind::deferred) return map_cell::freed;
        if (!can_move(block)) return map_cell::wall;
        return kind == block_kind::data ? map_cell::buffer : map_cell::program;
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

}  // namespace detail

/// Returns the dump of `memory`, which has just returned `why`.
/// The message has the figures at the moment of failure, which may include parts of the failed call.
/// All else is as it is after the call, which has removed those parts.
/// Cost: O(blocks log shown + programs log programs + holds).
template <placement Placement, eviction Eviction, donation Donation, relief Relief, device Device, observer Events>
[[nodiscard]] allocation_dump dump(const manager<Placement, Eviction, Donation, Relief, Device, Events>& memory,
                                   const failure& why, const dump_options& options = {}) {
    constexpr bool can_relieve = !std::same_as<Relief, never_relieve>;
    const detail::manager_facts facts{.name = memory.name.c_str(),
                                      .blocks_move = compacts<Placement> && can_relieve,
                                      .programs_leave = evicts<Eviction> && can_relieve,
                                      .ages = observer_in<allocation_ages>(memory.events()),
                                      .growth = observer_in<growth_by_tag>(memory.events()),
                                      .refused = &memory.refused()};
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
