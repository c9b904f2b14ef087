#include <algorithm>
#include <array>

#include "compare/command_line/option_rules.hpp"
#include "compare/generate/generate.hpp"

namespace hbm::compare {

namespace {

void pad(std::string& text, std::size_t line_begin, std::size_t column) {
    const std::size_t length = text.size() - line_begin;
    text.append(length < column ? column - length : 1, ' ');
}

void add_option(std::string& text, const option_rule& rule) {
    constexpr std::size_t column = 26;
    const std::size_t begin = text.size();
    text += "  " + std::string(rule.name) + (rule.value.empty() ? "" : " ") + std::string(rule.value);
    if (text.size() - begin >= column) {
        text += '\n';
        text.append(column, ' ');
    } else {
        pad(text, begin, column);
    }
    for (std::size_t from = 0; from < rule.meaning.size();) {
        const std::size_t after = rule.meaning.find('\n', from) + 1;
        if (from != 0) text.append(column, ' ');
        text += rule.meaning.substr(from, after - from);
        from = after;
    }
}

void add_generator(std::string& text, const trace::generator& entry) {
    text += "  " + std::string(entry.name) + "\n      " + std::string(entry.summary) +
            (entry.device.empty() ? "" : " (" + std::string(entry.device) + ")") + "\n     ";
    std::size_t width = 5;
    for (const trace::parameter& key : entry.parameters) {
        const std::string words = ' ' + std::string(key.key) + '=' + trace::value_with_unit(key, key.usual);
        if (width + words.size() > 78) {
            text += "\n     ";
            width = 5;
        }
        text += words;
        width += words.size();
    }
    text += '\n';
}

constexpr std::string_view introduction =
    "hbm_compare: replays workloads under many managers of accelerator memory, side by side.\n"
    "\n"
    "Usage: hbm_compare [OPTION]... [FILE]...\n"
    "\n"
    "Without options the default managers meet five recorded traces and two generated TPU workloads.\n"
    "A FILE without an option is a trace, a program, samples or a message, by its content.\n";

constexpr std::string_view examples =
    "For runtime engineers:\n"
    "  hbm_compare --trace my_run.csv\n"
    "      which manager to take for it, and why\n"
    "  hbm_compare --trace my_run.csv --capacity v5e --manager '*best_fit*/evict_lru*'\n"
    "      which managers get through on a v5e, and at what price\n"
    "  hbm_compare --program module_0023.jit_step.after_optimizations.txt --capacity v5e --on-oom why.txt\n"
    "      does a compiled program fit, what to donate, and why it does not fit\n"
    "\n"
    "For authors of policies, shipped or your own:\n"
    "  hbm_compare --trace my_run.csv --html report.html\n"
    "      the default managers on a trace of your own; the page shows memory over time\n"
    "  hbm_compare --trace my_run.csv --capacity min --manager 'best_fit' --manager 'compacting<*fit>'\n"
    "      the least memory that each of them needs\n"
    "  for seed in $(seq 20); do hbm_compare --workload llm_serving --seed $seed --format csv; done\n"
    "      a sweep is a loop over rows of CSV\n"
    "  hbm_compare --workload llm_serving:page=4MiB --format json -o serving.json\n"
    "      figures for a program, identical to the byte in every run\n"
    "\n"
    "For an out-of-memory error:\n"
    "  hbm_compare --message error.log\n"
    "      what the error says and what helps\n"
    "  hbm_compare --trace my_run.csv --capacity v5e --manager tpu::runtime_memory --on-oom why.txt\n"
    "      the contents of memory at the failure, the obstacle and the remedies\n"
    "  hbm_compare --trace memory_stats.csv --growth\n"
    "      does memory grow steadily, and when does it end\n";

constexpr std::string_view conclusion =
    "Exit status: 0 done (a manager that runs out of memory is a result), 1 the run failed, 2 wrong usage or\n"
    "unreadable input, 130 interrupted. NO_COLOR is honoured. HBM_TRACE_DIRECTORY names the folder of the recorded\n"
    "traces, if they were moved.\n";

/// Part of the help: a heading of the table of options, or some options of several headings.
struct help_topic {
    std::string_view name;
    std::string_view heading = {};
    std::array<std::string_view, 8> options = {};

    [[nodiscard]] bool has(const option_rule& rule) const {
        return rule.group == heading || std::find(options.begin(), options.end(), rule.name) != options.end();
    }
};

constexpr std::string_view workloads_topic = "workloads";
constexpr std::string_view examples_topic = "examples";

constexpr std::array topics{
    help_topic{"input", "Input"},
    help_topic{"managers", "Managers"},
    help_topic{"memory", "Memory"},
    help_topic{"output", "Output"},
    help_topic{"viewers", "Files for other programs, in addition to the result"},
    help_topic{"modes", "Instead of a comparison"},
    help_topic{workloads_topic},
    help_topic{examples_topic},
};

void add_generators(std::string& text) {
    text += "Workloads that can be generated, with their parameters as usual:\n";
    for (const trace::generator& entry : trace::generators()) add_generator(text, entry);
}

/// Adds the options for which `is_meant` returns true, with their headings.
template <class Condition>
void add_options(std::string& text, Condition is_meant) {
    std::string_view group;
    for (const option_rule& rule : option_rules()) {
        if (!is_meant(rule)) continue;
        if (rule.group != group) text += (text.empty() ? "" : "\n") + std::string(rule.group) + ":\n";
        group = rule.group;
        add_option(text, rule);
    }
}

}  // namespace

std::vector<std::string_view> help_topics() {
    std::vector<std::string_view> result;
    for (const help_topic& entry : topics) result.push_back(entry.name);
    return result;
}

std::string help_text(std::string_view topic) {
    std::string text;
    if (topic.empty()) {
        text = introduction;
        text += "One topic: hbm_compare --help TOPIC:";
        for (const help_topic& entry : topics) text += ' ' + std::string(entry.name);
        text += '\n';
        add_options(text, [](const option_rule&) { return true; });
        text += '\n';
        add_generators(text);
        return text.append("\n").append(examples).append("\n").append(conclusion);
    }
    if (topic == examples_topic) return std::string(examples);
    if (topic == workloads_topic) {
        add_generators(text);
        return text;
    }
    const auto match =
        std::find_if(topics.begin(), topics.end(), [&](const help_topic& entry) { return entry.name == topic; });
    add_options(text, [&](const option_rule& rule) { return match->has(rule); });
    return text;
}

}  // namespace hbm::compare
