#pragma once

#include <hbm/fwd.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// The smallest hole that fits; ties go to the latest hole, and last to the hole at the top of memory. As exact as
/// `best_fit` and a quarter faster; on recorded traces they fragment memory equally, within luck.
template <class Quanta, end From>
struct basic_best_fit_lifo : fit<best_hole<Quanta, latest_first, From>> {
    using fit<best_hole<Quanta, latest_first, From>>::fit;
    static constexpr fixed_string name{"best_fit_lifo"};
};

template <class Quanta>
struct from_the_top<basic_best_fit_lifo<Quanta>> {
    using type = basic_best_fit_lifo<Quanta, end::high>;
};

/// `basic_best_fit_lifo` at the usual width: up to 2^32 - 1 quanta, 2 TiB at 512 bytes.
using best_fit_lifo = basic_best_fit_lifo<std::uint32_t>;

static_assert(placement<best_fit_lifo>);

}  // namespace hbm::inline v0
