#pragma once
// Reads a device memory profile of JAX: what jax.profiler.save_device_memory_profile writes, unpacked. The messages and
// their fields are those of pprof (https://github.com/google/pprof/blob/main/proto/profile.proto).

#include <string>
#include <string_view>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/reading.hpp"

namespace hbm::imported {

/// Reads an unpacked device memory profile. Fails beyond 4 MiB and 8,388,608 frames of all stacks. `text` must outlive
/// the profile; `file` is for messages. Cost: O(length + frames), at most some 40 times the length in memory.
[[nodiscard]] outcome<memory_profile> read_pprof(std::string_view text, std::string file);

}  // namespace hbm::imported
