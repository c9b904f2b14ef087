#pragma once

/// The TPU generations: usable bytes per device as the runtime reports them, and bandwidth per device (a chip of v2, v3
/// and 7x has two devices, which share its bandwidth). From the Cloud TPU documentation and published runtime logs;
/// usable sizes in GiB as printed, v4 to the byte. And named managers, which model known runtimes.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <cstdint>

namespace hbm::tpu {

namespace detail {

/// `usable` bytes rounded down to the quantum; `bandwidth` in bytes per second.
constexpr memory_spec generation(const char* name, std::uint64_t usable, std::uint64_t bandwidth) {
    return {.name = name, .capacity = usable / default_quantum * default_quantum, .bandwidth = bandwidth};
}

}  // namespace detail

/// The memory of a device of each generation.
inline constexpr memory_spec v2 = detail::generation("v2", 7.48_GiB, 360'000'000'000);
inline constexpr memory_spec v3 = detail::generation("v3", 15.48_GiB, 450'000'000'000);
inline constexpr memory_spec v4 = detail::generation("v4", 33'014'415'360, 1'230'000'000'000);
inline constexpr memory_spec v5e = detail::generation("v5e", 15.75_GiB, 819'000'000'000);
inline constexpr memory_spec v5p = detail::generation("v5p", 95.74_GiB, 2'765'000'000'000);
inline constexpr memory_spec v6e = detail::generation("v6e", 31.25_GiB, 1'640'000'000'000);
inline constexpr memory_spec v7x = detail::generation("7x", 94.7_GiB, 3'700'000'000'000);

/// All generations, oldest first.
inline constexpr memory_spec generations[] = {v2, v3, v4, v5e, v5p, v6e, v7x};

/// A manager that models what is publicly known of the XLA:TPU runtime: `hbm::tpu::runtime_memory
/// memory{hbm::tpu::v5e};`
///
/// Published: programs reserve scratch at the bottom of memory, and what is reservable is the free run above it
/// (messages of load failures); blocks may be moved against fragmentation (by default since jax 0.4.10); loaded
/// programs are evicted until a buffer fits (XLA's page on error E0100); an output takes over a donated input of its
/// size on the device (XLA's input and output aliasing). Where nothing is published, our assumptions are: a buffer goes
/// into the smallest hole that fits, at the top; programs share their scratch; the least recently used program is
/// evicted first; and relief takes the cheapest plan.
using runtime_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

}  // namespace hbm::tpu

namespace hbm {

/// A manager that models XLA's BFC allocator, the default on GPUs and a well-known baseline. Published: the rules of
/// placement (see `basic_bfc`), that blocks never move, and donation as above. In XLA, programs are not loaded into the
/// memory of this allocator; here code and scratch are placed like buffers and never evicted.
using xla_bfc = manager<bfc, never_evict, donate_same_size>;

/// A memory of `capacity` bytes for `xla_bfc`, with a quantum of 256 bytes, the smallest allocation of BFC.
[[nodiscard]] constexpr memory_spec xla_bfc_spec(std::uint64_t capacity) noexcept {
    return {.name = "xla_bfc", .capacity = capacity, .quantum = 256};
}

}  // namespace hbm
