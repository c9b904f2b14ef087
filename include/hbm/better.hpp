#pragma once

/// Comparison of two managers by the memory that a workload needs, at compile time.

#include <hbm/core/constant_search.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm {

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

/// Allocates and frees the buffers of a workload in a new `Manager`, up to the first that does not fit.
/// Cost: these calls, and O(buffers) for each distinct time.
template <class Manager>
[[nodiscard]] constexpr timed_outcome replay_timed(const memory_spec& spec, const list<timed_buffer>& buffers) {
    typename Manager::forked memory(spec);
    timed_outcome outcome;
    trivial_vector<buffer> handles;
    handles.resize_for_overwrite(buffers.size());
    std::uint64_t now = 0;
    for (bool more = true; more;) {
        more = false;
        std::uint64_t next = ~std::uint64_t{0};
        const auto later = [&](std::uint64_t time) {
            if (time > now && time < next) next = time;
        };
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].until <= buffers[i].from) continue;
            if (buffers[i].until == now) static_cast<void>(memory.free(handles[i]));
            later(buffers[i].from);
            later(buffers[i].until);
        }
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].from != now || buffers[i].until <= buffers[i].from) continue;
            const auto placed = memory.allocate(buffers[i].bytes);
            if (!placed) return outcome;
            handles[i] = *placed;
            if (memory.highest_end_bytes() > outcome.footprint) outcome.footprint = memory.highest_end_bytes();
        }
        if (next != ~std::uint64_t{0}) {
            now = next;
            more = true;
        }
    }
    outcome.completed = true;
    outcome.peak_live = memory.peak_live_bytes();
    return outcome;
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
        good = replay_timed<Manager>({.capacity = Capacity, .quantum = Workload.quantum}, Workload.buffers).completed;
};

}  // namespace detail

/// Returns the bytes that a workload needs under a manager, or the largest number if no capacity suffices or the figure
/// is undefined. With the returned capacity the workload completes, with a quantum less it does not. Some managers
/// complete in a smaller capacity but fail in a larger one, so it need not be the least.
/// Cost: one replay for the footprint; two for the capacity, or about 30 if it exceeds the peak of live bytes.
template <class Manager, const timed_workload& Workload, needed What = needed::capacity>
[[nodiscard]] consteval std::uint64_t bytes_needed() {
    constexpr memory_spec unlimited = Manager::unlimited(Workload.quantum);
    constexpr timed_outcome free_of_limits = replay_timed<Manager>(unlimited, Workload.buffers);
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
/// Cost: `bytes_needed` for both.
template <class A, class B, const timed_workload& Workload, needed What = needed::capacity>
using better_of = std::conditional_t<(bytes_needed<B, Workload, What>() < bytes_needed<A, Workload, What>()), B, A>;

}  // namespace hbm
