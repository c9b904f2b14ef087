#pragma once
// A device memory profile as a trace: the contents of one device's memory, allocated at the start and never freed.

#include <string>
#include <string_view>
#include <vector>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/stack_frame.hpp"

namespace hbm::imported {

/// Returns the devices of a profile, in alphabetical order. Cost: O(samples log(samples)).
[[nodiscard]] std::vector<std::string_view> devices_of(const memory_profile& profile);

/// Returns true if `name` denotes this device: its whole name, or the part before the bracket.
[[nodiscard]] bool names_device(std::string_view device, std::string_view name) noexcept;

/// Returns the rank of each frame of a profile. Cost: O(frames).
[[nodiscard]] std::vector<frame_rank> ranks_of(const memory_profile& profile);

/// Returns the tag of a sample: its kind, and its innermost frame of the highest rank. `ranks` are those of the
/// profile.
/// Cost: O(frames of the sample).
[[nodiscard]] std::string tag_of(const memory_profile& profile, const std::vector<frame_rank>& ranks,
                                 const profile_sample& sample);

/// Returns a profile as a trace of `device`, or of the first device in alphabetical order if that is empty. Executables
/// have no device in a profile: they count for each. They become buffers, since a profile does not state the cost of
/// loading them again.
[[nodiscard]] trace::read_result trace_of(const memory_profile& profile, std::string file,
                                          std::string_view device = {});

}  // namespace hbm::imported
