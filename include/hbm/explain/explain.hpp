#pragma once

#include <hbm/explain/explanation_text.hpp>
#include <hbm/explain/message.hpp>

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

/// Explains a failed call of a `memory_set` by the memory that failed; the message names its kind in place of the chip.
template <class Set>
[[nodiscard]] std::string explain(const Set& memories, const typename Set::failure_type& failed,
                                  explain_options options = {}) {
    // Failures that a manager has in other calls, or for other reasons.
    if (failed.why.reason == error::range_is_taken)
        return detail::message_of(detail::texts::range_is_managed, failed.why, {}, {.device = failed.kind});
    if (!failed.names_kind() && failed.why.reason == error::alias_of_other_size)
        return detail::message_of(detail::texts::alias_of_other_kind, failed.why, {}, {});
    if (!failed.names_kind()) return message(failed.why);
    options.place.device = failed.kind;
    return memories.visit(*Set::kind::named(failed.kind), [&](const auto& memory) {
        // The memory keeps a refused run with the indices that it has there.
        failure why = failed.why;
        why.argument = memory.refused().why.argument;
        why.first_use = memory.refused().why.first_use;
        if (why != memory.refused().why || memory.check(memory.refused().subject) != error::none) why = failed.why;
        // A program may have its part on the fork alone: then the output is explained as a request.
        if (why.slot != no_index && !memory.handle_of(why.slot)) why.slot = no_index;
        return explain(memory, why, options);
    });
}

}  // namespace hbm::inline v0
