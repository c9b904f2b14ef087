#pragma once

/// "Why did it not fit, and what would help?" in words.

#include <hbm/report/explanation_json.hpp>
#include <hbm/report/explanation_text.hpp>

#include <string>

namespace hbm {

/// Several lines about a call that failed: `if (!out) puts(hbm::explain(memory, out.error()).c_str());`. Nothing may
/// have changed since. See `explanation_of` for the cost.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const failure& why) {
    return to_text(explanation_of(memory, why));
}
/// The same about an attempt, which knows more than its failure: all of a run's arguments.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const attempt& tried) {
    return to_text(explanation_of(memory, tried));
}

}  // namespace hbm
