#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "compare/workloads/texts.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// Returns the first given option that is, or is not, among these; empty if there is none.
template <std::size_t Count>
std::string find_given(const options& settings, const std::array<std::string_view, Count>& names, bool is_among) {
    for (const auto& [name, value] : settings.given)
        if ((std::find(names.begin(), names.end(), name) != names.end()) == is_among) return name;
    return {};
}

/// Returns the error if a mode that answers a question is to write a table for other programs; else an empty text.
std::string find_format_beside(const options& settings, const char* mode) {
    if (settings.format == output_format::table || settings.format == output_format::json) return {};
    return filled(texts::format_beside_mode, {{"mode", mode}});
}

}  // namespace

std::string find_beside_growth(const options& settings) {
    if (std::string problem = find_format_beside(settings, "--growth"); !problem.empty()) return problem;
    if (!settings.on_oom.empty()) return std::string(texts::on_oom_beside_growth);
    if (!settings.html.empty()) return filled(texts::option_beside_growth, {{"option", "--html"}});
    return {};
}

std::string find_beside_message(const options& settings) {
    const auto beside = [](const char* option) { return filled(texts::option_beside_message, {{"option", option}}); };
    if (settings.growth) return beside("--growth");
    if (std::string problem = find_format_beside(settings, "--message"); !problem.empty()) return problem;
    if (settings.format == output_format::json && !settings.described.empty())
        return std::string(texts::json_beside_message);
    for (const source& entry : settings.sources) return beside(entry.is_generated ? "--workload" : "--trace");
    if (!settings.programs.empty()) return beside("--program");
    const auto what = settings.capacities.front().what;
    if (settings.capacities.size() > 1 ||
        (what != capacity_choice::kind::usual && what != capacity_choice::kind::given))
        return std::string(texts::capacities_beside_message);
    if (!settings.on_oom.empty()) return beside("--on-oom");
    if (!settings.html.empty()) return beside("--html");
    if (!settings.managers.empty()) return beside("--manager");
    if (std::count_if(settings.given.begin(), settings.given.end(),
                      [](const auto& option) { return option.first == "--message"; }) > 1)
        return std::string(texts::repeated_message);
    return {};
}

std::string find_beside_serve(const options& settings) {
    constexpr std::array<std::string_view, 7> allowed{"--serve",  "--weights", "--capacity", "--device",
                                                      "--format", "-o",        "-q"};
    if (const std::string name = find_given(settings, allowed, false); !name.empty())
        return filled(texts::option_beside_serve, {{"option", name}});
    return find_format_beside(settings, "--serve");
}

std::vector<std::string> without_effect(const options& settings) {
    constexpr std::array<std::string_view, 14> counts_for_growth{
        "--growth",  "--trace",     "--device", "--workload", "--program", "--seed", "--capacity",
        "--quantum", "--in-flight", "--format", "-o",         "-q",        "--help", "--version"};
    constexpr std::array<std::string_view, 7> counts_for_message{"--message", "--describe", "--capacity", "--details",
                                                                 "--format",  "-o",         "-q"};
    const bool is_message = !settings.message.empty();
    std::vector<std::string> result;
    const auto add = [&](const std::string& name, std::string_view text) {
        std::string warning = filled(text, {{"option", name}});
        if (std::find(result.begin(), result.end(), warning) == result.end()) result.push_back(std::move(warning));
    };
    for (const auto& option : settings.given) {
        const std::string& name = option.first;
        const auto is_among = [&](const auto& names) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        if (is_message && !is_among(counts_for_message))
            add(name, texts::idle_with_message);
        else if (!is_message && settings.growth && !is_among(counts_for_growth))
            add(name, texts::idle_with_growth);
    }
    return result;
}

std::vector<std::string> without_effect(const options& settings, const std::vector<scenario>& all) {
    const auto is_given = [&](std::string_view name) {
        return std::any_of(settings.given.begin(), settings.given.end(),
                           [&](const auto& entry) { return entry.first == name; });
    };
    const auto has = [&](auto condition) { return std::any_of(all.begin(), all.end(), condition); };
    std::vector<std::string> result;
    if (is_given("--seed") &&
        !has([](const scenario& load) { return load.at.what == workload_point::kind::generated; }))
        result.emplace_back(texts::idle_seed);
    if (is_given("--device") && !has(is_imported)) result.emplace_back(texts::idle_device);
    if (is_given("--in-flight") && !has([](const scenario& load) { return load.has_programs; }))
        result.emplace_back(texts::idle_in_flight);
    return result;
}

}  // namespace hbm::compare
