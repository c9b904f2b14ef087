#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/first_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// The lowest offset that fits.
/// Cost: O(log n) for searches and updates.
template <class Quanta, end From>
struct basic_first_fit : fit<first_hole<Quanta, From>> {
    using fit<first_hole<Quanta, From>>::fit;
    static constexpr fixed_string name{"first_fit"};
};

template <class Quanta>
struct from_the_top<basic_first_fit<Quanta>> {
    using type = basic_first_fit<Quanta, end::high>;
};

/// `basic_first_fit` at the usual width: up to 2^32 - 1 quanta, 2 TiB at 512 bytes.
using first_fit = basic_first_fit<std::uint32_t>;

static_assert(placement<first_fit>);

}  // namespace hbm::inline v0
