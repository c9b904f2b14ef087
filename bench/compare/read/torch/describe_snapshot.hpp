#pragma once
// What --describe says of a memory snapshot of PyTorch.

#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/reading.hpp"

namespace hbm::imported {

/// Describes a snapshot, each device for itself. It has no arguments, outputs or temporaries, so those are null.
[[nodiscard]] outcome<description> describe_snapshot(std::string_view text, const std::string& file);

}  // namespace hbm::imported
