#pragma once

/// Named managers, which model known runtimes.

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
