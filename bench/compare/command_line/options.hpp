#pragma once

/// The options of the command line, and how they are read.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/command_line/program_option.hpp"

namespace hbm::compare {

/// A workload to be read from a file or generated.
struct source {
    std::string text;  ///< path, or `NAME[:key=value,...]`
    bool is_generated = false;
    std::string place = {};  ///< FILE:LINE:COLUMN that asked for it; empty: the command line

    friend bool operator==(const source&, const source&) = default;
};

/// The size of the memory.
struct capacity_choice {
    enum class kind : std::uint8_t {
        usual,      ///< what managers need for a workload without programs, else the device's capacity
        unlimited,  ///< no limit
        minimum,    ///< the minimum capacity of each manager
        given,      ///< `device.capacity`
    };
    kind what = kind::usual;
    memory_spec device = {};  ///< for `given`: bandwidths of the generation, v5e's for a plain size
    std::string text = {};    ///< as it was given; empty for `usual`
};

enum class output_format : std::uint8_t { table, csv, json, md };

/// When to colour or to show progress.
enum class when : std::uint8_t { automatic, always, never };

/// The options of the command line.
struct options {
    std::vector<source> sources;            ///< in the order given; empty: the default workloads
    std::vector<std::string> described;     ///< files of other programs to be described, and nothing else done
    std::vector<program_request> programs;  ///< they run on one device
    std::string message;  ///< the file with an out-of-memory message to be answered, and nothing else done
    std::string before;   ///< an earlier message or measurement, for `message`
    std::string layout;   ///< a snapshot whose layout is written, and nothing else done
    std::vector<std::string> managers;
    std::vector<capacity_choice> capacities{{}};         ///< at least one, as are the next two
    std::vector<std::uint64_t> quanta{default_quantum};  ///< bytes
    std::vector<std::uint64_t> seeds{1};
    std::string sweep;            ///< the file that describes grids; empty: the lists above are the grid
    std::vector<options> grids;   ///< of that file: the sources and lists of each
    std::string device;           ///< of files that know of several; empty: the first
    std::uint32_t in_flight = 0;  ///< how many runs stay in flight
    std::optional<std::uint64_t> rounds;
    std::size_t jobs = 0;  ///< how many cores work at a time on what is not timed; 0: all of the machine
    output_format format = output_format::table;
    bool has_format = false;         ///< the format was asked for
    std::size_t shard = 0;           ///< from 1: only this part of the rows; 0: all of them
    std::size_t shards = 0;          ///< of how many parts
    std::vector<std::string> merge;  ///< shards to be put together, and nothing else done
    std::string save;                ///< the file that keeps the figures for a later check; empty: none
    std::string check;               ///< the file with earlier figures; empty: none
    std::vector<std::pair<std::string, std::string>> given;  ///< every option and its value, in order
    std::string traces;                                      ///< the folder of the recorded traces
    std::string output;                                      ///< empty: stdout
    std::string html;                                        ///< the file for the page; empty: none
    std::string on_oom;                                      ///< the file for explanations of failures; empty: none
    std::string perfetto;                                    ///< files that other programs show; empty: none
    std::string snapshot;
    std::string pprof;
    std::string series;
    std::uint64_t effort = 1'000'000;  ///< of each explanation; see hbm::explain_options
    std::string baseline;
    when color = when::automatic;
    when progress = when::automatic;
    bool quiet = false;
    bool list = false;
    bool recommend = false;  ///< say which manager to take
    bool wide = false;       ///< a row for each manager, full names, all columns
    bool offline = false;    ///< pack each workload with everything known beforehand
    bool growth = false;     ///< judge growth instead of comparing
    bool help = false;
    bool version = false;
    std::vector<std::string> warnings;  ///< about the command line itself
};

/// The workloads of a comparison that is not told what to replay: recorded traces by name, and generators.
[[nodiscard]] std::span<const std::string_view> recorded_workloads();
[[nodiscard]] std::span<const std::string_view> generated_workloads();

/// A capacity below a quantum is meant otherwise: `--capacity 16` is said of 16 GiB. Nothing at all may be meant.
/// Returns an error message, or an empty text.
[[nodiscard]] std::string find_tiny_capacity(const options& asked);

/// Reads the command line. Returns an error message, or an empty text.
[[nodiscard]] std::string read_options(int argc, char** argv, options& into);

/// The text of --help.
[[nodiscard]] std::string help_text();

}  // namespace hbm::compare
