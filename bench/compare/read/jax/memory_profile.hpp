#pragma once
// A device memory profile of JAX. It states the contents of each device's memory at one instant, and the calls that
// allocated it. Order and addresses are not in it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported {

/// A frame of a stack as profilers record it.
struct stack_frame {
    std::string_view function;
    std::string_view file;
    std::uint64_t line = 0;  ///< line in the file; 0 if unknown
};

/// Rank of a frame by how well it identifies the allocating code; higher is better.
enum class frame_rank : std::uint8_t {
    nothing,    ///< no name, or a part of the allocator or of the recorder itself
    native,     ///< compiled code, the frameworks and the interpreter
    framework,  ///< Python code of JAX or PyTorch, or of Python itself
    library,    ///< Python code of another installed package
    own,        ///< Python code of the user
};

/// Returns the rank of a frame. Cost: O(1), since only the decisive part of a long name is read.
[[nodiscard]] frame_rank rank_of(const stack_frame& frame) noexcept;

/// Returns the frame as a tag of a trace: `train_step (train.py:120)`. Commas become semicolons and control characters
/// question marks, since a tag has neither; names of more than 80 bytes are cut.
[[nodiscard]] std::string tag_of(const stack_frame& frame);

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
    std::vector<stack_frame> frames;    ///< frames of all locations; a location of inlined calls has several
    std::vector<std::uint32_t> stacks;  ///< indices into `frames`: of each sample, the innermost first
    std::deque<std::string> numbers;    ///< names of devices that older profiles number; they stay where they are
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

/// Reads an unpacked device memory profile. Throws `read_error`, also beyond 4 MiB and 8,388,608 frames of all stacks.
/// `text` must outlive the profile; `file` is for messages. Cost: O(length + frames), at most some 40 times the length
/// in memory.
[[nodiscard]] memory_profile read_pprof(std::string_view text, std::string file);

}  // namespace hbm::imported
