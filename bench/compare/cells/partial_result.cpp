#include "compare/cells/partial_result.hpp"

#include <hbm/explain/json_writer.hpp>

#include "compare/replay/numbers.hpp"

namespace hbm::compare {

bool are_points_of_a_sweep(std::size_t count, const scenario& first) {
    return count > 1 && !first.at.swept.empty();
}

std::string workloads_in_words(std::size_t count, bool is_sweep) {
    return is_sweep ? counted(count, "point") + " of the sweep" : counted(count, "workload");
}

std::string extent_in_words(const partial_result& of) {
    return grouped(of.finished) + " of " + workloads_in_words(of.all, of.is_sweep);
}

std::string interruption_words(const partial_result& of) {
    if (of.finished < of.all) return "Interrupted: this result is about " + extent_in_words(of) + ".";
    return "Interrupted: this result is about " + extent_in_words(of) +
           ", but times and what is packed beforehand may be missing.";
}

std::string interruption_json(const partial_result& of) {
    json_writer json;
    json.begin_object();
    json.field("finished", std::uint64_t{of.finished});
    json.field("of", std::uint64_t{of.all});
    json.end_object();
    return json.text();
}

}  // namespace hbm::compare
