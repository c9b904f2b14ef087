#pragma once
/// Largest allocations of a message, grouped by operation and source line.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Allocations of equal size, shape, operation and source line.
struct allocation_group {
    std::uint64_t count = 0;
    const listed_allocation* first = nullptr;  ///< an entry of the message that was grouped
    std::string operation = {};                ///< name of the operation, or the label of the compiler; may be empty
    std::string source = {};                   ///< `attention.py:1059`, without folders; empty if not stated
};

/// Returns the listed allocations of a message in groups, those with the most bytes first. Cost: O(n^2) for n entries.
[[nodiscard]] std::vector<allocation_group> largest_groups(const memory_message& from);

/// Returns at most five groups as lines: `12 x 2.00G  f32[32,4096,4096]  attention.py:1059  .../dot_general`. Empty
/// without a list.
[[nodiscard]] std::string largest_in_words(const memory_message& from);

/// Returns a sentence on a program that a framework compiles for itself, such as `jit__identity_fn`. Empty for others.
/// Cost: O(1).
[[nodiscard]] std::string known_program(const std::string& name);

/// Returns the remedy for such a program: the call to make instead. Empty for others. Cost: O(1).
[[nodiscard]] std::string remedy_of_known_program(const std::string& name);

}  // namespace hbm::imported
