#pragma once
// A device memory profile as a trace: what was in the memory of one device, allocated at the start and never freed.

#include <string>
#include <string_view>
#include <vector>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/stack_frame.hpp"

namespace hbm::imported {

/// The devices of a profile, in alphabetical order. O(samples log(samples)).
[[nodiscard]] std::vector<std::string_view> devices_of(const memory_profile& profile);

/// Whether a person means this device by `name`: its whole name, or what stands before the bracket.
[[nodiscard]] bool names_device(std::string_view device, std::string_view name) noexcept;

/// How much each frame of a profile says about who allocated. O(frames).
[[nodiscard]] std::vector<frame_rank> ranks_of(const memory_profile& profile);

/// The tag of a sample: its kind, and the innermost frame that says most about who allocated it. `ranks` are those of
/// the profile. O(frames of the sample).
[[nodiscard]] std::string tag_of(const memory_profile& profile, const std::vector<frame_rank>& ranks,
                                 const profile_sample& sample);

/// Returns a profile as a trace of the device `device`, or of the first in alphabetical order if that is empty.
/// Executables have no device in a profile: they count for each. They become buffers, since a profile does not say what
/// it takes to load them again.
[[nodiscard]] trace::read_result trace_of(const memory_profile& profile, std::string file,
                                          std::string_view device = {});

}  // namespace hbm::imported
