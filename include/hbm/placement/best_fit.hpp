#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// The smallest hole that fits, ties to the lowest offset: exact. For the cost of searches and updates see `best_hole`.
template <class Quanta, end From>
struct basic_best_fit : fit<best_hole<Quanta, nearest_first, From>> {
    using fit<best_hole<Quanta, nearest_first, From>>::fit;
    static constexpr fixed_string name{"best_fit"};
};

template <class Quanta>
struct from_the_top<basic_best_fit<Quanta>> {
    using type = basic_best_fit<Quanta, end::high>;
};

/// `basic_best_fit` at the usual width: up to 2^32 - 1 quanta, 2 TiB at 512 bytes.
using best_fit = basic_best_fit<std::uint32_t>;

static_assert(placement<best_fit>);

}  // namespace hbm::inline v0
