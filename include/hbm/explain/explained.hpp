#pragma once

/// Explanations that are compiled once, in explain.cpp, in place of everywhere that `explain` is called: link
/// hbm::explain (CMake), take the dependency hbm_explain (Meson), or compile include/hbm/explain.cpp.

#include <hbm/explain/explain_options.hpp>
#include <hbm/explain/trial_memory.hpp>

#include <string>

namespace hbm {

namespace detail {

/// Returns the text of an explanation. `why` is null for an attempt that was not made before. Defined in explain.cpp.
[[nodiscard]] std::string explained(const trial_memory& memory, const attempt& tried, const failure* why,
                                    const explain_options& options);

}  // namespace detail

/// Explains a failed call: the text of `explain`.
/// Requires: the manager has not changed since the failure.
/// Cost: see `explanation_of`.
template <class Memory>
[[nodiscard]] std::string explained(const Memory& memory, const failure& why, const explain_options& options = {}) {
    const attempt tried = attempt::from(memory, why);
    const detail::trial_memory_of<Memory> trials(memory, options.blocks_stay);
    return detail::explained(trials, tried, detail::is_outdated(memory, tried, why) ? nullptr : &why, options);
}
/// Explains a failed attempt, which has all arguments of a run; a failure has one.
template <class Memory>
[[nodiscard]] std::string explained(const Memory& memory, const attempt& tried, const explain_options& options = {}) {
    const detail::trial_memory_of<Memory> trials(memory, options.blocks_stay);
    return detail::explained(trials, tried, nullptr, options);
}

}  // namespace hbm
