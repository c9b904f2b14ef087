#pragma once

/// The smallest memory that agrees with a message of the runtime: the same request fails there, with the same words.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/explain/attempt.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/index/hole_lists.hpp>
#include <hbm/manager.hpp>
#include <hbm/search/packing.hpp>
#include <hbm/state/memory_state.hpp>
#include <hbm/state/memory_view.hpp>

#include <cstdint>
#include <optional>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// A memory in which a message comes about, under `tpu::runtime_memory`, the model of the TPU's runtime.
struct drawn_memory {
    allocation_dump dumped;        ///< with the message, the map and the blocks
    explanation explained;         ///< what would help in this memory, each remedy tried on a copy
    std::uint64_t capacity = 0;    ///< bytes
    std::uint64_t quantum = 0;     ///< sizes are multiples of it; not 512 only where the sizes demand it
    std::size_t blocks = 0;        ///< how many blocks there are, without holes
    std::uint64_t walls = 0;       ///< how many of them cannot be moved
    std::uint64_t wall_bytes = 0;  ///< size of each of these
    std::uint64_t first_wall = 0;  ///< offset of the lowest of these, in bytes
};

/// Builds a memory with as few blocks as possible in which the request of a message fails as the message says, and
/// explains the failure there. Empty for messages of the compiler, for messages whose sizes are missing or contradict
/// each other, and for some thousand free pieces or more. O(blocks), and what the explanation takes.
[[nodiscard]] std::optional<drawn_memory> smallest_memory(const memory_message& from);

}  // namespace hbm::imported
