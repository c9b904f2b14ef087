#pragma once
// Reads a memory snapshot of PyTorch: the pickle that torch.cuda.memory._dump_snapshot writes. Its lists and
// dictionaries are described in https://docs.pytorch.org/docs/stable/torch_cuda_memory.html.

#include <string>
#include <string_view>

#include "compare/read/reading.hpp"
#include "compare/read/torch/memory_snapshot.hpp"

namespace hbm::imported {

/// Reads a memory snapshot of PyTorch. O(size of the text).
[[nodiscard]] outcome<memory_snapshot> read_snapshot(std::string_view text, const std::string& file);

}  // namespace hbm::imported
