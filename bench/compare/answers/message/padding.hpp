#pragma once

/// Findings in the list of a program's largest allocations: padding, single arrays that are too large, wide types.

#include <hbm/core/specs.hpp>

#include <string>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Returns an entry in a few words: `f32[8,128] (2.00G) of 'jit(f)/dot_general'`.
[[nodiscard]] std::string briefly(const listed_allocation& each);

/// Returns a remedy for a single array that takes more than half of the memory; empty if there is none.
[[nodiscard]] std::string large_array_remedy(const memory_message& from);

/// Returns a remedy against padding; empty if no listed array wastes a third of its memory.
[[nodiscard]] std::string padding_remedy(const memory_message& from);

/// Returns a remedy for arrays of 32 bits; empty if none is listed.
[[nodiscard]] std::string narrower_types_remedy(const memory_message& from);

}  // namespace hbm::imported
