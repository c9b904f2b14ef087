#pragma once

#include <hbm/core/specs.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// A stream of a manager with `streams<P, N>`: 0 to N - 1. Work on one stream is done in order. Work on several streams
/// is done at once, unless `wait` orders it.
struct stream {
    std::uint32_t number = 0;

    friend constexpr bool operator==(const stream&, const stream&) = default;
};

/// Work of the user's own, such as a transfer or a collective, which holds buffers until it is over.
/// Requires: the list lives as long as the spec. In a variable, use vectors or arrays, never braces.
struct work_spec {
    stream on = {};
    list<buffer> uses = {};  ///< buffers that are read or written; one may be listed several times
    std::uint64_t us = 0;    ///< duration in microseconds: the price of waiting for the work once it has begun
};

}  // namespace hbm::inline v0
