#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/index/good_hole.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// Placement in a hole of about the size, found in O(1) as in TLSF; unlike TLSF, it fails only if no hole fits.
template <class Quanta, end From>
struct basic_good_fit : fit<good_hole<Quanta, From>> {
    using fit<good_hole<Quanta, From>>::fit;
    static constexpr fixed_string name{"good_fit"};
};

template <class Quanta>
struct from_the_top<basic_good_fit<Quanta>> {
    using type = basic_good_fit<Quanta, end::high>;
};

/// `basic_good_fit` at the usual width: up to 2^32 - 1 quanta, 2 TiB at 512 bytes.
using good_fit = basic_good_fit<std::uint32_t>;

static_assert(placement<good_fit>);

}  // namespace hbm::inline v0
