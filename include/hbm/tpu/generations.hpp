#pragma once

/// The TPU generations: usable bytes and bandwidth per device. A chip of v2, v3 and 7x has two devices, which share its
/// bandwidth.
/// From the Cloud TPU documentation and published runtime logs; usable sizes in GiB as printed, v4 to the byte.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>

#include <cstdint>

namespace hbm::inline v0::tpu {

namespace detail {

/// Returns a spec; `usable` is rounded down to the quantum, `bandwidth` is in bytes per second.
constexpr memory_spec generation(const char* name, std::uint64_t usable, std::uint64_t bandwidth) {
    return {.name = name, .capacity = usable / default_quantum * default_quantum, .bandwidth = bandwidth};
}

}  // namespace detail

inline constexpr memory_spec v2 = detail::generation("v2", 7.48_GiB, 360'000'000'000);
inline constexpr memory_spec v3 = detail::generation("v3", 15.48_GiB, 450'000'000'000);
inline constexpr memory_spec v4 = detail::generation("v4", 33'014'415'360, 1'230'000'000'000);
inline constexpr memory_spec v5e = detail::generation("v5e", 15.75_GiB, 819'000'000'000);
inline constexpr memory_spec v5p = detail::generation("v5p", 95.74_GiB, 2'765'000'000'000);
inline constexpr memory_spec v6e = detail::generation("v6e", 31.25_GiB, 1'640'000'000'000);
inline constexpr memory_spec v7x = detail::generation("7x", 94.7_GiB, 3'700'000'000'000);

inline constexpr memory_spec generations[] = {v2, v3, v4, v5e, v5p, v6e, v7x};

}  // namespace hbm::inline v0::tpu
