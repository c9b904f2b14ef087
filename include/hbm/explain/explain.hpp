#pragma once

/// "Why did it not fit, and what would help?" as text.

#include <hbm/explain/explanation_json.hpp>
#include <hbm/explain/explanation_text.hpp>

#include <string>

namespace hbm {

/// Explains a failed call in several lines: `if (!out) puts(hbm::explain(memory, out.error()).c_str());`. The manager
/// must not have changed since the failure. See `explanation_of` for the cost.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const failure& why, const explain_options& options = {}) {
    return to_text(explanation_of(memory, why, options));
}
/// The same for an attempt, which has more than its failure: all arguments of a run.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const attempt& tried, const explain_options& options = {}) {
    return to_text(explanation_of(memory, tried, options));
}

}  // namespace hbm
