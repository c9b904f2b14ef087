#pragma once
/// Answers to messages as JSON for scripts: schema `hbm-message/1`.

#include <hbm/core/memory_spec.hpp>

#include <string>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Returns all messages of a text as one JSON object: class, sizes in bytes (null if not stated), the largest
/// allocations, and the remedies with the flag to set, if there is one; with `device`, the verdict on its memory.
[[nodiscard]] std::string message_json(const found_messages& all, const memory_spec* device = nullptr);

}  // namespace hbm::imported
