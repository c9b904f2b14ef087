#pragma once

/// Which program a message is about, and whether a module is that program.

#include <string>
#include <string_view>
#include <vector>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// The names that a message has for its program: of a load the name of the program, else what its largest arrays are
/// computed in. Empty if it names none. O(listed allocations).
[[nodiscard]] std::vector<std::string> program_names(const memory_message& from);

/// Whether a module is called like a program. O(length).
[[nodiscard]] bool is_called(std::string_view module, std::string_view program);

}  // namespace hbm::imported
