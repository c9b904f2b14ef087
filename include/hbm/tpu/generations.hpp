#pragma once

/// The TPU generations: usable bytes, quantum and bandwidth per device. A chip of v2, v3 and 7x has two devices, which
/// share its bandwidth.
///
/// | generation | capacity | quantum |
/// |---|---|---|
/// | v6e, v5p | measured: the limit that the runtime's profile states | measured: 128 bytes, 903 of 903 sizes |
/// | v5e | measured: the limit in printed memory statistics | not measured |
/// | v4 | to the byte, from published statistics | not measured |
/// | v2, v3, 7x | GiB as printed in messages | not measured |
///
/// Where the quantum is not measured it is 512 bytes, of which published statistics are multiples. Bandwidths are from
/// the Cloud TPU documentation.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>

#include <cstdint>

namespace hbm::inline v0::tpu {

namespace detail {

/// The quantum of v5p and v6e, in bytes.
inline constexpr std::uint64_t measured_quantum = 128;

/// Returns a spec; `usable` bytes are rounded down to the quantum, `bandwidth` is in bytes per second.
constexpr memory_spec generation(const char* name, std::uint64_t usable, std::uint64_t bandwidth,
                                 std::uint64_t quantum = default_quantum) {
    return {.name = name, .capacity = usable / quantum * quantum, .quantum = quantum, .bandwidth = bandwidth};
}

}  // namespace detail

inline constexpr memory_spec v2 = detail::generation("v2", 7.48_GiB, 360'000'000'000);
inline constexpr memory_spec v3 = detail::generation("v3", 15.48_GiB, 450'000'000'000);
inline constexpr memory_spec v4 = detail::generation("v4", 33'014'415'360, 1'230'000'000'000);
inline constexpr memory_spec v5e = detail::generation("v5e", 16'909'332'480, 819'000'000'000);
inline constexpr memory_spec v5p =
    detail::generation("v5p", 102'803'439'616, 2'765'000'000'000, detail::measured_quantum);
inline constexpr memory_spec v6e =
    detail::generation("v6e", 33'550'237'696, 1'640'000'000'000, detail::measured_quantum);
inline constexpr memory_spec v7x = detail::generation("7x", 94.7_GiB, 3'700'000'000'000);

inline constexpr memory_spec generations[] = {v2, v3, v4, v5e, v5p, v6e, v7x};

}  // namespace hbm::inline v0::tpu
