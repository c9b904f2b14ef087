#include "compare/command_line/option_rules.hpp"

#include "compare/command_line/option_values.hpp"

namespace hbm::compare {

namespace {

// Words for a value that is expected and missing.
constexpr char a_device[] = "the name or number of a device, such as TPU_0 or 1";
constexpr char a_file[] = "the path of a file";
constexpr char a_message[] = "the path of a file with the message, or - for stdin";
constexpr char a_pattern[] = "the name of a manager, or a pattern of names";
constexpr char a_result[] = "the path of the file to be written";
constexpr char a_size[] = "a size such as 14.2GiB, the path of a profile of JAX, or the name of a program";

// Headings in --help.
constexpr char replayed[] = "Input";
constexpr char compared[] = "Managers";
constexpr char memory[] = "Memory";
constexpr char result[] = "Output";
constexpr char other_files[] = "Files for other programs, in addition to the result";
constexpr char other_modes[] = "Instead of a comparison";
constexpr char general[] = "Other";

constexpr option_rule rules[] = {
    {replayed, "--trace", "FILE", add_trace,
     "a recorded trace: CSV, MiniMalloc or RMM log, also .gz; or a device\n"
     "memory profile of JAX\n",
     true},
    {replayed, "--device", "NAME", read_text<&options::device, a_device>,
     "of a profile of several devices (default the first)\n"},
    {replayed, "--workload", "NAME[:key=value,...]", add_workload, "a generated workload; see --help workloads\n",
     true},
    {replayed, "--program", "FILE[:key=value,...]", add_program,
     "steps of a program, by any file of its XLA dump, or of all programs\n"
     "of a dump, by its folder; several run on one device. Keys: runs=3\n"
     "every=1 name=NAME with=FILE code=SIZE temp=SIZE share=yes|no\n"
     "donate=asis|all|none, or arguments to donate as well: donate=0+3-5\n",
     true},
    {replayed, "--seed", "N", read_seed, "of the generated workloads (default 1)\n"},
    {compared, "--manager", "GLOB", add_text<&options::managers, a_pattern>,
     "placement/eviction/donation; trailing null policies are dropped,\n"
     "* and ? are wildcards, * crosses /; several unite in list order;\n"
     "or a well-known manager: tpu::runtime_memory, xla_bfc\n",
     true},
    {compared, "--list", "", switch_on<&options::list>,
     "print the names of all managers, or of those that --manager picks\n"},
    {memory, "--capacity", "SIZE|unlimited|min|GENERATION,...", read_capacity,
     "15.75GiB, 16GB (units are binary), bytes; no limit; each manager's\n"
     "own minimum; or a TPU: v2, v3, v4, v5e, v5p, v6e, 7x (default: what\n"
     "each manager needs, its minimum and its footprint without a limit;\n"
     "for workloads with programs the device's)\n",
     false, false, forget<&options::capacities>},
    {memory, "--quantum", "N,...", read_quantum,
     "sizes and offsets are multiples of it; a power of two (default the\n"
     "device's: 128 for v5p and v6e, else 512)\n",
     false, false, forget<&options::quanta>},
    {memory, "--in-flight", "N|unlimited", read_in_flight,
     "how many runs the host may queue ahead of the device: what they\n"
     "use stays in place meanwhile (default 0; unlimited: never waits\n"
     "before it must, or 1000 are in flight)\n"},
    {result, "--format", "table|csv|json|md", read_format, "(default table)\n"},
    {result, "-o", "FILE", read_text<&options::output, a_result>,
     "write the result there, all of it or nothing (default: stdout)\n"},
    {result, "--html", "FILE", read_text<&options::html, a_result>,
     "write there a page for a browser: the answer, a matrix, memory over\n"
     "time under each manager, failures; it needs no other file\n"},
    {result, "--on-oom", "FILE", read_text<&options::on_oom, a_result>,
     "write there, for each manager that failed, the contents of its memory,\n"
     "the obstacle and the remedies; as JSON if the name ends in .json;\n"
     "-: on stdout, before a table\n"},
    {result, "--offline", "", switch_on<&options::offline>,
     "what each workload would need with everything known in advance, as a\n"
     "yardstick: some seconds for a large trace. A table of a single small\n"
     "workload has it in any case\n"},
    {result, "--details", "", switch_on<&options::details>,
     "with several workloads, a table for each after that of all\n"},
    {result, "--growth", "", switch_on<&options::growth>,
     "instead of a comparison: does memory grow steadily, which tag is it,\n"
     "how much a step, when does memory end. A FILE may also be a CSV of\n"
     "memory_stats() or tpu-info, with the column bytes_in_use, or a log\n"
     "in which memory_stats() was printed. As a table or, with --format\n"
     "json, as hbm-growth/1. With --trace memory.prof, a device memory\n"
     "profile of JAX, it lists who holds what\n"},
    {result, "--jobs", "N", read_jobs, "how many cores work at a time (default all); no figure depends on it\n"},
    {result, "--color", "WHEN", read_when<&options::color>,
     "auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n"},
    {result, "--progress", "WHEN", read_when<&options::progress>, "auto, always or never: progress on stderr\n"},
    {result, "-q", "", switch_on<&options::quiet>, "neither progress nor warnings\n"},
    {other_files, "--perfetto", "FILE", read_text<&options::perfetto, a_result>,
     "trace events in JSON for ui.perfetto.dev and chrome://tracing: what is\n"
     "in memory over time, moves and evictions; a manager is a process\n"},
    {other_files, "--series", "FILE", read_text<&options::series, a_result>,
     "CSV: what is used and free, and how fragmented, after each row\n"},
    {other_modes, "--describe", "FILE...", add_text<&options::described, a_file>,
     "what files of other programs say about a program's memory, as JSON:\n"
     "HLO modules and the like; gzip is unpacked\n",
     true, true},
    {other_modes, "--message", "FILE|-", read_text<&options::message, a_message>,
     "what an out-of-memory message of a TPU means and what helps; it may\n"
     "stand anywhere in a log; -: stdin. With --describe MODULE also\n"
     "which arguments of that program could be donated, and with\n"
     "MODULE:donate=0+3-5 what donating these saves. With --capacity v5p,\n"
     "or a size, what the figures mean on such a device\n"},
    {other_modes, "--serve", "FOLDER|FILE|LOG...", add_served,
     "the largest KV pool that leaves all programs of a dump room, or by how\n"
     "much the pool of failed starts was too large, from their logs; what to\n"
     "type for vLLM and SGLang. With --capacity, and --weights. Keys as for\n"
     "--program: FOLDER:code=180MiB. With --format json as hbm-serve/1\n",
     true, true},
    {other_modes, "--weights", "SIZE|PROFILE|PROGRAM", read_text<&options::weights, a_size>,
     "for --serve: a size, a memory profile of JAX, or the program whose\n"
     "arguments they are, without those it donates (default the program\n"
     "with most of them)\n"},
    {general, "--help", "[TOPIC]", read_help, "this text (also -h), or a part of it\n", false, false, nullptr, true},
    {general, "--version", "", switch_on<&options::version>, "the version (also -v, -V)\n"},
};

}  // namespace

std::span<const option_rule> option_rules() {
    return rules;
}

}  // namespace hbm::compare
