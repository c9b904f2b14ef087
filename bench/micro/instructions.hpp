#pragma once

/// A measure of work that does not vary with the state of the machine.

#include <cstdint>
#include <functional>
#include <optional>

namespace hbm::micro {

/// Returns the number of instructions that `work` takes, counted by single-stepping a child process; nothing in this
/// process changes. Empty if the system does not allow it. Takes microseconds per instruction, so it is meant for a few
/// thousand of them.
[[nodiscard]] std::optional<std::uint64_t> count_instructions(const std::function<void()>& work);

}  // namespace hbm::micro
