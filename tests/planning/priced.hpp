#pragma once

/// A device whose prices can be added up in the head.

#include <hbm/core/memory_spec.hpp>

namespace hbm::test {

constexpr std::uint64_t q = 512;

/// A copy costs a microsecond, and two more for each quantum.
constexpr memory_spec priced(std::uint64_t quanta) {
    return {.name = "priced", .capacity = quanta * q, .bandwidth = 512'000'000, .copy_nanoseconds = 1000};
}

}  // namespace hbm::test
