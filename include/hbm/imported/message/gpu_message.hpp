#pragma once

/// Out-of-memory messages of GPUs and CPUs: they are recognised in order to say what to bring instead.

#include <hbm/core/language.hpp>

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
[[nodiscard]] inline std::string found_of(gpu_message which) {
    return which == gpu_message::of_pytorch ? "an out-of-memory message of PyTorch about a GPU"
                                            : "an out-of-memory message of XLA about a GPU or CPU";
}

/// What to bring instead. O(1).
[[nodiscard]] inline std::string expected_of(gpu_message which) {
    const std::string begin = "a message about a TPU: only these are explained. ";
    if (which == gpu_message::of_pytorch)
        return begin + "Bring a memory snapshot: call `torch.cuda.memory._record_memory_history()` at the start and "
                       "`torch.cuda.memory._dump_snapshot('snapshot.pickle')` where it fails, then `hbm_compare "
                       "--growth --trace "
                       "snapshot.pickle` says who held what, and without --growth how it would fit best";
    return begin +
           "Bring what was in memory: call `jax.profiler.save_device_memory_profile('memory.prof')` just before the "
           "line that fails, then `hbm_compare --growth --trace memory.prof`; or the program: run with "
           "XLA_FLAGS=--xla_dump_to=DIR, then `hbm_compare --program FILE`, FILE being its "
           "DIR/module_*after_optimizations.txt";
}

}  // namespace hbm::imported
