#pragma once

/// Makes a plan for a sequence of requests that is known.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/find_steps.hpp>
#include <hbm/pack/known_sequence.hpp>
#include <hbm/pack/pack.hpp>
#include <hbm/pack/plan_neighbours.hpp>
#include <hbm/pack/plan_tables.hpp>
#include <hbm/pack/staying_blocks.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/sequence_plan.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

namespace plan_detail {

/// Makes a plan: steps with the same events are the same step; the blocks that outlive steps have their places; and the
/// others of each step are packed around those. Of two steps that begin in the same way, the beginning of the lower one
/// lies where that of the higher one lies, because a program that begins so may turn out to be either.
class planner_of_sequence {
public:
    constexpr planner_of_sequence(const known_sequence& all, const pack::effort& effort)
        : all_(all), effort_(effort), cuts_(cuts_of(all)), staying_(all, cuts_) {}

    [[nodiscard]] constexpr sequence_plan run() {
        for (std::size_t part = 0; part + 1 < cuts_.size(); ++part) describe(part);
        find_alike();
        note_live_at_begin();
        make_table(plan_.beginnings, plan_.events.size());
        for (const std::uint32_t step : by_peak()) pack(step);
        note_places();
        note_lower(plan_, all_, cuts_, staying_);
        make_tables(plan_);
        return plan_;
    }

private:
    /// What is known of a step besides the plan.
    struct source {
        std::uint32_t begin = 0;      // its first event in the sequence
        std::uint64_t hash = 0;       // of all its events
        std::uint64_t structure = 0;  // the same, sizes aside
        std::uint64_t peak = 0;
    };

    [[nodiscard]] static constexpr trivial_vector<std::uint32_t> cuts_of(const known_sequence& all) {
        trivial_vector<std::uint32_t> cuts{0};
        for (const std::uint32_t begin : find_steps(all))
            if (begin != 0) cuts.push_back(begin);
        // What comes after the last whole step is as the beginning of another; without steps all is a single step.
        if (cuts.size() == 1) cuts.push_back(static_cast<std::uint32_t>(all.count()));
        return cuts;
    }
    [[nodiscard]] static constexpr std::uint64_t chained(std::uint64_t hash, std::uint64_t bits) noexcept {
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
        return (hash ^ (hash >> 29U)) * 0xbf58476d1ce4e5b9;
    }

    /// Adds the step of a part of the sequence to the plan, unless it is there.
    constexpr void describe(std::size_t part) {
        const std::uint32_t begin = cuts_[part];
        const std::uint32_t end = cuts_[part + 1];
        source made{begin, 1, 1, 0};
        trivial_vector<plan_event> events;
        for (std::uint32_t at = begin; at < end; ++at) {
            events.push_back(event_of(at, begin, end));
            const plan_event& added = events.back();
            const std::uint32_t request = all_.events()[at].request;
            const std::uint64_t links = (added.is_free() ? 2U : 1U) + (std::uint64_t{added.partner} << 2U);
            made.structure = chained(made.structure, links);
            made.hash = chained(chained(made.hash, links), added.what);
            if (added.stays()) made.hash = chained(made.hash, where_it_stays(request));
        }
        // Places that are kept from the middle of this step on, or from a later one, are still free here.
        for (const staying_blocks::place& place : staying_.places())
            made.hash = chained(made.hash, place.since < begin ? 0 : place.since < end ? place.since - begin + 1 : 1);
        std::uint32_t step = 0;
        while (step < sources_.size() && sources_[step].hash != made.hash) ++step;
        if (!plan_.order.empty()) plan_.steps[plan_.order.back()].next = step;
        plan_.order.push_back(step);
        if (step < sources_.size()) return;
        const auto first = static_cast<std::uint32_t>(plan_.events.size());
        for (plan_event& added : events) {
            if (added.partner != no_event) added.partner += first;
            plan_.events.push_back(added);
        }
        sources_.push_back(made);
        plan_.steps.push_back({first, first + end - begin, 0, step, step, 1});
    }
    [[nodiscard]] constexpr plan_event event_of(std::uint32_t at, std::uint32_t begin,
                                                std::uint32_t end) const noexcept {
        const known_sequence::life& life = all_.life_at(at);
        plan_event made{.what = life.size};
        if (all_.events()[at].is_free) {
            made.what |= plan_event::free_bit;
            if (life.begin >= begin) made.partner = life.begin - begin;
        } else if (staying_.stays(all_.events()[at].request)) {
            made.what |= plan_event::stays_bit;
        } else if (life.end < end) {
            made.partner = life.end - begin;
        }
        return made;
    }
    [[nodiscard]] constexpr std::uint64_t where_it_stays(std::uint32_t request) const noexcept {
        const std::uint32_t kind = staying_.kind(request);
        return kind == staying_blocks::none ? staying_.offset(request) : (std::uint64_t{1} << 32U) + kind;
    }

    /// Links steps that are alike but for sizes into rings.
    constexpr void find_alike() {
        for (std::uint32_t step = 1; step < sources_.size(); ++step) {
            std::uint32_t other = 0;
            while (other < step && sources_[other].structure != sources_[step].structure) ++other;
            if (other == step) continue;
            plan_.steps[step].alike = plan_.steps[other].alike;
            plan_.steps[other].alike = step;
            ++plan_.steps[other].likes;
        }
        for (std::uint32_t step = 0; step < sources_.size(); ++step)
            for (std::uint32_t other = plan_.steps[step].alike; other > step; other = plan_.steps[other].alike)
                if (plan_.steps[other].likes < plan_.steps[step].likes)
                    plan_.steps[other].likes = plan_.steps[step].likes;
    }

    /// What is live where each step begins, and its peak.
    constexpr void note_live_at_begin() {
        std::uint64_t live = 0;
        std::uint32_t at = 0;
        for (std::uint32_t step = 0; step < sources_.size(); ++step) {
            const std::uint32_t begin = sources_[step].begin;
            const std::uint32_t end = begin + plan_.steps[step].end - plan_.steps[step].first;
            for (; at < end; ++at) {
                live += all_.events()[at].is_free ? std::uint64_t{0} - all_.size_at(at) : all_.size_at(at);
                if (at >= begin && live > sources_[step].peak) sources_[step].peak = live;
            }
        }
    }
    [[nodiscard]] constexpr trivial_vector<std::uint32_t> by_peak() const {
        trivial_vector<std::uint32_t> steps;
        for (std::uint32_t step = 0; step < sources_.size(); ++step) steps.push_back(step);
        heap_sort(steps, [&](std::uint32_t a, std::uint32_t b) {
            return sources_[a].peak != sources_[b].peak ? sources_[a].peak > sources_[b].peak : a < b;
        });
        return steps;
    }

    /// Packs the blocks of a step that end in it around those that stay.
    constexpr void pack(std::uint32_t step) {
        const std::uint32_t first = plan_.steps[step].first;
        trivial_vector<pack::block> blocks;
        trivial_vector<std::uint32_t> events;
        const std::size_t around = add_staying(step, blocks);
        for (std::uint32_t at = first; at < plan_.steps[step].end; ++at) {
            const plan_event& event = plan_.events[at];
            if (event.is_free() || event.stays()) continue;
            const std::uint32_t end = event.partner == no_event ? plan_.steps[step].end : event.partner;
            blocks.push_back({at - first, end - first, event.size()});
            events.push_back(at);
        }
        trivial_vector<pack::block> fixed = blocks;
        pack::packing packed;
        if (fix_beginning(step, events, fixed.data() + around)) packed = pack_step(fixed);
        if (packed.offsets.empty()) packed = pack_step(blocks);
        for (std::size_t at = 0; at < events.size() && !packed.offsets.empty(); ++at)
            plan_.events[events[at]].offset = static_cast<std::uint32_t>(packed.offsets[around + at]);
        plan_.steps[step].height = static_cast<std::uint32_t>(packed.bytes);
        if (plan_.steps[step].height > plan_.height) plan_.height = plan_.steps[step].height;
        enter_beginnings(step);
    }
    /// A step that ends no higher than another does not make the plan higher: a sixteenth of the effort is spent on it.
    [[nodiscard]] constexpr pack::packing pack_step(std::span<const pack::block> blocks) const {
        if (plan_.height == 0) return pack::pack_into_least(blocks, effort_);
        pack::packing packed = pack::pack_into_least(blocks, {effort_.max_steps / 16, effort_.max_looks / 16});
        if (packed.offsets.empty() || packed.bytes <= plan_.height) return packed;
        return pack::pack_into_least(blocks, {effort_.max_steps, effort_.max_looks, plan_.height});
    }
    /// Blocks that stay, each for as long as it is there in this step, and places that are kept.
    constexpr std::size_t add_staying(std::uint32_t step, trivial_vector<pack::block>& blocks) const {
        const std::uint32_t begin = sources_[step].begin;
        const std::uint32_t end = begin + plan_.steps[step].end - plan_.steps[step].first;
        for (std::uint32_t request = 0; request < all_.lives().size(); ++request) {
            const known_sequence::life& life = all_.lives()[request];
            if (life.begin >= end) break;
            if (!staying_.stays(request) || life.end <= begin || staying_.rotating(request) != staying_blocks::none)
                continue;
            const std::uint32_t from = life.begin > begin ? life.begin - begin : 0;
            const std::uint32_t to = life.end < end ? life.end - begin : end - begin;
            blocks.push_back({from, to, life.size, 1, staying_.offset(request)});
        }
        for (const staying_blocks::recurring& kind : staying_.kinds()) {
            if (kind.places < 2) continue;
            for (std::uint32_t at = kind.first_place; at != staying_blocks::none; at = staying_.places()[at].next) {
                const staying_blocks::place& place = staying_.places()[at];
                if (place.since < end)
                    blocks.push_back(
                        {place.since > begin ? place.since - begin : 0, end - begin, kind.size, 1, place.offset});
            }
        }
        return blocks.size();
    }
    /// Gives blocks the places that they have in a higher step which begins in the same way; false if there is none.
    constexpr bool fix_beginning(std::uint32_t step, const trivial_vector<std::uint32_t>& events,
                                 pack::block* blocks) const {
        std::size_t fixed = 0;
        std::uint32_t prefix = no_prefix;
        for (std::uint32_t at = plan_.steps[step].first; at < plan_.steps[step].end; ++at) {
            prefix = after(step, at, prefix);
            const std::uint32_t known =
                plan_view::find(plan_.beginnings.data(), static_cast<std::uint32_t>(plan_.beginnings.size()), prefix);
            if (known == no_event) break;
            if (fixed == events.size() || events[fixed] != at) continue;
            if (plan_.events[known].is_free() || plan_.events[known].stays()) break;
            blocks[fixed++].offset = plan_.events[known].offset;
        }
        return fixed != 0;
    }
    constexpr void enter_beginnings(std::uint32_t step) {
        std::uint32_t prefix = no_prefix;
        for (std::uint32_t at = plan_.steps[step].first; at < plan_.steps[step].end; ++at)
            enter(plan_.beginnings, prefix = after(step, at, prefix), at);
    }
    [[nodiscard]] constexpr std::uint32_t after(std::uint32_t step, std::uint32_t at,
                                                std::uint32_t prefix) const noexcept {
        return plan_detail::after(prefix, plan_.events[at], plan_.steps[step].first);
    }

    /// Writes down where blocks stay, and further places for them.
    constexpr void note_places() {
        for (const staying_blocks::place& place : staying_.places()) plan_.places.push_back({place.offset, place.next});
        for (std::uint32_t step = 0; step < sources_.size(); ++step)
            for (std::uint32_t at = plan_.steps[step].first; at < plan_.steps[step].end; ++at) {
                plan_event& event = plan_.events[at];
                if (event.is_free() || !event.stays()) continue;
                const std::uint32_t request =
                    all_.events()[sources_[step].begin + at - plan_.steps[step].first].request;
                event.offset = staying_.offset(request);
                if (const std::uint32_t kind = staying_.rotating(request); kind != staying_blocks::none)
                    event.partner = staying_.kinds()[kind].first_place;
            }
    }

    const known_sequence& all_;
    pack::effort effort_;
    trivial_vector<std::uint32_t> cuts_;
    staying_blocks staying_;
    trivial_vector<source> sources_;  // by step
    sequence_plan plan_;
};

}  // namespace plan_detail

namespace plan_detail {

/// The footprint of best fit without a plan. O(1) an event on average.
[[nodiscard]] constexpr std::uint32_t footprint_without(const known_sequence& all) {
    best_fit memory(best_fit::unlimited);
    trivial_vector<block_index> blocks(all.lives().size(), no_block);
    std::uint32_t highest = 0;
    for (const known_sequence::event& each : all.events()) {
        if (each.is_free) {
            memory.release(blocks[each.request]);
            continue;
        }
        const block_index block = memory.place({.length = all.lives()[each.request].size});
        blocks[each.request] = block;
        if (block != no_block && memory.map().end(block) > highest) highest = memory.map().end(block);
    }
    return highest;
}

}  // namespace plan_detail

/// What `plan_for` spends on packing a step: up to some seconds. Less does not pay: with a fortieth of the looks the
/// recorded trace lstm_lm needs 1.32 times its peak instead of 1.15.
inline constexpr pack::effort plan_effort{.max_steps = 20'000};

/// A plan for a sequence: its steps are found, what outlives them has its places, and each step is packed around that,
/// with at most so much effort for each (see `pack::pack_into_least`). No block overlaps another
/// while the sequence is followed. Where best fit needs less than the plan there is no plan: it is empty.
/// Deterministic. O(n log n), the packing, and O(steps x requests). Takes memory from the host.
[[nodiscard]] constexpr sequence_plan plan_for(const known_sequence& all,
                                               const pack::effort& for_each_step = plan_effort) {
    if (all.count() == 0) return {};
    sequence_plan made = plan_detail::planner_of_sequence(all, for_each_step).run();
    if (made.height > plan_detail::footprint_without(all)) return {};
    return made;
}

}  // namespace hbm
