#pragma once

#include <hbm/core/memory_spec.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <cstdint>

namespace hbm::inline v0::tpu {

/// A model of the XLA:TPU runtime: `hbm::tpu::runtime_memory memory{hbm::tpu::v6e};`
///
/// Measured, on two public profiles of v6e and v5p (examples/guide/measured_tpu.md): a block takes the high end of the
/// smallest hole that fits, of equal holes the highest; the hole at the reservation is the last choice; sizes are
/// rounded up to 128 bytes: 903 of 903 blocks. Programs share their scratch, which is the largest of the loaded
/// programs (2 devices), reserved when a program is loaded, before its code is placed (8 loads).
///
/// Published: programs reserve scratch at the bottom of memory; the free run above is reservable (messages of load
/// failures). Blocks may be moved against fragmentation (by default since jax 0.4.10). Loaded programs are evicted
/// until a buffer fits (XLA's page on error E0100). An output takes over a donated input of its size on the device
/// (XLA's input and output aliasing).
///
/// Assumed: the least recently used program is evicted first. Relief takes the cheapest plan.
///
/// Seen and not modelled: The outputs of a first run are placed before its program is loaded (418 outputs). Unloading a
/// program does not shrink the reservation; a defragmentation did. At most 32 runs are in flight on a device. The one
/// eviction that was recorded took all idle programs.
using runtime_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

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
