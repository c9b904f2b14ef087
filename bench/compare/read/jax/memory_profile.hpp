#pragma once
// The values of a device memory profile of JAX. It states the contents of each device's memory at one instant, and the
// calls that allocated it. Order and addresses are not in it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/stack_frame.hpp"

namespace hbm::imported {

/// Objects in memory that have one size, one device and one stack.
struct profile_sample {
    std::uint64_t count = 0;        ///< number of objects
    std::int64_t space = 0;         ///< bytes of all of them as the file has it; see `profile_sample_bytes`
    std::string_view kind = {};     ///< `buffer` or `executable`
    std::string_view device = {};   ///< such as `TPU_0(process=0,(0,0,0,0))`; empty for executables
    std::uint32_t first_frame = 0;  ///< index into `memory_profile::stacks`
    std::uint32_t frame_count = 0;  ///< number of frames of the stack
};

/// Device memory profile. Its texts are views of the input, or of `numbers`: it moves, and is not copied.
struct memory_profile {
    memory_profile() = default;
    memory_profile(memory_profile&&) = default;
    memory_profile& operator=(memory_profile&&) = default;

    std::vector<std::pair<std::string_view, std::string_view>> sample_types;  ///< type and unit
    std::vector<profile_sample> samples;
    std::vector<stack_frame> frames;               ///< frames of all locations; a location of inlined calls has several
    std::vector<std::uint32_t> stacks;             ///< indices into `frames`: of each sample, the innermost first
    std::map<std::uint64_t, std::string> numbers;  ///< names of devices that older profiles number: a map, whose texts
                                                   ///< stay where they are when it moves
    std::size_t locations = 0;
    std::size_t functions = 0;

    /// Returns the frames of a sample, as indices into `frames`, the innermost first.
    [[nodiscard]] std::span<const std::uint32_t> stack_of(const profile_sample& sample) const noexcept {
        return std::span(stacks).subspan(sample.first_frame, sample.frame_count);
    }
};

/// Returns the bytes of all objects of a sample; empty if unknown. Some clients write 0 for every executable, older
/// clients for TPU -1: both stand for unknown. (A buffer of 0 bytes is an array without elements.)
[[nodiscard]] std::optional<std::uint64_t> profile_sample_bytes(const profile_sample& sample) noexcept;

/// Reads an unpacked device memory profile. Fails beyond 4 MiB and 8,388,608 frames of all stacks. `text` must outlive
/// the profile; `file` is for messages. Cost: O(length + frames), at most some 40 times the length in memory.
[[nodiscard]] reading<memory_profile> read_pprof(std::string_view text, std::string file);

}  // namespace hbm::imported
