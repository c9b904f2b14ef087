#pragma once

/// A count of work that does not depend on the machine's mood.

#include <cstdint>
#include <functional>
#include <optional>

namespace hbm::micro {

/// How many instructions `work` takes, by single steps of a child of this process; nothing in this process changes.
/// Empty where the system does not allow it. Microseconds an instruction: for a few thousand of them.
[[nodiscard]] std::optional<std::uint64_t> count_instructions(const std::function<void()>& work);

}  // namespace hbm::micro
