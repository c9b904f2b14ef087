#include "compare/options.hpp"

#include <hbm/trace/text.hpp>

#include <algorithm>

#include "compare/message.hpp"
#include "compare/option_rules.hpp"

namespace hbm::compare {

namespace {

using trace::quoted;

const option_rule* find_rule(std::string_view name) {
    const std::span<const option_rule> all = option_rules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const option_rule& each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}

/// Splits `--name=value`, and `-oFILE`.
void split(std::string_view argument, std::string_view& name, std::optional<std::string_view>& value) {
    name = argument == "-h" ? "--help" : argument == "-v" ? "--version" : argument;
    if (argument.starts_with("--")) {
        const std::size_t equals = argument.find('=');
        if (equals == std::string_view::npos) return;
        name = argument.substr(0, equals);
        value = argument.substr(equals + 1);
    } else if (argument.size() > 2) {
        name = argument.substr(0, 2);
        value = argument.substr(2);
    }
}

std::string not_an_option(std::string_view argument, std::string_view name) {
    constexpr std::string_view remedy = " All options: hbm_compare --help";
    if (!argument.starts_with('-'))
        if (const std::string known = option_for_file(std::string(argument)); !known.empty()) return known;
    if (!argument.starts_with('-') || argument == "-")
        return "found " + quoted(argument) + ", expected an option; a trace is given as --trace FILE." +
               std::string(remedy);
    return "unknown option " + quoted(name) +
           trace::nearest_words(name, option_rules(), [](const option_rule& each) { return each.name; }) +
           std::string(remedy);
}

/// A capacity below a quantum is meant otherwise: `--capacity 16` is said of 16 GiB. Nothing at all may be meant.
std::string find_tiny_capacity(const options& asked) {
    const std::uint64_t bytes = asked.capacity.device.capacity;
    if (asked.capacity.what != capacity_choice::kind::given || bytes == 0 || bytes >= asked.quantum) return {};
    return "--capacity: found " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
           ", less than a quantum of " + std::to_string(asked.quantum) + ", expected a size with its unit, such as " +
           std::to_string(bytes) + "GiB";
}

}  // namespace

std::string read_options(int argc, char** argv, options& into) {
    std::vector<const option_rule*> seen;
    for (int at = 1; at < argc; ++at) {
        const std::string_view argument = argv[at];
        if (!seen.empty() && seen.back()->takes_many && !argument.starts_with('-')) {
            if (const std::string expected = seen.back()->apply(into, argument); !expected.empty())
                return std::string(seen.back()->name) + ": found nothing, expected " + expected;
            continue;
        }
        std::string_view name;
        std::optional<std::string_view> value;
        split(argument, name, value);
        const option_rule* const rule = find_rule(name);
        if (rule == nullptr) return not_an_option(argument, name);
        const std::string option(name);
        if (rule->value.empty() && value)
            return option + ": found " + quoted(*value) + ", expected nothing: it takes no value";
        if (!rule->value.empty() && !value) {
            if (++at == argc) return option + ": found nothing, expected " + option + " " + std::string(rule->value);
            value = argv[at];
        }
        if (const std::string expected = rule->apply(into, value.value_or("")); !expected.empty())
            return option + ": found " + (value->empty() ? "nothing" : quoted(*value)) + ", expected " + expected;
        if (!rule->repeats && !rule->value.empty() && std::find(seen.begin(), seen.end(), rule) != seen.end())
            into.warnings.push_back(option + " is given more than once; the last one counts");
        seen.push_back(rule);
    }
    return find_tiny_capacity(into);
}

}  // namespace hbm::compare
