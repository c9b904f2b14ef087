#include "compare/command_line/points.hpp"

#include <hbm/explain/filled_text.hpp>

#include <set>
#include <tuple>

#include "compare/command_line/texts.hpp"

namespace hbm::compare {

namespace {

using kind = workload_point::kind;

/// A workload without its memory.
struct chosen_source {
    kind what = kind::file;
    std::string text;

    friend bool operator<(const chosen_source& left, const chosen_source& right) {
        return std::tie(left.what, left.text) < std::tie(right.what, right.text);
    }
};

std::vector<chosen_source> choose_sources(const options& settings) {
    std::vector<chosen_source> result;
    if (!settings.programs.empty()) result.push_back({kind::programs, {}});
    for (const source& input : settings.sources)
        result.push_back({input.is_generated ? kind::generated : kind::file, input.text});
    if (!result.empty()) return result;
    for (const std::string_view name : recorded_workloads()) result.push_back({kind::recorded, std::string(name)});
    for (const std::string_view name : generated_workloads()) result.push_back({kind::generated, std::string(name)});
    return result;
}

/// Removes repeated values of an option, by a key of its values, with a warning. Cost: O(values log values).
template <class Value, class Key, class Words>
void keep_once(std::vector<Value>& all, const char* option, std::vector<std::string>& warnings, Key key, Words words) {
    std::set<decltype(key(all.front()))> known;
    std::set<std::string> told;
    std::vector<Value> kept;
    for (Value& entry : all) {
        if (known.insert(key(entry)).second)
            kept.push_back(std::move(entry));
        else if (const std::string text = words(entry); told.insert(text).second)
            warnings.push_back(filled(option == nullptr ? texts::repeated_source : texts::repeated_value,
                                      {{"option", option == nullptr ? "" : option}, {"value", text}}));
    }
    all = std::move(kept);
}

}  // namespace

std::vector<workload_point> all_points(const options& settings, std::vector<std::string>& warnings) {
    std::vector<chosen_source> sources = choose_sources(settings);
    std::vector<capacity_choice> capacities = settings.capacities;
    std::vector<std::uint64_t> quanta = settings.quanta;
    keep_once(
        sources, nullptr, warnings, [](const chosen_source& from) { return from; },
        [](const chosen_source& from) { return from.text; });
    keep_once(
        capacities, "--capacity", warnings,
        [](const capacity_choice& choice) {
            return std::tuple(choice.what, std::string(choice.device.name), choice.device.capacity);
        },
        [](const capacity_choice& choice) { return choice.text; });
    keep_once(
        quanta, "--quantum", warnings, [](std::uint64_t value) { return value; },
        [](std::uint64_t value) { return std::to_string(value); });
    std::vector<workload_point> result;
    for (const chosen_source& from : sources)
        for (const std::uint64_t quantum : quanta)
            for (const capacity_choice& capacity : capacities)
                result.push_back({.what = from.what,
                                  .text = from.text,
                                  .capacity = capacity,
                                  .quantum = quantum,
                                  .seed = from.what == kind::generated ? settings.seed : 0,
                                  .has_several_capacities = capacities.size() > 1});
    return result;
}

}  // namespace hbm::compare
