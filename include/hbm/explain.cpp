// The compiled part of hbm/explain/explained.hpp: everything of an explanation that does not depend on the manager.
#include <hbm/explain/explain.hpp>
#include <hbm/explain/explained.hpp>

std::string hbm::detail::explained(const trial_memory& memory, const attempt& tried, const failure* why,
                                   const explain_options& options) {
    explainer explains(memory, tried, options);
    return to_text(why == nullptr ? explains.explain() : explains.explain(*why));
}
