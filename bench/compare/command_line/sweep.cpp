#include "compare/command_line/sweep.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "compare/command_line/sweep_values.hpp"

namespace hbm::compare {

namespace {

/// A source with a value for each of its parameters.
struct chosen_source {
    sweep_point::kind what = sweep_point::kind::file;
    std::string place;
    chosen_workload load;
};

std::string choose_sources(const options& grid, std::vector<chosen_source>& into) {
    using kind = sweep_point::kind;
    if (!grid.programs.empty()) into.push_back({kind::programs, "--program", {}});
    std::vector<source> sources = grid.sources;
    if (into.empty() && sources.empty()) {
        for (const std::string_view name : recorded_workloads())
            into.push_back({kind::recorded, {}, {std::string(name), {}}});
        for (const std::string_view name : generated_workloads()) sources.push_back({std::string(name), true, {}});
    }
    for (const source& each : sources) {
        const std::string place = each.place.empty() ? "--workload" : each.place;
        if (!each.is_generated) {
            into.push_back({kind::file, place, {each.text, {}}});
            continue;
        }
        std::vector<chosen_workload> chosen;
        if (const std::string problem = choose_values(each.text, chosen); !problem.empty())
            return place + ": " + problem;
        for (chosen_workload& load : chosen) into.push_back({kind::generated, place, std::move(load)});
    }
    return {};
}

/// Axes of the sweep that have several values.
struct axes {
    bool has_seeds = false;
    bool has_capacities = false;
    std::vector<std::string> parameters;

    void add(const options& grid, const std::vector<chosen_source>& sources) {
        has_seeds = has_seeds || grid.seeds.size() > 1;
        has_capacities = has_capacities || grid.capacities.size() > 1;
        for (const chosen_source& each : sources)
            for (const auto& [key, value] : each.load.swept)
                if (std::find(parameters.begin(), parameters.end(), key) == parameters.end()) parameters.push_back(key);
    }

    void describe(sweep_point& point, const chosen_source& from) const {
        for (const std::string& key : parameters) {
            axis_value& each = point.swept.emplace_back(axis_value{"parameter_" + key, {}, true});
            for (const auto& [known, value] : from.load.swept)
                if (known == key) each.value = value;
        }
        if (has_capacities)
            point.swept.push_back({"capacity_asked",
                                   point.capacity.text.empty() ? std::nullopt : std::optional(point.capacity.text),
                                   true});
        if (has_seeds)
            point.swept.push_back(
                {"seed",
                 point.what == sweep_point::kind::generated ? std::optional(std::to_string(point.seed)) : std::nullopt,
                 false});
    }
};

/// Adds points, each of them once.
class point_list {
public:
    point_list(std::vector<sweep_point>& into, std::vector<std::string>& warnings) : into_(into), warnings_(warnings) {}

    [[nodiscard]] bool is_full() const { return into_.size() > max_values; }

    void add(sweep_point&& each) {
        const capacity_choice& capacity = each.capacity;
        if (!known_
                 .emplace(each.what, each.text, capacity.what, capacity.device.name, capacity.device.capacity,
                          each.quantum, each.seed)
                 .second) {
            if (told_.insert(each.text).second)
                warnings_.push_back((each.text.empty() ? each.place : each.text) +
                                    " is given more than once and compared once");
            return;
        }
        into_.push_back(std::move(each));
    }

private:
    std::vector<sweep_point>& into_;
    std::vector<std::string>& warnings_;
    std::set<std::tuple<sweep_point::kind, std::string, capacity_choice::kind, std::string, std::uint64_t,
                        std::uint64_t, std::uint64_t>>
        known_;
    std::set<std::string> told_;
};

/// Removes repeated values from the list of an option, by a key of its values, with a warning. O(values log values).
template <class Value, class Key, class Words>
void keep_once(std::vector<Value>& all, const char* option, std::vector<std::string>& warnings, Key key, Words words) {
    std::set<decltype(key(all.front()))> known;
    std::set<std::string> told;
    std::vector<Value> kept;
    for (Value& each : all) {
        if (known.insert(key(each)).second)
            kept.push_back(std::move(each));
        else if (const std::string text = words(each); told.insert(text).second)
            warnings.push_back(std::string(option) + ": " + text + " is given more than once and compared once");
    }
    all = std::move(kept);
}

void keep_once(options& grid, std::vector<std::string>& warnings) {
    const auto itself = [](std::uint64_t value) { return value; };
    const auto as_number = [](std::uint64_t value) { return std::to_string(value); };
    keep_once(
        grid.capacities, "--capacity", warnings,
        [](const capacity_choice& each) {
            return std::tuple(each.what, std::string(each.device.name), each.device.capacity);
        },
        [](const capacity_choice& each) { return each.text; });
    keep_once(grid.quanta, "--quantum", warnings, itself, as_number);
    keep_once(grid.seeds, "--seed", warnings, itself, as_number);
}

}  // namespace

std::string all_points(const options& asked, std::vector<sweep_point>& into, std::vector<std::string>& warnings) {
    std::vector<options> grids = asked.grids.empty() ? std::vector<options>{asked} : asked.grids;
    for (options& each : grids) keep_once(each, warnings);
    std::vector<std::vector<chosen_source>> sources(grids.size());
    axes several;
    for (std::size_t at = 0; at < grids.size(); ++at) {
        if (std::string problem = choose_sources(grids[at], sources[at]); !problem.empty()) return problem;
        several.add(grids[at], sources[at]);
    }
    point_list points(into, warnings);
    for (std::size_t at = 0; at < grids.size(); ++at)
        for (const chosen_source& from : sources[at])
            for (const std::uint64_t quantum : grids[at].quanta)
                for (const capacity_choice& capacity : grids[at].capacities)
                    for (const std::uint64_t seed : grids[at].seeds) {
                        sweep_point each{from.what, from.load.text, from.place, capacity, quantum, 0, {}};
                        if (from.what == sweep_point::kind::generated) each.seed = seed;
                        several.describe(each, from);
                        points.add(std::move(each));
                        if (points.is_full())
                            return "found more than " + std::to_string(max_values) +
                                   " combinations of workloads, capacities, quanta and seeds, expected fewer";
                        if (from.what != sweep_point::kind::generated) break;
                    }
    return {};
}

}  // namespace hbm::compare
