#include "compare/command_line/options.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "compare/command_line/file_options.hpp"
#include "compare/command_line/option_rules.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

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

[[noreturn]] void fail_unknown(std::string_view argument, std::string_view name) {
    constexpr const char* all = " All options: hbm_compare --help";
    std::error_code error;
    const std::string path(argument);
    if (std::filesystem::is_directory(path, error))
        throw usage_error(quoted(argument) + " is a folder: --program " + path +
                          " replays the programs of its dump, --serve " + path +
                          " finds the largest KV pool next to them.");
    if (!argument.starts_with('-')) throw usage_error(quoted(argument) + " is neither an option nor a file." + all);
    throw usage_error("unknown option " + quoted(name) +
                      trace::nearest_words(name, option_rules(), [](const option_rule& rule) { return rule.name; }) +
                      all);
}

/// Returns true if an argument without an option is a file that can be read.
bool is_readable(std::string_view argument) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(argument, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

void apply(const option_rule& rule, options& settings, std::string_view value) {
    const std::string name(rule.name);
    try {
        rule.apply(settings, value);
    } catch (const bad_value& wrong) {
        throw usage_error(value.empty() ? name + " needs " + wrong.expected
                                        : name + ": found " + quoted(value) + ", expected " + wrong.expected);
    }
    const bool is_again = std::any_of(settings.given.begin(), settings.given.end(),
                                      [&](const auto& entry) { return entry.first == name; });
    if (is_again && !rule.value.empty() && (rule.traits & repeats) == 0)
        settings.warnings.push_back(name + " is given more than once; the last one counts");
    settings.given.emplace_back(name, value);
    settings.what = std::max(settings.what, rule.what);
}

/// Reads the arguments into the options.
void read_arguments(int argc, char** argv, options& settings) {
    const option_rule* open = nullptr;  // an option that further values may follow
    bool are_files = false;             // true after `--`
    for (int at = 1; at < argc; ++at) {
        const std::string_view argument = argv[at];
        if (argument == "--" && !are_files) {
            are_files = true;
            continue;
        }
        if (open != nullptr && !argument.starts_with('-')) {
            apply(*open, settings, argument);
            continue;
        }
        std::string_view name;
        std::optional<std::string_view> value;
        split(argument, name, value);
        const option_rule* const rule = find_rule(name);
        if (are_files || (rule == nullptr && !argument.starts_with('-') && is_readable(argument))) {
            for (const std::string_view option : options_of_file(std::string(argument)))
                apply(*find_rule(option), settings, find_rule(option)->value.empty() ? "" : argument);
            continue;
        }
        if (rule == nullptr) fail_unknown(argument, name);
        const std::string option(name);
        if (rule->value.empty() && value)
            throw usage_error(option + ": found " + quoted(*value) + ", expected nothing: it takes no value");
        const bool has_more = at + 1 < argc && ((rule->traits & optional_value) == 0 || argv[at + 1][0] != '-');
        if (!rule->value.empty() && !value && has_more) value = argv[++at];
        if (!rule->value.empty() && !value && (rule->traits & optional_value) == 0)
            throw usage_error(option + " needs " + (rule->value == "FILE" ? "a file name" : std::string(rule->value)));
        apply(*rule, settings, value.value_or(""));
        if ((rule->traits & takes_many) != 0) open = rule;
    }
}

/// Checks that all options are about the task.
void check_task(const options& settings) {
    const std::span<const option_rule> rules = option_rules();
    const auto mode =
        std::find_if(rules.begin(), rules.end(), [&](const option_rule& rule) { return rule.what == settings.what; });
    for (const auto& [name, value] : settings.given) {
        const task_set counts_for = find_rule(name)->counts_for;
        if ((counts_for & tasks(settings.what)) != 0) continue;
        if (settings.what == task::compare) throw usage_error(name + ": found no --serve, whose weights it states");
        throw usage_error(std::string(mode->name) + " cannot be combined with " + name);
    }
    const bool is_for_programs = settings.format == output_format::csv || settings.format == output_format::md;
    if (settings.what != task::compare && is_for_programs)
        throw usage_error(std::string(mode->name) + " has the formats table and json, not csv and md");
    const auto limit = settings.capacities.front().what;
    const bool is_size = limit == capacity_choice::kind::usual || limit == capacity_choice::kind::given;
    if (settings.what == task::message && (settings.capacities.size() > 1 || !is_size))
        throw usage_error("--message takes one --capacity, a size such as 15.75GiB or a generation such as v5p");
}

/// Checks that no capacity is below a quantum: `--capacity 16` for 16 GiB. A capacity of 0 is allowed.
void check_capacities(const options& settings) {
    for (const capacity_choice& choice : settings.capacities)
        for (const std::uint64_t quantum : settings.quanta) {
            const std::uint64_t bytes = choice.device.capacity;
            const std::uint64_t least = quantum == device_quantum ? choice.device.quantum : quantum;
            if (choice.what == capacity_choice::kind::given && bytes != 0 && bytes < least)
                throw usage_error("--capacity: found " + trace::decimal(bytes) + " bytes, less than a quantum of " +
                                  trace::decimal(least) + ", expected a size with its unit, such as " +
                                  trace::decimal(bytes) + "GiB");
        }
}

/// Returns the files that are read.
std::vector<std::string> inputs(const options& settings) {
    std::vector<std::string> files = settings.described;
    for (const std::vector<program_request>* all : {&settings.programs, &settings.served})
        for (const program_request& entry : *all) {
            files.push_back(entry.file);
            files.insert(files.end(), entry.others.begin(), entry.others.end());
        }
    for (const source& entry : settings.sources)
        if (!entry.is_generated) files.push_back(entry.text);
    files.push_back(settings.weights);
    files.push_back(settings.message);
    return files;
}

/// Returns true if both paths mean a single file, existing or not.
bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error)) return true;
    const auto whole = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    const std::filesystem::path first = whole(a);
    return !a.empty() && !first.empty() && first == whole(b);
}

/// Checks that nothing that is written replaces what is read or written, and that stdout has one result. People may
/// read explanations and then the table; output for programs is alone.
void check_files(const options& settings) {
    std::map<std::string, std::string> outputs;  // the last path of each option
    for (const auto& [name, value] : settings.given)
        if ((find_rule(name)->traits & written) != 0) outputs[name] = value;
    const bool is_for_people = settings.format == output_format::table || settings.format == output_format::md;
    const bool has_stdout = settings.output.empty() || settings.output == "-";
    const std::vector<std::string> read = inputs(settings);
    for (auto entry = outputs.begin(); entry != outputs.end(); ++entry) {
        const auto& [name, path] = *entry;
        if (path == "-" && name != "-o" && (name != "--on-oom" || (has_stdout && !is_for_people)))
            throw usage_error(name + ": found -, expected the path of a file: stdout is for the comparison");
        for (const std::string& file : read)
            if (same_file(file, path))
                throw usage_error(path + ": found a file that is read, expected a path that may be overwritten");
        for (auto other = outputs.begin(); other != entry; ++other)
            if (same_file(other->second, path))
                throw usage_error(other->first + " and " + name + " name the same file");
    }
}

}  // namespace

void read_options(int argc, char** argv, options& settings) {
    read_arguments(argc, argv, settings);
    if (settings.what >= task::list) return;
    check_task(settings);
    check_capacities(settings);
    check_files(settings);
}

}  // namespace hbm::compare
