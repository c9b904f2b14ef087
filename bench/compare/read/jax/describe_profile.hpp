#pragma once
// Describes a device memory profile of JAX for --describe.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "compare/read/description.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// The samples of one kind on one device.
struct profile_group {
    std::uint64_t samples = 0;
    std::uint64_t count = 0;            ///< objects
    std::int64_t space = 0;             ///< bytes as in the file: below 0 if it states -1 for an unknown size
    std::int64_t largest_sample = 0;    ///< bytes
    std::uint64_t of_unknown_size = 0;  ///< objects whose size the file does not state
};

/// Returns the samples of a profile by kind and device. Sums saturate. Cost: O(samples log(groups)).
[[nodiscard]] std::map<std::pair<std::string_view, std::string_view>, profile_group>
groups_of(const memory_profile& profile);

/// Describes a profile. It has no arguments, outputs or temporaries, so those are null.
[[nodiscard]] reading<description> describe_profile(std::string_view text, const std::string& file);

}  // namespace hbm::imported
