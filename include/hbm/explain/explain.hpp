#pragma once

#include <hbm/explain/explanation_json.hpp>
#include <hbm/explain/explanation_text.hpp>

#include <string>

namespace hbm::inline v0 {

/// Explains a failed call in several lines: `if (!out) puts(hbm::explain(memory, out.error()).c_str());`.
/// Requires: the manager has not changed since the failure.
/// Cost: see `explanation_of`.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const failure& why, const explain_options& options = {}) {
    return to_text(explanation_of(memory, why, options));
}
/// Explains a failed attempt, which has all arguments of a run; a failure has one.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const attempt& tried, const explain_options& options = {}) {
    return to_text(explanation_of(memory, tried, options));
}

}  // namespace hbm::inline v0
