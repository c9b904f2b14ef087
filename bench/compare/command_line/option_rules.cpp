#include "compare/command_line/option_rules.hpp"

#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "compare/generate/parameters.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Returns several words as a list: `a, b or c`.
std::string alternatives(const std::vector<std::string_view>& words) {
    std::string list;
    for (std::size_t at = 0; at + 1 < words.size(); ++at) append_item(list, words[at]);
    return list + " or " + std::string(words.back());
}

/// Reads a value that is a word from a list.
template <class Value, std::size_t Count>
void choose(Value& target, std::string_view text, const std::array<std::pair<std::string_view, Value>, Count>& all) {
    std::vector<std::string_view> words;
    for (const auto& [word, value] : all) {
        words.push_back(word);
        if (word != text) continue;
        target = value;
        return;
    }
    throw bad_value{alternatives(words)};
}

/// Returns the items of a list with commas, each once.
std::vector<std::string_view> items_of(std::string_view text) {
    std::vector<std::string_view> items;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view item = text.substr(from, comma - from);
        if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
        from = comma + 1;
    }
    return items;
}

capacity_choice capacity_of(std::string_view text) {
    using kind = capacity_choice::kind;
    if (text == "unlimited") return {.what = kind::unlimited, .text = std::string(text)};
    if (text == "min") return {.what = kind::minimum, .text = std::string(text)};
    std::string wanted;  // v5e, also as V5E; 7x also as v7x
    for (const char letter : text)
        wanted += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    std::string generations;
    for (const memory_spec& generation : tpu::generations) {
        if (wanted == generation.name || wanted == std::string("v") + generation.name)
            return {.what = kind::given, .device = generation, .text = std::string(text)};
        append_item(generations, generation.name);
    }
    capacity_choice choice{.what = kind::given, .device = tpu::v5e, .text = std::string(text)};
    choice.device.name = "custom";
    if (!trace::parse_size(text, choice.device.capacity))
        throw bad_value{"unlimited, min, a size such as 15.75GiB or 16GB (K, M, G or T), or a generation: " +
                        generations};
    return choice;
}

void read_capacities(options& settings, std::string_view text) {
    settings.capacities.clear();
    for (const std::string_view item : items_of(text)) settings.capacities.push_back(capacity_of(item));
}

void read_quanta(options& settings, std::string_view text) {
    settings.quanta.clear();
    for (const std::string_view item : items_of(text)) {
        std::uint64_t bytes = 0;
        if (!trace::parse_size(item, bytes) || !std::has_single_bit(bytes))
            throw bad_value{"a power of two, such as 512"};
        settings.quanta.push_back(bytes);
    }
}

void read_in_flight(options& settings, std::string_view text) {
    std::uint64_t runs = max_in_flight;
    if (text != "unlimited" && (!trace::parse_number(text, runs) || runs > max_in_flight))
        throw bad_value{"unlimited, or a whole number from 0 to " + trace::decimal(max_in_flight)};
    settings.in_flight = static_cast<std::uint32_t>(runs);
}

void read_seed(options& settings, std::string_view text) {
    if (!trace::parse_number(text, settings.seed))
        throw bad_value{
            "a whole number from 0 to 18446744073709551615; for several seeds run the program several times"};
}

void read_jobs(options& settings, std::string_view text) {
    std::uint64_t jobs = 0;
    if (!trace::parse_number(text, jobs) || jobs == 0 || jobs > 1024) throw bad_value{"a whole number from 1 to 1024"};
    settings.jobs = static_cast<std::size_t>(jobs);
}

void read_format(options& settings, std::string_view text) {
    choose<output_format, 4>(settings.format, text,
                             {{{"table", output_format::table},
                               {"csv", output_format::csv},
                               {"json", output_format::json},
                               {"md", output_format::md}}});
}

template <when options::*Choice>
void read_when(options& settings, std::string_view text) {
    choose<when, 3>(settings.*Choice, text,
                    {{{"auto", when::automatic}, {"always", when::always}, {"never", when::never}}});
}

void read_help(options& settings, std::string_view text) {
    const std::vector<std::string_view> topics = help_topics();
    settings.topic = text;
    if (text.empty() || std::find(topics.begin(), topics.end(), text) != topics.end()) return;
    const std::string nearest = trace::nearest_words(text, topics, [](std::string_view entry) { return entry; });
    throw bad_value{"a topic: " + alternatives(topics) + (nearest == "." ? "" : nearest)};
}

void add_trace(options& settings, std::string_view text) {
    if (text.empty()) throw bad_value{"the path of a trace file, or - for stdin"};
    settings.sources.push_back({std::string(text == "-" ? "/dev/stdin" : text), false});
}

void add_workload(options& settings, std::string_view text) {
    if (text.empty()) throw bad_value{"the name of a workload"};
    settings.sources.push_back({std::string(text), true});
}

void add_program(options& settings, std::string_view text) {
    settings.programs.push_back(read_program_request("--program", text));
}

void add_served(options& settings, std::string_view text) {
    settings.served.push_back(read_program_request("--serve", text));
}

/// Reads a text that is not empty.
template <std::string options::*Text, const char* Expected>
void read_text(options& settings, std::string_view text) {
    if (text.empty()) throw bad_value{Expected};
    settings.*Text = text;
}

/// Like `read_text`, for a list of texts.
template <std::vector<std::string> options::*List, const char* Expected>
void add_text(options& settings, std::string_view text) {
    if (text.empty()) throw bad_value{Expected};
    (settings.*List).emplace_back(text);
}

template <bool options::*Switch>
void switch_on(options& settings, std::string_view) {
    settings.*Switch = true;
}

/// For options that only ask for a task.
void nothing(options&, std::string_view) {}

// Words for a value that is expected and missing.
constexpr char a_device[] = "the name or number of a device, such as TPU_0 or 1";
constexpr char a_file[] = "the path of a file";
constexpr char a_message[] = "the path of a file with the message, or - for stdin";
constexpr char a_pattern[] = "the name of a manager, or a pattern of names";
constexpr char a_result[] = "the path of the file to be written";
constexpr char a_size[] = "a size such as 14.2GiB, the path of a profile of JAX, or the name of a program";

// Topics of --help.
constexpr char input[] = "input";
constexpr char memory[] = "memory";
constexpr char output[] = "output";
constexpr char modes[] = "modes";
constexpr char general[] = "general";

constexpr task_set always = ~task_set{0};
constexpr task_set comparing = tasks(task::compare);
constexpr task_set replaying = tasks(task::compare, task::growth);

constexpr option_rule rules[] = {
    {input, "--trace", "FILE", add_trace, "a recorded trace, or a device memory profile of JAX",
     "CSV with the columns op,id,bytes, a MiniMalloc or an RMM log, also .gz\n", replaying, repeats},
    {input, "--workload", "NAME[:key=value,...]", add_workload, "a generated workload: --help workloads", "", replaying,
     repeats},
    {input, "--program", "FILE[:key=value,...]", add_program, "steps of a program, by any file of its XLA dump",
     "or of all programs of a dump, by its folder; several run on one device. Keys:\n"
     "runs=3 every=1 name=NAME with=FILE code=SIZE temp=SIZE share=yes|no\n"
     "donate=asis|all|none, or arguments to donate as well: donate=0+3-5\n",
     replaying, repeats},
    {input, "--seed", "N", read_seed, "of the generated workloads (default 1)", "", replaying},
    {input, "--device", "NAME", read_text<&options::device, a_device>,
     "of a profile of several devices (default the first)", "", tasks(task::compare, task::growth, task::serve)},
    {memory, "--manager", "GLOB", add_text<&options::managers, a_pattern>,
     "placement/eviction/donation, with wildcards",
     "trailing null policies are dropped; * crosses /; several unite in the order of\n"
     "the list; a name need not be listed, and names of tables and well-known ones\n"
     "are names, too: tpu::runtime_memory, xla_bfc\n",
     tasks(task::compare, task::list), repeats},
    {memory, "--list", "", nothing, "print the names of managers, or of those that --manager picks", "", always, plain,
     task::list},
    {memory, "--capacity", "SIZE|unlimited|min|TPU,...", read_capacities, "of the memory",
     "15.75GiB, 16GB (units are binary) or bytes; no limit; each manager's own\n"
     "minimum; or a TPU: v2, v3, v4, v5e, v5p, v6e, 7x. Default: what each manager\n"
     "needs, its minimum and its footprint without a limit; for workloads with\n"
     "programs the device's\n",
     tasks(task::compare, task::growth, task::message, task::serve)},
    {memory, "--quantum", "N,...", read_quanta, "sizes and offsets are multiples of it",
     "a power of two; default the device's: 128 for v5p and v6e, else 512\n", replaying},
    {memory, "--in-flight", "N|unlimited", read_in_flight, "runs that the host queues ahead (default 0)",
     "what they use stays in place meanwhile; unlimited: never waits before it must,\n"
     "or 1000 are in flight\n",
     replaying},
    {output, "--format", "table|csv|json|md", read_format, "(default table)"},
    {output, "-o", "FILE", read_text<&options::output, a_result>, "write the result there, all of it or nothing", "",
     always, written},
    {output, "--html", "FILE", read_text<&options::html, a_result>,
     "a page: the answer, a matrix, memory over time, failures", "", comparing, written},
    {output, "--on-oom", "FILE", read_text<&options::on_oom, a_result>,
     "for each manager that failed: memory, obstacle, remedies",
     "as JSON if the name ends in .json; -: on stdout, before a table\n", comparing, written},
    {output, "--perfetto", "FILE", read_text<&options::perfetto, a_result>, "trace events for ui.perfetto.dev",
     "what is in memory over time, moves and evictions; a manager is a process\n", comparing, written},
    {output, "--series", "FILE", read_text<&options::series, a_result>,
     "CSV: used and free bytes and fragmentation after each row", "", comparing, written},
    {output, "--details", "", switch_on<&options::details>, "all of an answer; a table for each workload", "",
     tasks(task::compare, task::growth, task::message, task::serve)},
    {output, "--offline", "", switch_on<&options::offline>, "what a workload needs with everything known in advance",
     "some seconds for a large trace; the table of a single small workload has it\n", comparing},
    {modes, "--message", "FILE|-", read_text<&options::message, a_message>,
     "what an out-of-memory message means and what helps",
     "it may stand anywhere in a log. With --describe MODULE also which arguments of\n"
     "that program could be donated, and with MODULE:donate=0+3-5 what donating these\n"
     "saves. With --capacity v5p, or a size, what it means on such a device\n",
     tasks(task::message), plain, task::message},
    {modes, "--describe", "FILE...", add_text<&options::described, a_file>, "what files of other programs say, as JSON",
     "HLO modules, buffer assignments, profiles and messages; gzip is unpacked\n", tasks(task::describe, task::message),
     repeats | takes_many, task::describe},
    {modes, "--growth", "", nothing, "does memory grow, which tag, when is it full",
     "of traces, of CSV from memory_stats() or tpu-info with the column bytes_in_use,\n"
     "and of logs in which memory_stats() was printed. Of a memory profile of JAX it\n"
     "lists who holds what\n",
     tasks(task::growth), plain, task::growth},
    {modes, "--serve", "FOLDER|FILE|LOG...", add_served, "the largest KV pool",
     "that leaves all programs of a dump room, or by how much the pool of failed starts\n"
     "was too large, from their logs; what to type for vLLM and SGLang. Keys as for\n"
     "--program: FOLDER:code=180MiB\n",
     tasks(task::serve), repeats | takes_many, task::serve},
    {modes, "--weights", "SIZE|PROFILE|PROGRAM", read_text<&options::weights, a_size>, "of --serve",
     "a size, a memory profile of JAX, or the program whose arguments they are, without\n"
     "those it donates; default the program with most of them\n",
     tasks(task::serve)},
    {general, "--jobs", "N", read_jobs, "cores at work (default all); no figure depends on it"},
    {general, "--color", "WHEN", read_when<&options::color>, "auto, always or never",
     "auto: on a terminal, unless NO_COLOR is set\n"},
    {general, "--progress", "WHEN", read_when<&options::progress>, "auto, always or never: progress on stderr"},
    {general, "-q", "", switch_on<&options::quiet>, "neither progress nor warnings"},
    {general, "--help", "[TOPIC]", read_help, "this text (also -h), or a topic in full", "", always, optional_value,
     task::help},
    {general, "--version", "", nothing, "the version (also -v, -V)", "", always, plain, task::version},
};

}  // namespace

std::span<const option_rule> option_rules() {
    return rules;
}

const option_rule* find_rule(std::string_view name) {
    const auto match =
        std::find_if(std::begin(rules), std::end(rules), [&](const option_rule& rule) { return rule.name == name; });
    return match == std::end(rules) ? nullptr : match;
}

}  // namespace hbm::compare
