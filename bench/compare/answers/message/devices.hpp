#pragma once
/// Memory in use on each device, as a log prints it next to a message.

#include <string>
#include <string_view>

namespace hbm::imported {

/// Returns a sentence on the memory in use that a log printed last for each device, and one on devices that differ.
/// Empty if the log prints none. Cost: O(length of the text x log).
[[nodiscard]] std::string devices_in_words(std::string_view log);

}  // namespace hbm::imported
