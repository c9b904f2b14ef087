#pragma once

/// Many buffers in one call.
///
///     std::array<hbm::buffer, 64> pages;
///     const std::vector<std::uint64_t> sizes(pages.size(), 2_MiB);
///     if (hbm::allocate_batch(memory, sizes, pages)) hbm::free_batch(memory, pages);
///
/// A batch is all or none. Without relief, blocks, handles and events are those of single calls in the order of its
/// items. Behind a mutex, make the call inside `with`.

#include <hbm/manager.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace hbm::inline v0 {

namespace detail {

/// The calls of a manager on batches.
template <class Manager>
class batch_calls {
    using quanta = typename Manager::quanta;
    using placement_type = typename Manager::placement_type;

public:
    constexpr explicit batch_calls(Manager& memory) : memory_(memory), state_(memory.state_) {
        memory.calling_.require_outside();
    }

    template <class Item>
    constexpr result<done> allocate(const Item* first, std::size_t count, std::span<buffer> placed) {
        static_assert(std::same_as<Item, request> || std::unsigned_integral<Item>,
                      "allocate_batch takes requests, or unsigned numbers of bytes");
        const std::span<const Item> items(first, count);
        if (placed.size() < items.size()) return refuse(placed.size(), error::bad_argument, {});
        if (!surely_fit(items)) return allocate_slow(items, placed);
        const auto place_all = [&](auto report) {
            buffer* next = placed.data();
            for (const Item& item : items) {
                const request wanted = request_of(item);
                const block_index block = memory_.place_fast(wanted.bytes, wanted.expected);
                *next++ = begin(block, wanted.label);
                report(block);
            }
        };
        if constexpr (Manager::hears)  // one executor, which keeps an exception of the observer until all is done
            memory_.with_executor(
                [&](auto& moves) { place_all([&](block_index block) { report_allocated(moves, block); }); });
        else
            place_all([](block_index) {});
        return done{};
    }

    constexpr result<done> free(std::span<const buffer> freed) {
        block_map<quanta>& map = state_.blocks.map();
        std::size_t claimed = 0;
        for (; claimed < freed.size(); ++claimed) {
            const buffer held = freed[claimed];
            if (held.salt != state_.salt || !map.is_plain(held.index, held.generation)) [[unlikely]]
                break;
            map.claim(held.index);
            prefetch(map.node(held.index).previous);
            prefetch(map.node(held.index).next);
        }
        if (Manager::hears || claimed != freed.size()) [[unlikely]]
            return free_slow(freed, claimed);
        release_all(state_, freed);
        return done{};
    }

private:
    [[nodiscard]] static constexpr request request_of(std::uint64_t bytes) noexcept { return {.bytes = bytes}; }
    [[nodiscard]] static constexpr const request& request_of(const request& item) noexcept { return item; }

    /// Returns true if all items have neither alignment nor preferred end, and one free run surely holds them.
    template <class Item>
    [[nodiscard]] constexpr bool surely_fit(std::span<const Item> items) const {
        std::uint64_t sum = 0;
        for (const Item& item : items) {
            const request wanted = request_of(item);
            const std::uint64_t last = (wanted.bytes - 1) >> state_.shift();  // as in `manager::place_fast`
            if (last >= std::numeric_limits<quanta>::max() || wanted.alignment > 1 || wanted.preferred == side::high)
                return false;
            sum = saturating_add(
                sum, most_taken(state_.blocks, {.length = static_cast<quanta>(last + 1), .expected = wanted.expected}));
        }
        return has_run_of(state_.blocks, sum);
    }

    template <class Item>
    [[gnu::cold, gnu::noinline]] constexpr result<done> allocate_slow(std::span<const Item> items,
                                                                      std::span<buffer> placed) {
        auto& parts = memory_.lists_.parts;
        parts.clear();
        for (std::uint32_t at = 0; at < items.size(); ++at) {
            const request wanted = request_of(items[at]);
            call_part<quanta> part{.output = at};
            const error why = memory_.unusable_ == error::none ? to_need(wanted, state_.spec.quantum, part.required)
                                                               : memory_.unusable_;
            if (why != error::none) return refuse(at, why, wanted);
            part.required.expected = wanted.expected;
            parts.push_back(part);
        }
        auto calls = memory_.bind_policies();
        executor<placement_type> says(state_, calls);
        const std::span<call_part<quanta>> all{parts.data(), parts.size()};
        call_outcome outcome = typename Manager::placing(state_, calls, no_index).run(all);
        if (outcome.reason != error::none) {
            const std::uint32_t at = parts[outcome.part].output;
            const request wanted = request_of(items[at]);
            outcome.figures.requested = state_.bytes(parts[outcome.part].required.length);
            outcome.figures.label = wanted.label;
            outcome.figures.alignment = wanted.alignment;
            outcome.figures.argument = at;
            return says.report_failure(outcome.reason, outcome.figures);
        }
        for (const call_part<quanta>& part : all) {
            placed[part.output] = begin(part.block, request_of(items[part.output]).label);
            report_allocated(says, part.block);
        }
        return done{};
    }

    [[gnu::cold]] constexpr failure refuse(std::size_t at, error why, const request& wanted) {
        failure refused = memory_.refuse(why, wanted.bytes, wanted.label, wanted.alignment);
        refused.argument = static_cast<std::uint32_t>(at);
        return refused;
    }
    constexpr buffer begin(block_index block, tag label) noexcept {
        block_map<quanta>& map = state_.blocks.map();
        map.set_tag(block, static_cast<std::uint32_t>(label));
        return buffer::of(block, map.generation(block), state_.salt);
    }
    static constexpr void report_allocated(executor<placement_type>& says, block_index block) {
        says.report_block(event_kind::allocated, block);
    }

    /// Frees buffers of which the first `claimed` are claimed, and some may be pinned, in use or observed.
    [[gnu::cold, gnu::noinline]] constexpr result<done> free_slow(std::span<const buffer> freed, std::size_t claimed) {
        block_map<quanta>& map = state_.blocks.map();
        for (const buffer held : freed.first(claimed)) map.unclaim(held.index);
        failure why;
        std::uint32_t at = 0;
        for (; at < freed.size() && why.reason == error::none; ++at) {
            why.reason = check_buffer(map, state_.salt, freed[at]);
            if (why.reason == error::none && map.marked(freed[at].index)) {
                why.reason = error::stale_handle;
                why.first_use = 0;
                while (!(freed[why.first_use] == freed[at])) ++why.first_use;
            }
            if (why.reason == error::none) map.mark(freed[at].index);
        }
        why.argument = at - 1;
        for (const buffer held : freed.first(why.reason == error::none ? at : at - 1)) map.unmark(held.index);
        if (why.reason != error::none) return why;
        memory_.with_executor([&](auto& moves) {
            for (const buffer held : freed) moves.end_buffer(held.index);
        });
        return done{};
    }

    /// Frees claimed buffers. Flat: the state is looked up once for all of them.
    [[gnu::flatten, gnu::noinline]] static constexpr void release_all(memory_state<placement_type>& state,
                                                                      std::span<const buffer> freed) {
        for (const buffer held : freed) state.release(held.index);
    }

    constexpr void prefetch(block_index block) noexcept {
        if (!__builtin_is_constant_evaluated()) detail::prefetch(&state_.blocks.map().node(block));
    }

    Manager& memory_;
    memory_state<placement_type>& state_;
};

}  // namespace detail

/// Allocates a buffer for each of `items` into `placed`: a vector, array or span of requests or of numbers of bytes.
/// Requires: `memory` is a manager.
/// Fails: like `manager::allocate`, with the index of the item as `argument`; `bad_argument` if `placed` is shorter.
/// Cost: O(items) and placing if one free run surely holds all; else O(blocks + programs), and relief.
template <class Memory, class Items>
constexpr result<done> allocate_batch(Memory& memory, const Items& items, std::span<buffer> placed) {
    const std::span view(items);
    return detail::batch_calls<Memory>(memory).allocate(view.data(), view.size(), placed);
}

/// Frees buffers.
/// Requires: `memory` is a manager.
/// Fails: like `manager::free`, with the index of the handle as `argument`; `stale_handle` for a handle that is listed
/// before, at the index `first_use`.
template <class Memory>
constexpr result<done> free_batch(Memory& memory, std::span<const buffer> freed) {
    return detail::batch_calls<Memory>(memory).free(freed);
}

}  // namespace hbm::inline v0
