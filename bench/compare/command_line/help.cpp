#include <algorithm>
#include <string>

#include "compare/command_line/option_rules.hpp"
#include "compare/generate/generate.hpp"

namespace hbm::compare {

namespace {

/// Topic of the help.
struct help_topic {
    std::string_view name;
    std::string_view heading;
    bool has_options = true;
};

constexpr help_topic topics[] = {
    {"input", "Input"},
    {"memory", "Managers and memory"},
    {"output", "Output"},
    {"modes", "Instead of a comparison"},
    {"general", "General"},
    {"workloads", "Workloads that can be generated, with their parameters as usual", false},
    {"examples", "Examples", false},
};

constexpr std::string_view introduction =
    "Usage: hbm_compare [OPTION]... [FILE]...\n"
    "Replays workloads under many managers of accelerator memory, side by side. A FILE is a trace, a program,\n"
    "samples or a message, by its content; without files, recorded traces and TPU workloads are compared.\n";

constexpr std::string_view examples =
    "  hbm_compare my_run.csv\n"
    "      which manager to take for it, and why\n"
    "  hbm_compare --trace my_run.csv --capacity v5e --manager '*best_fit*/evict_lru*'\n"
    "      which managers get through on a v5e, and at what price\n"
    "  hbm_compare --program module_0023.jit_step.after_optimizations.txt --capacity v5e --on-oom why.txt\n"
    "      does a compiled program fit, what to donate, and why it does not fit\n"
    "  hbm_compare --trace my_run.csv --html report.html\n"
    "      a page that shows memory over time\n"
    "  for seed in $(seq 20); do hbm_compare --workload llm_serving --seed $seed --format csv; done\n"
    "      a sweep is a loop over rows of CSV\n"
    "  hbm_compare --message error.log\n"
    "      what an out-of-memory error says and what helps\n"
    "  hbm_compare --growth --trace memory_stats.csv\n"
    "      does memory grow steadily, and when does it end\n";

constexpr std::string_view conclusion =
    "Exit status: 0 done (a manager that runs out of memory is a result), 1 the run failed, 2 wrong usage or\n"
    "unreadable input, 130 interrupted. HBM_TRACE_DIRECTORY names the folder of the recorded traces.\n";

constexpr std::size_t column = 40;  // of the meanings

void add_option(std::string& text, const option_rule& rule, bool is_whole) {
    std::string line = "  " + std::string(rule.name) + (rule.value.empty() ? "" : " ") + std::string(rule.value);
    line.resize(std::max(column, line.size() + 1), ' ');
    text += line + std::string(rule.meaning) + '\n';
    for (std::string_view more = is_whole ? rule.more : std::string_view{}; !more.empty();) {
        const std::size_t end = more.find('\n') + 1;
        text += "      " + std::string(more.substr(0, end));
        more.remove_prefix(end);
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

void add_topic(std::string& text, const help_topic& topic, bool is_whole) {
    text += std::string(topic.heading) + ":\n";
    for (const option_rule& rule : option_rules())
        if (rule.topic == topic.name) add_option(text, rule, is_whole);
}

}  // namespace

std::vector<std::string_view> help_topics() {
    std::vector<std::string_view> result;
    for (const help_topic& entry : topics) result.push_back(entry.name);
    return result;
}

std::string help_text(std::string_view name) {
    std::string text;
    if (name.empty()) {
        text = introduction;
        std::string names;
        for (const help_topic& topic : topics) {
            if (topic.has_options) add_topic(text, topic, false);
            names += ' ' + std::string(topic.name);
        }
        return text + "Topics in full: hbm_compare --help TOPIC:" + names + '\n';
    }
    for (const help_topic& topic : topics)
        if (topic.name == name) add_topic(text, topic, true);
    if (name == "workloads")
        for (const trace::generator& entry : trace::generators()) add_generator(text, entry);
    if (name == "examples") text += examples;
    if (name == "general") text += conclusion;
    return text;
}

}  // namespace hbm::compare
