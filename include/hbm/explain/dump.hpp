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

/// Builds the dump of a memory; used once. It looks at the memory in passes, one for each part of the dump. Blocks are
/// sorted as indices, and only those that are shown are described.
template <class Quanta>
class dump_maker {
public:
    dump_maker(const memory_view<Quanta>& memory, const memory_records& records, std::size_t most,
               const allocation_ages* ages, const growth_by_tag* growth, allocation_dump& into)
        : memory_(memory), records_(records), map_(memory.map()), most_(most), ages_(ages), growth_(growth),
          dumped_(into) {}

    void make() {
        dumped_.device = memory_.spec().name == nullptr ? "" : memory_.spec().name;
        dumped_.quantum = memory_.spec().quantum;
        dumped_.managed = memory_.capacity_bytes();
        dumped_.reserved = memory_.reserved_bytes();
        dumped_.reservable = memory_.reservable_bytes();
        note_runs();
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
    }

private:
    struct hole {
        extent where;
        block_index below = no_block;
        block_index above = no_block;
    };

    /// Notes the last run in flight that holds each block: the lists of all runs stand one after another in `held`, and
    /// later runs have later fences.
    void note_runs() {
        last_runs_.resize(map_.nodes());
        std::size_t at = 0;
        for (const flight& run : memory_.flights())
            for (std::uint32_t i = 0; i < run.holds; ++i) last_runs_[map_.number_of(records_.held[at++])] = run.over;
    }

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
            if (growth_ != nullptr) age = growth_->age(block);
            if (!age && ages_ != nullptr)
                if (const std::optional<allocation_age> known = ages_->age(block)) age = known->runs;
            if (age) its.oldest_steps = std::max(its.oldest_steps.value_or(0), *age);
        }
        std::vector<dumped_tag> tags;
        for (auto& [number, its] : all) tags.push_back(std::move(its));
        dumped_.tags = shown_tags(std::move(tags), most_);
    }
    void begin_tag(dumped_tag& its, std::size_t number) const {
        // Programs have number 0, and tags follow: so one map holds both, and the code of programs competes with
        // buffers for the list.
        its.is_programs = number == 0;
        const auto label = static_cast<tag>(number - 1);
        if (!its.is_programs) its.name = memory_.name_of(label);
        // The observer follows so many tags; those from there on share an entry, of which it cannot be said.
        if (growth_ == nullptr || number >= growth_->tally().most_tags()) return;
        const auto& grows = (its.is_programs ? growth_->programs() : (*growth_)[label]).series.growing();
        its.micro_bytes_a_step = grows ? grows->micro_bytes_a_step() : 0;
        its.since_step = grows ? grows->since : 0;
    }

    void look_at_programs() {
        // The idle time of a program is counted in calls, not in seconds: the manager has no clock. `last_use` is the
        // tick of its latest call, and the newest of these is now. Loaded programs come first, least recently used
        // first: the order in which they would be evicted by age.
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
        slots.resize(std::min(slots.size(), most_));
        for (const std::uint32_t slot : slots) {
            const program_record& record = programs[slot];
            dumped_.programs.items.push_back({.name = memory_.name_of(record.label),
                                              .loaded = record.resident,
                                              .running = record.resident && map_.holds(record.code_block) != 0,
                                              .idle = now - record.last_use,
                                              .uses = record.uses,
                                              .code = record.code,
                                              .scratch = record.scratch,
                                              .spilled = record.spilled,
                                              .reload_nanoseconds = record.reload_nanoseconds});
        }
    }

    void look_at_frees() {
        // A free waits for the fence that its caller gave, or for the last run that holds the block, whichever is
        // later.
        for (const deferred_free& waiting : records_.deferred) {
            ++dumped_.pending_frees.count;
            dumped_.pending_frees.bytes += memory_.where(waiting.block).size;
            if (dumped_.pending_frees.items.size() == most_) continue;
            dumped_.pending_frees.items.push_back(describe(waiting.block));
            dumped_block& described = dumped_.pending_frees.items.back();
            described.until = std::max(described.until, waiting.until);
        }
    }

    void look_at_runs() {
        const std::span<const flight> flights = memory_.flights();
        dumped_.runs.count = flights.size();
        for (const flight& run : flights.first(std::min(flights.size(), most_)))
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
        // A wall is drawn as a wall, not as what it is: a reader of the map looks for what splits the memory.
        const block_kind kind = map_.kind(block);
        if (kind == block_kind::hole) return map_cell::hole;
        if (kind == block_kind::reservation) return map_cell::reservation;
        if (kind == block_kind::deferred) return map_cell::freed;
        if (!can_move(block)) return map_cell::wall;
        return kind == block_kind::data ? map_cell::buffer : map_cell::program;
    }

    [[nodiscard]] dumped_block describe(block_index block) const {
        // A wall by state is one that is pinned, held or half moved. Under a manager that moves nothing, every block is
        // one, except what can be evicted.
        const block_kind kind = map_.kind(block);
        const bool of_program = kind == block_kind::code || kind == block_kind::scratch;
        const std::uint32_t owner = map_.owner(block);
        dumped_block described{.kind = kind,
                               .where = memory_.where(block),
                               .pins = map_.pins(block),
                               .runs = map_.holds(block),
                               .until = last_runs_[map_.number_of(block)],
                               .wall = !can_move(block),
                               .half_moved = is_moving(block)};
        if (!dumped_.blocks_move && !(of_program && dumped_.programs_leave)) described.wall = true;
        if (kind != block_kind::reservation)
            described.name = memory_.name_of(of_program ? memory_.programs()[owner].label : static_cast<tag>(owner));
        if (ages_ != nullptr) described.age = ages_->age(block);
        return described;
    }

    /// Returns the largest items; ties go to the lower address.
    template <class Item, class Where, class Describe>
    [[nodiscard]] auto shown(std::vector<Item>& items, Where where, Describe describe_item) const {
        // Only the items shown are sorted, and only they are described: a memory may have a hundred thousand blocks,
        // and a description allocates a name. The total counts all of them.
        shown_items<decltype(describe_item(items.front()))> list;
        list.count = items.size();
        for (const Item& item : items) list.bytes += where(item).size;
        const std::size_t most = std::min(items.size(), most_);
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
    std::size_t most_;
    const allocation_ages* ages_;
    const growth_by_tag* growth_;
    std::vector<fence> last_runs_;  // by number of the block
    allocation_dump& dumped_;
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
    allocation_dump dumped{.why = why, .name = memory.name_of(why.label), .manager = memory.name.c_str()};
    dumped.message = message(why, dumped.name, options.place);
    dumped.ledger = ledger_of(memory, why);
    dumped.blocks_move = compacts<Placement> && can_relieve && !options.blocks_stay;
    dumped.programs_leave = (evicts<Eviction> && can_relieve) || options.programs_leave;
    const memory_view<typename Placement::quanta> seen = memory.view();
    detail::dump_maker(seen, memory.state(), options.most, observer_in<allocation_ages>(memory.events()),
                       observer_in<growth_by_tag>(memory.events()), dumped)
        .make();
    return dumped;
}

}  // namespace hbm::inline v0
