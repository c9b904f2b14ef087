#include "compare/option_rules.hpp"

#include <hbm/tpu.hpp>
#include <hbm/trace/text.hpp>

#include <array>
#include <bit>
#include <utility>

#include "compare/sweep_values.hpp"
#include "generate/parameters.hpp"

namespace hbm::compare {

namespace {

/// Reads a value that is a word from a list.
template <class Value, std::size_t Count>
std::string choose(Value& into, std::string_view text,
                   const std::array<std::pair<std::string_view, Value>, Count>& all) {
    std::string expected;
    for (std::size_t at = 0; at < Count; ++at) {
        if (all[at].first == text) {
            into = all[at].second;
            return {};
        }
        expected += at == 0 ? "" : at + 1 == Count ? " or " : ", ";
        expected += all[at].first;
    }
    return expected;
}

std::string choose_when(when& into, std::string_view text) {
    return choose<when, 3>(into, text, {{{"auto", when::automatic}, {"always", when::always}, {"never", when::never}}});
}

std::string read_capacity(options& into, std::string_view text) {
    using kind = capacity_choice::kind;
    if (text == "unlimited" || text == "min") {
        into.capacities.push_back(
            {.what = text == "min" ? kind::minimum : kind::unlimited, .device = {}, .text = std::string(text)});
        return {};
    }
    std::string expected = "unlimited, min, a size such as 15.75GiB or 16GB (K, M, G or T), or a generation:";
    std::string wanted;  // v5e, also as V5E; 7x also as v7x
    for (const char each : text) wanted += each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    for (const memory_spec& generation : tpu::generations) {
        if (wanted == generation.name || wanted == std::string("v") + generation.name) {
            into.capacities.push_back({.what = kind::given, .device = generation, .text = std::string(text)});
            return {};
        }
        expected += std::string(expected.back() == ':' ? " " : ", ") + generation.name;
    }
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes)) return expected;
    capacity_choice& made = into.capacities.emplace_back();
    made = {.what = kind::given, .device = tpu::v5e, .text = std::string(text)};
    made.device.name = "custom";
    made.device.capacity = bytes;
    return {};
}

std::string read_quantum(options& into, std::string_view text) {
    std::uint64_t bytes = 0;
    if (!trace::parse_size(text, bytes) || !std::has_single_bit(bytes)) return "a power of two, such as 512";
    into.quanta.push_back(bytes);
    return {};
}

std::string read_in_flight(options& into, std::string_view text) {
    std::uint64_t runs = max_in_flight;
    if (text != "unlimited" && (!trace::parse_number(text, runs) || runs > max_in_flight))
        return "unlimited, or a whole number from 0 to " + std::to_string(max_in_flight);
    into.in_flight = static_cast<std::uint32_t>(runs);
    return {};
}

std::string read_seed(options& into, std::string_view text) {
    if (read_range(text, into.seeds)) return {};
    return "a whole number from 0 to 18446744073709551615, or a range of at most " + std::to_string(max_values) +
           ", such as 1..20";
}

std::string read_shard(options& into, std::string_view text) {
    std::uint64_t which = 0;
    std::uint64_t all = 0;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || !trace::parse_number(text.substr(0, slash), which) ||
        !trace::parse_number(text.substr(slash + 1), all) || which == 0 || which > all || all > max_values)
        return "I/N, two whole numbers from 1, I at most N, such as 2/8";
    into.shard = static_cast<std::size_t>(which);
    into.shards = static_cast<std::size_t>(all);
    return {};
}

std::string read_rounds(options& into, std::string_view text) {
    std::uint64_t rounds = 0;
    if (!trace::parse_number(text, rounds) || rounds > 1000) return "a whole number from 0 to 1000";
    into.rounds = rounds;
    return {};
}

std::string read_jobs(options& into, std::string_view text) {
    std::uint64_t jobs = 0;
    if (!trace::parse_number(text, jobs) || jobs == 0 || jobs > 1024) return "a whole number from 1 to 1024";
    into.jobs = static_cast<std::size_t>(jobs);
    return {};
}

std::string read_effort(options& into, std::string_view text) {
    return trace::parse_number(text, into.effort) ? "" : "a whole number from 0 to 18446744073709551615";
}

std::string read_format(options& into, std::string_view text) {
    into.has_format = true;
    return choose<output_format, 4>(into.format, text,
                                    {{{"table", output_format::table},
                                      {"csv", output_format::csv},
                                      {"json", output_format::json},
                                      {"md", output_format::md}}});
}

template <std::string options::*Path>
std::string read_path(options& into, std::string_view text) {
    into.*Path = text;
    return text.empty() ? "the path of the file to be written" : "";
}

std::string add_source(options& into, std::string_view text, bool is_generated) {
    if (text.empty()) return is_generated ? "the name of a workload" : "the path of a trace file";
    into.sources.push_back({std::string(text), is_generated, {}});
    return {};
}

std::string add_program(options& into, std::string_view text) {
    return read_program_request(text, into.programs.emplace_back());
}

constexpr std::array rules{
    option_rule{"What to replay", "--trace", "FILE",
                "a recorded trace: CSV, MiniMalloc or RMM log, also .gz; a device\n"
                "memory profile of JAX, or a memory snapshot of PyTorch\n",
                true, [](options& into, std::string_view text) { return add_source(into, text, false); }},
    option_rule{"What to replay", "--device", "NAME",
                "of a profile or snapshot of several devices (default the first)\n", false,
                [](options& into, std::string_view text) {
                    into.device = text;
                    return std::string(text.empty() ? "the name or number of a device, such as TPU_0 or 1" : "");
                }},
    option_rule{"What to replay", "--workload", "NAME[:key=value,...]",
                "a generated workload; see below. Several values: key=200|400, key=1..5\n", true,
                [](options& into, std::string_view text) { return add_source(into, text, true); }},
    option_rule{"What to replay", "--program", "FILE[:key=value,...]",
                "steps of a program, by any file of its XLA dump; several run on\n"
                "one device. Keys: runs=3 every=1 name=NAME with=FILE code=SIZE\n"
                "temp=SIZE donate=asis|all|none share=yes|no\n",
                true, add_program},
    option_rule{"What to replay", "--seed", "N,...",
                "of the generated workloads (default 1); several, and ranges such as\n"
                "1..20: each table then says what all of them have in common\n",
                false, read_seed, false, [](options& into) { into.seeds.clear(); }},
    option_rule{"What to replay", "--sweep", "FILE",
                "grids of workloads, capacities, quanta, seeds and managers, described\n"
                "in a file: see bench/README.md\n",
                false,
                [](options& into, std::string_view text) {
                    into.sweep = text;
                    return std::string(text.empty() ? "the path of a file" : "");
                }},
    option_rule{"What to replay", "--shard", "I/N",
                "only the I-th of N parts, as JSON for `hbm_compare merge`; the same\n"
                "command makes each of them, on whatever machine\n",
                false, read_shard},
    option_rule{"Who takes part", "--manager", "GLOB",
                "placement/eviction/donation; trailing null policies are dropped,\n"
                "* and ? are wildcards, * crosses /; several unite in list order;\n"
                "or a manager that people know: tpu::runtime_memory, xla_bfc\n",
                true,
                [](options& into, std::string_view text) {
                    if (!text.empty()) into.managers.emplace_back(text);
                    return std::string(text.empty() ? "the name of a manager, or a pattern of names" : "");
                }},
    option_rule{"Who takes part", "--baseline", "NAME",
                "the manager that times are compared with (default best_fit,\n"
                "if it takes part, else the first)\n",
                false,
                [](options& into, std::string_view text) {
                    into.baseline = text;
                    return std::string(text.empty() ? "the name of a manager" : "");
                }},
    option_rule{"Who takes part", "--list", "", "print the names of all managers, or of those that --manager picks\n",
                false,
                [](options& into, std::string_view) {
                    into.list = true;
                    return std::string{};
                }},
    option_rule{"In what memory", "--capacity", "SIZE|unlimited|min|GENERATION,...",
                "15.75GiB, 16GB (units are binary), bytes; no limit; each manager's\n"
                "own minimum; or a TPU: v2, v3, v4, v5e, v5p, v6e, 7x (default: what\n"
                "each manager needs, its minimum and its footprint without a limit;\n"
                "for workloads with programs the device's)\n",
                false, read_capacity, false, [](options& into) { into.capacities.clear(); }},
    option_rule{"In what memory", "--quantum", "N,...",
                "sizes and offsets are multiples of it; a power of two (default 512)\n", false, read_quantum, false,
                [](options& into) { into.quanta.clear(); }},
    option_rule{"In what memory", "--in-flight", "N|unlimited",
                "how many runs of programs the host is ahead of the device: what they\n"
                "use stays where it is meanwhile (default 0; unlimited: never waits\n"
                "before it must, or 1000 are in flight)\n",
                false, read_in_flight},
    option_rule{"What comes out", "--format", "table|csv|json|md", "(default table)\n", false, read_format},
    option_rule{"What comes out", "-o", "FILE", "write the result there, all of it or nothing (default: stdout)\n",
                false, read_path<&options::output>},
    option_rule{"What comes out", "--html", "FILE",
                "write there a page for a browser: the answer, a matrix, memory over\n"
                "time under each manager, failures; it needs no other file\n",
                false, read_path<&options::html>},
    option_rule{"What comes out", "--save", "FILE",
                "keep every figure that is the same on every machine, for --check\n", false, read_path<&options::save>},
    option_rule{"What comes out", "--check", "FILE",
                "say on stderr which figures got worse since --save, and by how much;\n"
                "exit status 1 if any did\n",
                false,
                [](options& into, std::string_view text) {
                    into.check = text;
                    return std::string(text.empty() ? "the path of a file that --save wrote" : "");
                }},
    option_rule{"What comes out", "--on-oom", "FILE",
                "write there, for each manager that failed, what was in its memory,\n"
                "what stood in the way and what would have helped; as JSON if the\n"
                "name ends in .json\n",
                false, read_path<&options::on_oom>},
    option_rule{"What comes out", "--recommend", "",
                "instead of tables: which manager to take for these workloads and\n"
                "this memory, why, what a simpler one costs, and its type in C++; with\n"
                "--format json beside the figures, as \"recommendation\"\n",
                false,
                [](options& into, std::string_view) {
                    into.recommend = true;
                    return std::string{};
                }},
    option_rule{"What comes out", "--wide", "",
                "a row of the table for each manager, with its full name, and all\n"
                "columns, however wide that is\n",
                false,
                [](options& into, std::string_view) {
                    into.wide = true;
                    return std::string{};
                }},
    option_rule{"What comes out", "--growth", "",
                "instead of a comparison: does memory grow steadily, which tag is it,\n"
                "how much a step, when does memory end. A FILE may also be a CSV of\n"
                "memory_stats() or tpu-info, with the column bytes_in_use. As a table\n"
                "or, with --format json, as hbm-growth/1. With --trace memory.prof, a\n"
                "device memory profile of JAX, it lists who holds what\n",
                false,
                [](options& into, std::string_view) {
                    into.growth = true;
                    return std::string{};
                }},
    option_rule{"What comes out", "--effort", "N",
                "how many looks at blocks each explanation of --on-oom may take\n"
                "(default 3000000, some hundredths of a second)\n",
                false, read_effort},
    option_rule{"What comes out", "--rounds", "N",
                "how often to measure the time, interleaved (default 3, fewer for\n"
                "long workloads); 0: not at all, and then the output is the same\n"
                "to the byte whenever it is made\n",
                false, read_rounds},
    option_rule{"What comes out", "--jobs", "N",
                "how many cores work at a time (default all); whatever is timed runs\n"
                "alone afterwards, and no figure depends on it\n",
                false, read_jobs},
    option_rule{"What comes out", "--color", "WHEN",
                "auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n", false,
                [](options& into, std::string_view text) { return choose_when(into.color, text); }},
    option_rule{"What comes out", "--progress", "WHEN", "the same for progress, which goes to stderr\n", false,
                [](options& into, std::string_view text) { return choose_when(into.progress, text); }},
    option_rule{"What comes out", "-q", "", "neither progress nor warnings\n", false,
                [](options& into, std::string_view) {
                    into.quiet = true;
                    return std::string{};
                }},
    option_rule{"Files for other programs, beside the result", "--perfetto", "FILE",
                "trace events in JSON for ui.perfetto.dev and chrome://tracing: what is\n"
                "in memory over time, moves and evictions; a manager is a process\n",
                false, read_path<&options::perfetto>},
    option_rule{"Files for other programs, beside the result", "--snapshot", "FILE",
                "a memory snapshot for pytorch.org/memory_viz; a manager is a device\n", false,
                read_path<&options::snapshot>},
    option_rule{"Files for other programs, beside the result", "--pprof", "FILE",
                "a heap profile for `go tool pprof`: who holds what when most is in use,\n"
                "and at the end or the failure; a manager is a device\n",
                false, read_path<&options::pprof>},
    option_rule{"Files for other programs, beside the result", "--minimalloc", "FILE",
                "lifetimes, sizes and the offsets of the baseline, as MiniMalloc reads\n"
                "them; of a single workload\n",
                false, read_path<&options::minimalloc>},
    option_rule{"Files for other programs, beside the result", "--series", "FILE",
                "CSV: what is used and free, and how fragmented, after each row\n", false, read_path<&options::series>},
    option_rule{"What to do instead of comparing", "merge", "FILE...",
                "puts all shards of a command together: what a single run had written,\n"
                "as JSON or with --format csv\n",
                true,
                [](options& into, std::string_view text) {
                    if (!text.empty()) into.merge.emplace_back(text);
                    return std::string(text.empty() ? "the path of a shard" : "");
                },
                true},
    option_rule{"What to do instead of comparing", "--describe", "FILE...",
                "what files of other programs say about a program's memory, as JSON:\n"
                "HLO modules and the like; gzip is unpacked\n",
                true,
                [](options& into, std::string_view text) {
                    if (!text.empty()) into.described.emplace_back(text);
                    return std::string(text.empty() ? "the path of a file" : "");
                },
                true},
    option_rule{"What to do instead of comparing", "--message", "FILE|-",
                "what an out-of-memory message of a TPU means and what helps; it may\n"
                "stand anywhere in a log; -: stdin. With --describe MODULE it also\n"
                "says which arguments of that program could be donated\n",
                false,
                [](options& into, std::string_view text) {
                    into.message = text;
                    return std::string(text.empty() ? "the path of a file with the message, or - for stdin" : "");
                }},
    option_rule{"What to do instead of comparing", "--before", "FILE",
                "an earlier message or memory_stats(): what has changed since\n", false,
                [](options& into, std::string_view text) {
                    into.before = text;
                    return std::string(text.empty() ? "the path of a file" : "");
                }},
    option_rule{"What to do instead of comparing", "--layout", "FILE",
                "what lies where at the end of a memory snapshot of PyTorch, as a trace\n"
                "of import rows\n",
                false,
                [](options& into, std::string_view text) {
                    into.layout = text;
                    return std::string(text.empty() ? "the path of a memory snapshot" : "");
                }},
    option_rule{"Other", "--help", "", "this text (also -h)\n", false,
                [](options& into, std::string_view) {
                    into.help = true;
                    return std::string{};
                }},
    option_rule{"Other", "--version", "", "the version (also -v)\n", false,
                [](options& into, std::string_view) {
                    into.version = true;
                    return std::string{};
                }},
};

}  // namespace

std::span<const option_rule> option_rules() {
    return rules;
}

}  // namespace hbm::compare
