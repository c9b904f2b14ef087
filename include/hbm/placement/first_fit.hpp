#pragma once

#include <hbm/index/first_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm {

/// The lowest offset that fits. Searches and updates in O(log n).
template <class Quanta>
struct basic_first_fit : fit<first_hole<Quanta>> {
    using fit<first_hole<Quanta>>::fit;
    static constexpr fixed_string name{"first_fit"};
};

/// `basic_first_fit` at the usual width: up to 2^32 - 1 quanta, 2 TiB at 512 bytes.
using first_fit = basic_first_fit<std::uint32_t>;

static_assert(placement<first_fit> && placement<basic_first_fit<std::uint64_t>>);

}  // namespace hbm
