// The compiled part of hbm/explain/explained.hpp: everything of explanations and dumps that does not depend on the
// manager.
#include <hbm/explain/explain.hpp>
#include <hbm/explain/explained.hpp>

std::string hbm::detail::explained(const trial_memory& memory, const attempt& tried, const failure* why,
                                   const explain_options& options) {
    explainer explains(memory, tried, options);
    return to_text(why == nullptr ? explains.explain() : explains.explain(*why));
}
std::string hbm::detail::dumped(const memory_view<std::uint32_t>& memory, const memory_records& records,
                                const manager_facts& facts, const failure& why, const dump_options& options) {
    return to_text(dump_maker(memory, records, facts, options).make(why));
}
std::string hbm::detail::dumped(const memory_view<std::uint64_t>& memory, const memory_records& records,
                                const manager_facts& facts, const failure& why, const dump_options& options) {
    return to_text(dump_maker(memory, records, facts, options).make(why));
}
// For c/any_manager.hpp.
template class hbm::basic_planner<hbm::planning_problem>;
