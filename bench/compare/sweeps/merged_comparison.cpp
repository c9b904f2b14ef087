#include "compare/sweeps/merged_comparison.hpp"

#include "compare/cells/grid.hpp"
#include "compare/command_line/option_rules.hpp"
#include "compare/sweeps/stored.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view merge_remedy =
    "; this output takes the workloads as well as the shards: ask for it where they were made, with the same files, or "
    "take --format json or csv, which hold the rows alone";

/// Joins the options of the shards' command with those next to `merge`. Returns the error, or an empty text.
std::string join_options(const options& asked, const shard_head& head, options& into) {
    std::vector<std::string> words{"hbm_compare"};
    words.insert(words.end(), head.arguments.begin(), head.arguments.end());
    for (const auto& [name, value] : asked.given) {
        if (name == "merge") continue;
        words.push_back(name);
        if (const option_rule* const rule = find_rule(name); rule != nullptr && !rule->value.empty())
            words.push_back(value);
    }
    std::vector<char*> pointers;
    for (std::string& each : words) pointers.push_back(each.data());
    if (std::string problem = read_options(static_cast<int>(pointers.size()), pointers.data(), into); !problem.empty())
        return problem;
    into.merge = asked.merge;
    into.traces = asked.traces;
    if (!asked.has_format && !asked.recommend && !asked.wide) into.format = output_format::json;
    return into.sweep.empty() ? std::string{} : read_sweep(into);
}

/// Returns an error message if workloads or managers have changed since the shards were made, else an empty text.
std::string find_changed(const options& asked, const selection& who, const shard_head& head) {
    std::vector<sweep_point> points;
    std::vector<std::string> warnings;
    if (std::string problem = all_points(asked, points, warnings); !problem.empty()) return problem;
    options of = asked;
    of.shard = static_cast<std::size_t>(head.index);
    of.shards = static_cast<std::size_t>(head.count);
    shard_head here;
    if (std::string problem = describe_shard(of, who, points, here); !problem.empty()) return problem;
    if (here.version != head.version)
        return "merge: found shards that version " + head.version + " made, expected those of version " + here.version;
    if (here.managers != head.managers || here.all_rows != head.all_rows || here.inputs.size() != head.inputs.size())
        return "merge: found shards of other managers or workloads than `" + command_of(head) +
               "` has here, expected "
               "the same";
    for (std::size_t at = 0; at < here.inputs.size(); ++at)
        if (here.inputs[at] != head.inputs[at])
            return here.inputs[at].first + ": found a file with the digest " + here.inputs[at].second +
                   ", expected the digest " + head.inputs[at].second + " that it had when the shards were made";
    return {};
}

/// Restores a workload from the figures of its rows: a row for each manager, in list order. Returns the error, or an
/// empty text.
std::string restore_one(const scenario& in, const selection& who, std::span<const record> rows, comparison& into) {
    const sharing shared = share(who, in);
    into.in = &in;
    into.cell_of = shared.cell_of;
    into.cells.resize(shared.first.size());
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        cell& to = into.cells[shared.cell_of[at]];
        if (to.with != nullptr) continue;
        trace::figures found;
        if (std::string problem = read_figures(rows[at], found); !problem.empty()) return "merge: " + problem;
        to = known_cell(*who.managers[at], in, found);
    }
    return {};
}

std::string restore_workloads(const merged_shards& from, merged_comparison& into) {
    std::vector<std::string> warnings;  // each shard gave them
    if (std::string problem = find_changed(into.asked, into.managers.who, from.head); !problem.empty()) return problem;
    return gather_workloads(into.asked, into.scenarios, warnings);
}

}  // namespace

std::string restore(const options& asked, std::span<const manager_entry> own, const merged_shards& from,
                    merged_comparison& into) {
    if (std::string problem = join_options(asked, from.head, into.asked); !problem.empty()) return problem;
    if (std::string problem = choose_managers(into.asked, own, into.managers); !problem.empty()) return problem;
    if (const std::string problem = restore_workloads(from, into); !problem.empty())
        return problem + std::string(merge_remedy);
    const std::size_t width = into.managers.who.managers.size();
    if (into.scenarios.size() * width != from.rows.size())
        return "merge: found " + std::to_string(from.rows.size()) + " rows, expected " +
               std::to_string(into.scenarios.size() * width) + std::string(merge_remedy);
    for (std::size_t at = 0; at < into.scenarios.size(); ++at) {
        const std::span<const record> rows = std::span(from.rows).subspan(at * width, width);
        if (std::string problem =
                restore_one(into.scenarios[at], into.managers.who, rows, into.compared.emplace_back());
            !problem.empty())
            return problem;
    }
    return {};
}

}  // namespace hbm::compare
