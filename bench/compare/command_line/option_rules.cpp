#include "compare/command_line/option_rules.hpp"

#include <array>

#include "compare/command_line/option_values.hpp"

namespace hbm::compare {

namespace {

// Words for a value that is expected and missing.
constexpr char a_device[] = "the name or number of a device, such as TPU_0 or 1";
constexpr char a_file[] = "the path of a file";
constexpr char a_manager[] = "the name of a manager";
constexpr char a_message[] = "the path of a file with the message, or - for stdin";
constexpr char a_pattern[] = "the name of a manager, or a pattern of names";
constexpr char a_result[] = "the path of the file to be written";
constexpr char a_saved_file[] = "the path of a file that --save wrote";
constexpr char a_shard[] = "the path of a shard";
constexpr char a_snapshot[] = "the path of a memory snapshot";

constexpr std::array rules{
    option_rule{"What to replay", "--trace", "FILE",
                "a recorded trace: CSV, MiniMalloc or RMM log, also .gz; a device\n"
                "memory profile of JAX, or a memory snapshot of PyTorch\n",
                true, add_trace},
    option_rule{"What to replay", "--device", "NAME",
                "of a profile or snapshot of several devices (default the first)\n", false,
                read_text<&options::device, a_device>},
    option_rule{"What to replay", "--workload", "NAME[:key=value,...]",
                "a generated workload; see below. Several values: key=200|400, key=1..5\n", true, add_workload},
    option_rule{"What to replay", "--program", "FILE[:key=value,...]",
                "steps of a program, by any file of its XLA dump; several run on\n"
                "one device. Keys: runs=3 every=1 name=NAME with=FILE code=SIZE\n"
                "temp=SIZE donate=asis|all|none share=yes|no\n",
                true, add_program},
    option_rule{"What to replay", "--seed", "N,...",
                "of the generated workloads (default 1); several, and ranges such as\n"
                "1..20: each table then says what all of them have in common\n",
                false, read_seed, false, forget<&options::seeds>},
    option_rule{"What to replay", "--sweep", "FILE",
                "grids of workloads, capacities, quanta, seeds and managers, described\n"
                "in a file: see bench/README.md\n",
                false, read_text<&options::sweep, a_file>},
    option_rule{"What to replay", "--shard", "I/N",
                "only the I-th of N parts, as JSON for `hbm_compare merge`; the same\n"
                "command makes each of them, on whatever machine\n",
                false, read_shard},
    option_rule{"Who takes part", "--manager", "GLOB",
                "placement/eviction/donation; trailing null policies are dropped,\n"
                "* and ? are wildcards, * crosses /; several unite in list order;\n"
                "or a manager that people know: tpu::runtime_memory, xla_bfc\n",
                true, add_text<&options::managers, a_pattern>},
    option_rule{"Who takes part", "--baseline", "NAME",
                "the manager that times are compared with (default best_fit,\n"
                "if it takes part, else the first)\n",
                false, read_text<&options::baseline, a_manager>},
    option_rule{"Who takes part", "--list", "", "print the names of all managers, or of those that --manager picks\n",
                false, switch_on<&options::list>},
    option_rule{"In what memory", "--capacity", "SIZE|unlimited|min|GENERATION,...",
                "15.75GiB, 16GB (units are binary), bytes; no limit; each manager's\n"
                "own minimum; or a TPU: v2, v3, v4, v5e, v5p, v6e, 7x (default: what\n"
                "each manager needs, its minimum and its footprint without a limit;\n"
                "for workloads with programs the device's; for worst_case no limit)\n",
                false, read_capacity, false, forget<&options::capacities>},
    option_rule{"In what memory", "--quantum", "N,...",
                "sizes and offsets are multiples of it; a power of two (default 512)\n", false, read_quantum, false,
                forget<&options::quanta>},
    option_rule{"In what memory", "--in-flight", "N|unlimited",
                "how many runs of programs the host is ahead of the device: what they\n"
                "use stays where it is meanwhile (default 0; unlimited: never waits\n"
                "before it must, or 1000 are in flight)\n",
                false, read_in_flight},
    option_rule{"What comes out", "--format", "table|csv|json|md", "(default table)\n", false, read_format},
    option_rule{"What comes out", "-o", "FILE", "write the result there, all of it or nothing (default: stdout)\n",
                false, read_text<&options::output, a_result>},
    option_rule{"What comes out", "--html", "FILE",
                "write there a page for a browser: the answer, a matrix, memory over\n"
                "time under each manager, failures; it needs no other file\n",
                false, read_text<&options::html, a_result>},
    option_rule{"What comes out", "--save", "FILE",
                "keep every figure that is the same on every machine, for --check\n", false,
                read_text<&options::save, a_result>},
    option_rule{"What comes out", "--check", "FILE",
                "say on stderr which figures got worse since --save, and by how much;\n"
                "exit status 1 if any did\n",
                false, read_text<&options::check, a_saved_file>},
    option_rule{"What comes out", "--on-oom", "FILE",
                "write there, for each manager that failed, what was in its memory,\n"
                "what stood in the way and what would have helped; as JSON if the\n"
                "name ends in .json; -: on stdout, before a table\n",
                false, read_text<&options::on_oom, a_result>},
    option_rule{"What comes out", "--recommend", "",
                "instead of tables: which manager to take for these workloads and\n"
                "this memory, why, what a simpler one costs, and its type in C++; with\n"
                "--format json beside the figures, as \"recommendation\"\n",
                false, switch_on<&options::recommend>},
    option_rule{"What comes out", "--offline", "",
                "what each workload would need with everything known beforehand, as a\n"
                "yardstick: some seconds for a large trace. A table of a single small\n"
                "workload has it in any case\n",
                false, switch_on<&options::offline>},
    option_rule{"What comes out", "--wide", "",
                "a row of the table for each manager, with its full name, and all\n"
                "columns, however wide that is\n",
                false, switch_on<&options::wide>},
    option_rule{"What comes out", "--growth", "",
                "instead of a comparison: does memory grow steadily, which tag is it,\n"
                "how much a step, when does memory end. A FILE may also be a CSV of\n"
                "memory_stats() or tpu-info, with the column bytes_in_use, or a log\n"
                "in which memory_stats() was printed. As a table or, with --format\n"
                "json, as hbm-growth/1. With --trace memory.prof, a device memory\n"
                "profile of JAX, it lists who holds what\n",
                false, switch_on<&options::growth>},
    option_rule{"What comes out", "--effort", "N",
                "how many looks at blocks each explanation of --on-oom may take\n"
                "(default 3000000, some hundredths of a second)\n",
                false, read_effort},
    option_rule{"What comes out", "--rounds", "N",
                "how often to measure the time, interleaved (default 3, fewer where\n"
                "5 ms of it are measured before); 0: not at all, and then the output\n"
                "is the same to the byte whenever it is made. Shipped managers that\n"
                "are not in the default list are timed only if this is given\n",
                false, read_rounds},
    option_rule{"What comes out", "--jobs", "N",
                "how many cores work at a time (default all); whatever is timed runs\n"
                "alone afterwards, and no figure depends on it\n",
                false, read_jobs},
    option_rule{"What comes out", "--color", "WHEN",
                "auto, always or never (auto: on a terminal, unless NO_COLOR is set)\n", false,
                read_when<&options::color>},
    option_rule{"What comes out", "--progress", "WHEN", "the same for progress, which goes to stderr\n", false,
                read_when<&options::progress>},
    option_rule{"What comes out", "-q", "", "neither progress nor warnings\n", false, switch_on<&options::quiet>},
    option_rule{"Files for other programs, beside the result", "--perfetto", "FILE",
                "trace events in JSON for ui.perfetto.dev and chrome://tracing: what is\n"
                "in memory over time, moves and evictions; a manager is a process\n",
                false, read_text<&options::perfetto, a_result>},
    option_rule{"Files for other programs, beside the result", "--snapshot", "FILE",
                "a memory snapshot for pytorch.org/memory_viz; a manager is a device\n", false,
                read_text<&options::snapshot, a_result>},
    option_rule{"Files for other programs, beside the result", "--pprof", "FILE",
                "a heap profile for `go tool pprof`: who holds what when most is in use,\n"
                "and at the end or the failure; a manager is a device\n",
                false, read_text<&options::pprof, a_result>},
    option_rule{"Files for other programs, beside the result", "--series", "FILE",
                "CSV: what is used and free, and how fragmented, after each row\n", false,
                read_text<&options::series, a_result>},
    option_rule{"What to do instead of comparing", "merge", "FILE...",
                "puts all shards of a command together: what a single run had written,\n"
                "as JSON or what --format, --html and the like ask for\n",
                true, add_text<&options::merge, a_shard>, true},
    option_rule{"What to do instead of comparing", "--describe", "FILE...",
                "what files of other programs say about a program's memory, as JSON:\n"
                "HLO modules and the like; gzip is unpacked\n",
                true, add_text<&options::described, a_file>, true},
    option_rule{"What to do instead of comparing", "--message", "FILE|-",
                "what an out-of-memory message of a TPU means and what helps; it may\n"
                "stand anywhere in a log; -: stdin. With --describe MODULE it also\n"
                "says which arguments of that program could be donated\n",
                false, read_text<&options::message, a_message>},
    option_rule{"What to do instead of comparing", "--before", "FILE",
                "an earlier message or memory_stats(): what has changed since\n", false,
                read_text<&options::before, a_file>},
    option_rule{"What to do instead of comparing", "--layout", "FILE",
                "what lies where at the end of a memory snapshot of PyTorch, as a trace\n"
                "of import rows\n",
                false, read_text<&options::layout, a_snapshot>},
    option_rule{"Other", "--help", "", "this text (also -h)\n", false, switch_on<&options::help>},
    option_rule{"Other", "--version", "", "the version (also -v)\n", false, switch_on<&options::version>},
};

}  // namespace

std::span<const option_rule> option_rules() {
    return rules;
}

}  // namespace hbm::compare
