#pragma once

/// Comparison of two managers by the memory that a workload needs, at compile time.

#include <hbm/core/constant_search.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/heap_sort.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::inline v0 {

/// A buffer with its lifetime, in any unit of time. A buffer with `until <= from` is skipped.
struct timed_buffer {
    std::uint64_t bytes = 0;  ///< 0 occupies one quantum
    std::uint32_t from = 0;   ///< time of allocation; ties in the order of the list
    std::uint32_t until = 0;  ///< time of deallocation, before any allocation at that time
};

/// A workload of sizes and lifetimes. As a template argument it and its buffers are constants with static storage.
struct timed_workload {
    list<timed_buffer> buffers = {};
    std::uint64_t quantum = default_quantum;
};

/// The result of a workload in a memory.
struct timed_outcome {
    bool completed = false;       ///< every buffer was allocated
    std::uint64_t footprint = 0;  ///< the highest end of a block at any time, in bytes
    std::uint64_t peak_live = 0;  ///< peak of live bytes
};

namespace detail {

/// An allocation or deallocation as one number, for fast sorting: from the high bits on its time, 1 for an allocation,
/// and the buffer's index. So deallocations come first at equal times, and ties in the order of the list.
using timed_event = std::uint64_t;

inline constexpr timed_event allocates = std::uint64_t{1} << 31;

/// Returns the events of a workload of fewer than 2^31 buffers.
/// Cost: O(n log n).
[[nodiscard]] constexpr trivial_vector<timed_event> events_of(const list<timed_buffer>& buffers) {
    trivial_vector<timed_event> events;
    events.reserve(2 * buffers.size());
    for (std::uint64_t at = 0; at < buffers.size(); ++at) {
        const timed_buffer& item = buffers[at];
        if (item.until <= item.from) continue;
        // Compilers limit the steps of constant evaluation, and sorting takes most of them: one comparison of two
        // numbers takes fewer than a comparison of fields.
        events.push_back(std::uint64_t{item.until} << 32 | at);
        events.push_back(std::uint64_t{item.from} << 32 | allocates | at);
    }
    heap_sort(events, [](timed_event a, timed_event b) { return a < b; });
    return events;
}

template <class Manager>
[[nodiscard]] constexpr timed_outcome replay_events(const memory_spec& spec, const list<timed_buffer>& buffers,
                                                    const timed_event* first, const timed_event* last) {
    typename Manager::forked memory(spec);
    timed_outcome outcome;
    trivial_vector<buffer> handles;
    handles.resize_for_overwrite(buffers.size());
    for (; first != last; ++first) {
        const auto at = static_cast<std::size_t>(*first % allocates);
        if ((*first & allocates) == 0) {
            static_cast<void>(memory.free(handles[at]));
            continue;
        }
        const auto placed = memory.allocate(buffers[at].bytes);
        if (!placed) return outcome;
        handles[at] = *placed;
        if (memory.highest_end_bytes() > outcome.footprint) outcome.footprint = memory.highest_end_bytes();
    }
    outcome.completed = true;
    outcome.peak_live = memory.peak_live_bytes();
    return outcome;
}

/// The events of a workload, sorted once for all replays.
template <const timed_workload& Workload>
struct sorted_events {
    timed_event items[2 * Workload.buffers.size() + 1] = {};
    std::size_t count = 0;

    constexpr sorted_events() {
        for (const timed_event event : events_of(Workload.buffers)) items[count++] = event;
    }
};
template <const timed_workload& Workload>
inline constexpr sorted_events<Workload> events_in_order;

template <class Manager, const timed_workload& Workload>
[[nodiscard]] constexpr timed_outcome replay_sorted(const memory_spec& spec) {
    constexpr const sorted_events<Workload>& events = events_in_order<Workload>;
    return replay_events<Manager>(spec, Workload.buffers, events.items, events.items + events.count);
}

}  // namespace detail

/// Allocates and frees the buffers of a workload in a new `Manager`, up to the first that does not fit.
/// Cost: these calls, and O(n log n) for n buffers.
template <class Manager>
[[nodiscard]] constexpr timed_outcome replay_timed(const memory_spec& spec, const list<timed_buffer>& buffers) {
    const trivial_vector<detail::timed_event> events = detail::events_of(buffers);
    return detail::replay_events<Manager>(spec, buffers, events.begin(), events.end());
}

/// The figure that `better_of` compares.
enum class needed : std::uint8_t {
    capacity,   ///< the smallest capacity found in which the workload completes
    footprint,  ///< the highest end of a block with unlimited capacity; undefined if blocks come from the top
};

namespace detail {

template <class Manager, const timed_workload& Workload>
struct capacity_trial {
    template <std::uint64_t Capacity>
    static constexpr bool
        good = replay_sorted<Manager, Workload>({.capacity = Capacity, .quantum = Workload.quantum}).completed;
};

}  // namespace detail

/// Returns the bytes that a workload needs under a manager, or the largest number if no capacity suffices or the figure
/// is undefined. With the returned capacity the workload completes, with a quantum less it does not. Some managers
/// complete in a smaller capacity but fail in a larger one, so it need not be the least.
/// Cost: one replay for the footprint; two for the capacity, or about 30 if it exceeds the peak of live bytes.
template <class Manager, const timed_workload& Workload, needed What = needed::capacity>
[[nodiscard]] consteval std::uint64_t bytes_needed() {
    // The replay without a limit tells both what the footprint is and what the peak of live bytes is. No capacity below
    // the peak can do, so the search begins there; for most workloads that is already the answer.
    constexpr memory_spec unlimited = Manager::unlimited(Workload.quantum);
    constexpr timed_outcome free_of_limits = detail::replay_sorted<Manager, Workload>(unlimited);
    if constexpr (!free_of_limits.completed) {
        return detail::no_good_number;
    } else if constexpr (What == needed::footprint) {
        return free_of_limits.footprint >= unlimited.capacity ? detail::no_good_number : free_of_limits.footprint;
    } else {
        return detail::constant_search<detail::capacity_trial<Manager, Workload>, free_of_limits.peak_live,
                                       Workload.quantum>::found();
    }
}

/// The manager, `A` or `B`, that needs less memory for a workload; ties go to `A`.
///
///     inline constexpr hbm::timed_buffer layers[] = {{4_KiB, 0, 3}, {2_KiB, 1, 2}};
///     inline constexpr hbm::timed_workload training{.buffers = layers};
///     using chosen = hbm::better_of<hbm::manager<hbm::best_fit>, hbm::manager<hbm::bfc>, training>;
///
/// Default limits of constant evaluation suffice for 400 buffers in g++ 12, for 300 in clang; `fits` names the flags.
/// Cost: `bytes_needed` for both.
template <class A, class B, const timed_workload& Workload, needed What = needed::capacity>
using better_of = std::conditional_t<(bytes_needed<B, Workload, What>() < bytes_needed<A, Workload, What>()), B, A>;

}  // namespace hbm::inline v0
