#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm {

/// XLA's BFC allocator (best fit with coalescing), as its public source describes it (openxla/xla,
/// xla/tsl/framework/bfc_allocator.h): a baseline that people know. Bins hold the free chunks by size, then address,
/// and are searched upwards from the request's: what is found is the smallest that fits, of equals the lowest. A chunk
/// is split if it is twice as long as the request or if 2^19 quanta would be left, otherwise it is given whole. What is
/// given beyond the request is waste inside the block; it counts in the footprint, never in live bytes. A freed chunk
/// merges with free neighbours at once. The quantum there is 256 bytes: `xla_bfc_spec` has it. Not modelled: growing
/// region by region, which it does when told not to take all memory at once; `fragmentation_fraction`, which puts
/// another limit in the place of 128 MiB; and what came in 2026, two ends with a gap between them.
///
/// Our own, because BFC has no such requests: an aligned block is given what lies above its alignment gap, and a block
/// that is cut short keeps its tail as long as that is not worth a split.
template <class Quanta, end From>
struct basic_bfc : fit<best_hole<Quanta, nearest_first, From>, split_when_worthwhile> {
    using fit<best_hole<Quanta, nearest_first, From>, split_when_worthwhile>::fit;
    static constexpr fixed_string name{"bfc"};
};

template <class Quanta>
struct from_the_top<basic_bfc<Quanta>> {
    using type = basic_bfc<Quanta, end::high>;
};

/// `basic_bfc` at the usual width: up to 2^32 - 1 quanta, 1 TiB at 256 bytes.
using bfc = basic_bfc<std::uint32_t>;

static_assert(placement<bfc>);

}  // namespace hbm
