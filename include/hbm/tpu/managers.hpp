#pragma once

#include <hbm/core/memory_spec.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <cstdint>

namespace hbm::inline v0::tpu {

/// A model of the XLA:TPU runtime, as far as it is public: `hbm::tpu::runtime_memory memory{hbm::tpu::v5e};`
///
/// Published: programs reserve scratch at the bottom of memory; the free run above is reservable (messages of load
/// failures). Blocks may be moved against fragmentation (by default since jax 0.4.10). Loaded programs are evicted
/// until a buffer fits (XLA's page on error E0100).
/// An output takes over a donated input of its size on the device (XLA's input and output aliasing).
///
/// Assumed: a buffer takes the high end of the smallest hole that fits, of equal holes the latest. Programs share their
/// scratch. The least recently used program is evicted first. Relief takes the cheapest plan.
///
/// The latest of equal holes is faster than the lowest, and needs as much memory: on 21 recorded traces and the
/// generated workloads they differ by less than luck (bench/RESULTS.md, "Luck, and the ties of best fit").
using runtime_memory = manager<bottom_reserve<compacting<best_fit_lifo>>, evict_lru, donate_same_size>;

}  // namespace hbm::inline v0::tpu

namespace hbm::inline v0 {

/// A model of XLA's BFC allocator, the default on GPUs. Published: its placement (see `basic_bfc`), no moves, and
/// donation.
/// In XLA, programs are not loaded into its memory; here code and scratch are placed like buffers, and never evicted.
using xla_bfc = manager<bfc, never_evict, donate_same_size>;

/// Returns a memory of `capacity` bytes for `xla_bfc`. The quantum of 256 bytes is the smallest allocation of BFC.
[[nodiscard]] constexpr memory_spec xla_bfc_spec(std::uint64_t capacity) noexcept {
    return {.name = "xla_bfc", .capacity = capacity, .quantum = 256};
}

}  // namespace hbm::inline v0
