#pragma once
/// Reads the out-of-memory messages of the TPU's compiler and runtime anywhere in a text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/message/message.hpp"
#include "compare/read/reading.hpp"

namespace hbm::imported {

/// Reads all messages in `text`, amid anything else: prefixes, stamps of logs, Markdown, escaped line ends, other
/// lines. Equal messages are kept once, with a count; of more than 64 distinct messages the first 63 and the last.
/// `portion`: bytes read at once, at least 64 KiB.
/// Fails: for a number that is not a size, and a text without any message; `file` is for errors.
/// Cost: O(length of the text).
[[nodiscard]] reading<found_messages> read_messages(std::string_view file, std::string_view text,
                                                    std::size_t portion = std::size_t{4} << 20);

/// Origin of a message about the memory of a GPU or CPU.
enum class gpu_message : std::uint8_t { none, of_pytorch, of_xla };

/// Returns the origin of the first such message in a text. Cost: O(length of the text).
[[nodiscard]] constexpr gpu_message find_gpu_message(std::string_view text) noexcept {
    for (const std::string_view words :
         {"CUDA out of memory", "HIP out of memory", "OutOfMemoryError: CUDA", "CUDA error: out of memory"})
        if (text.find(words) != std::string_view::npos) return gpu_message::of_pytorch;
    for (const std::string_view words :
         {"Allocator (GPU_", "_bfc) ran out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
          "RESOURCE_EXHAUSTED: Out of memory while trying to allocate", "RESOURCE_EXHAUSTED: Out of memory allocating"})
        if (text.find(words) != std::string_view::npos) return gpu_message::of_xla;
    return gpu_message::none;
}

/// Returns the kind of such a text in words, for an error. Cost: O(1).
[[nodiscard]] std::string found_of(gpu_message which);

/// Returns the text to provide instead, for an error. Cost: O(1).
[[nodiscard]] std::string expected_of(gpu_message which);

}  // namespace hbm::imported
