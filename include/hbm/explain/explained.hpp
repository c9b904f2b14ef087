#pragma once

/// Explanations and dumps that are compiled once, in explain.cpp, in place of everywhere that they are called: link
/// hbm::explain (CMake), take the dependency hbm_explain (Meson), or compile include/hbm/explain.cpp.

#include <hbm/explain/dump.hpp>
#include <hbm/explain/trial_memory.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

namespace detail {

/// Returns the text of an explanation. `why` is null for an attempt that was not made before. Defined in explain.cpp.
[[nodiscard]] std::string explained(const trial_memory& memory, const attempt& tried, const failure* why,
                                    const explain_options& options);
/// Return the text of a dump. Defined in explain.cpp.
[[nodiscard]] std::string dumped(const memory_view<std::uint32_t>& memory, const memory_records& records,
                                 const manager_facts& facts, const failure& why, const dump_options& options);
[[nodiscard]] std::string dumped(const memory_view<std::uint64_t>& memory, const memory_records& records,
                                 const manager_facts& facts, const failure& why, const dump_options& options);

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

/// Returns the text of `dump`.
template <class Memory>
[[nodiscard]] std::string dumped(const Memory& memory, const failure& why, const dump_options& options = {}) {
    return detail::dumped(memory.view(), memory.state(), detail::facts_of(memory), why, options);
}

}  // namespace hbm::inline v0
