#pragma once

/// Out-of-memory messages of GPUs and CPUs: they are recognised in order to say what to bring instead.

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::imported {

/// Whose message on the memory of a GPU or CPU stands in a text.
enum class gpu_message : std::uint8_t { none, of_pytorch, of_xla };

/// Looks for such a message. O(length of the text).
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

/// What such a text is, for an error. O(1).
[[nodiscard]] std::string found_of(gpu_message which);

/// What to bring instead. O(1).
[[nodiscard]] std::string expected_of(gpu_message which);

}  // namespace hbm::imported
