#pragma once
// A device memory profile as a trace: the contents of one device's memory, allocated at the start and never freed.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/description.hpp"
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
