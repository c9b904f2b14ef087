#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// XLA's BFC allocator (best fit with coalescing) after its public source (openxla/xla,
/// xla/tsl/framework/bfc_allocator.h), as a familiar baseline. Bins hold the free chunks by size and address; the
/// search takes the smallest chunk that fits, of equal chunks the lowest. A chunk is split if it is at least twice as
/// long as the request or if at least 2^19 quanta would remain, otherwise it is used whole. The excess counts as memory
/// in use, not as requested bytes. Freed chunks merge at once. For its quantum of 256 bytes see `xla_bfc_spec`. Not
/// modelled: growth by regions, `fragmentation_fraction`, and the two ends of memory introduced in 2026.
///
/// Extensions, since BFC has no such requests: an aligned block begins at the first aligned offset of its chunk and
/// leaves the gap below it free, and a shortened block gives its tail back only if the rule above would split it off.
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

}  // namespace hbm::inline v0
