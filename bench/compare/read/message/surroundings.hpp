#pragma once
/// Facts that stand around a message in its log: measurements of the device, and signs of a server.

#include <string_view>
#include <vector>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Adds to each message the last measurement before it, and whether a server with a KV pool wrote the log.
/// Cost: O(length of the log).
void add_surroundings(std::string_view log, std::vector<memory_message>& messages);

}  // namespace hbm::imported
