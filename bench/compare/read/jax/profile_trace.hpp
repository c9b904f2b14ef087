#pragma once
// A device memory profile as a trace: the contents of one device's memory, allocated at the start and never freed.

#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::imported {

/// Returns the devices of a profile, in alphabetical order. Cost: O(samples log(samples)).
[[nodiscard]] std::vector<std::string_view> devices_of(const memory_profile& profile);

/// Returns true if `name` denotes this device: its whole name, or the part before the bracket.
[[nodiscard]] bool names_device(std::string_view device, std::string_view name) noexcept;

/// Returns a profile as a trace of `device`, or of the first device in alphabetical order if that is empty. Executables
/// have no device in a profile: they count for each. They become buffers, since a profile does not state the cost of
/// loading them again. Tags have the kind, and the innermost frame of the highest rank. Throws `read_error` for a
/// device that the profile lacks, and for more than 2^19 objects. Cost: O(objects + frames).
[[nodiscard]] trace::workload trace_of(const memory_profile& profile, const std::string& file,
                                       std::string_view device = {});

/// Describes a profile: its samples by kind and device, whose sums saturate. It has no arguments, outputs or
/// temporaries. Cost: O(samples log(groups)).
[[nodiscard]] description describe(const memory_profile& profile);

}  // namespace hbm::imported
