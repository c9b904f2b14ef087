#include "compare/command_line/options.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compare/command_line/file_options.hpp"
#include "compare/command_line/option_rules.hpp"
#include "compare/command_line/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using trace::quoted;

/// Splits `--name=value`, and `-oFILE`.
void split(std::string_view argument, std::string_view& name, std::optional<std::string_view>& value) {
    name = argument == "-h" ? "--help" : argument == "-v" || argument == "-V" ? "--version" : argument;
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
    std::error_code error;
    if (std::filesystem::is_directory(argument, error))
        return filled(texts::folder_without_option, {{"quoted", quoted(argument)}, {"folder", std::string(argument)}});
    if (!argument.starts_with('-')) return filled(texts::unknown_argument, {{"argument", quoted(argument)}});
    const auto name_of = [](const option_rule& rule) { return rule.name; };
    return filled(texts::unknown_option,
                  {{"option", quoted(name)}, {"nearest", trace::nearest_words(name, option_rules(), name_of)}});
}

/// Returns true if an argument without an option is a file that can be read.
bool is_readable(std::string_view argument) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(argument, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

/// Adds a file by its content, as if its options were given. Returns the error, or an empty text.
std::string add_file(options& settings, const std::string& path) {
    for (const std::string& name : options_of_file(path)) {
        const option_rule& rule = *find_rule(name);
        const std::string_view value = rule.value.empty() ? std::string_view{} : path;
        if (const std::string expected = rule.apply(settings, value); !expected.empty())
            return filled(texts::found_in_value, {{"option", name}, {"found", quoted(value)}, {"expected", expected}});
        settings.given.emplace_back(name, value);
    }
    return {};
}

/// Returns true if a single comma in a value was meant as a decimal point: `15,75GiB`, where 15 has no unit.
bool has_decimal_comma(std::string_view value) {
    const std::size_t comma = value.find(',');
    const std::size_t unit = value.find_first_of("KMGT");
    return comma != 0 && comma != std::string_view::npos && unit != std::string_view::npos &&
           value.find_first_not_of("0123456789") == comma && value.find_first_not_of("0123456789", comma + 1) == unit &&
           unit > comma + 1;
}

std::string with_point(std::string value) {
    value[value.find(',')] = '.';
    return value;
}

}  // namespace

std::string find_tiny_capacity(const options& settings) {
    for (const auto& [name, value] : settings.given)
        if (name == "--capacity" && has_decimal_comma(value))
            return filled(texts::comma_in_capacity, {{"found", trace::quoted(value)}, {"expected", with_point(value)}});
    for (const capacity_choice& choice : settings.capacities)
        for (const std::uint64_t quantum : settings.quanta) {
            const std::uint64_t bytes = choice.device.capacity;
            const std::uint64_t least = quantum == device_quantum ? choice.device.quantum : quantum;
            if (choice.what == capacity_choice::kind::given && bytes != 0 && bytes < least)
                return filled(bytes == 1 ? texts::capacity_of_a_byte : texts::tiny_capacity,
                              {{"bytes", bytes}, {"quantum", least}});
        }
    return {};
}

const option_rule* find_rule(std::string_view name) {
    const std::span<const option_rule> all = option_rules();
    const auto match = std::find_if(all.begin(), all.end(), [&](const option_rule& rule) { return rule.name == name; });
    return match == all.end() ? nullptr : &*match;
}

std::string apply_rule(const option_rule& rule, options& settings, std::string_view value, bool is_first,
                       std::string_view& item) {
    item = value;
    if (rule.clear == nullptr) return rule.apply(settings, value);
    if (is_first) rule.clear(settings);
    for (std::size_t from = 0;;) {
        const std::size_t comma = std::min(value.find(',', from), value.size());
        item = value.substr(from, comma - from);
        if (std::string expected = rule.apply(settings, item); !expected.empty()) return expected;
        if (comma == value.size()) return {};
        from = comma + 1;
    }
}

std::string read_options(int argc, char** argv, options& settings) {
    std::vector<const option_rule*> seen;
    bool are_files = false;  // true after `--`
    for (int at = 1; at < argc; ++at) {
        const std::string_view argument = argv[at];
        if (argument == "--" && !are_files) {
            are_files = true;
            continue;
        }
        if (!seen.empty() && seen.back()->takes_many && !argument.starts_with('-')) {
            if (const std::string expected = seen.back()->apply(settings, argument); !expected.empty())
                return filled(texts::needs_value, {{"option", std::string(seen.back()->name)}, {"expected", expected}});
            continue;
        }
        std::string_view name;
        std::optional<std::string_view> value;
        split(argument, name, value);
        const option_rule* const rule = find_rule(name);
        if (are_files || (rule == nullptr && !argument.starts_with('-') && is_readable(argument))) {
            if (std::string problem = add_file(settings, std::string(argument)); !problem.empty()) return problem;
            continue;
        }
        if (rule == nullptr) return not_an_option(argument, name);
        if (rule->is_value_optional && !value) value = at + 1 < argc && argv[at + 1][0] != '-' ? argv[++at] : "";
        const std::string option(name);
        if (rule->value.empty() && value)
            return filled(texts::takes_no_value, {{"option", option}, {"found", quoted(*value)}});
        if (!rule->value.empty() && !value) {
            if (++at == argc)
                return filled(texts::needs_value,
                              {{"option", option},
                               {"expected", std::string(rule->value == "FILE" ? "a file name" : rule->value)}});
            value = argv[at];
        }
        std::string_view item;
        if (const std::string expected = apply_rule(*rule, settings, value.value_or(""), true, item); !expected.empty())
            return filled(item.empty() ? texts::needs_value : texts::found_in_value,
                          {{"option", option}, {"found", quoted(item)}, {"expected", expected}});
        settings.given.emplace_back(option, value.value_or(""));
        if (!rule->repeats && !rule->value.empty() && std::find(seen.begin(), seen.end(), rule) != seen.end())
            settings.warnings.push_back(filled(texts::repeated_option, {{"option", option}}));
        seen.push_back(rule);
    }
    return find_tiny_capacity(settings);
}

}  // namespace hbm::compare
