#pragma once

/// The options of the command line, and their reader.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/program.hpp"

namespace hbm::compare {

/// Workload to be read from a file or generated.
struct source {
    std::string text;  ///< path, or `NAME[:key=value,...]`
    bool is_generated = false;

    friend bool operator==(const source&, const source&) = default;
};

/// Program to be read from files.
struct program_request {
    std::string text;                 ///< value of the option as given
    std::string file;                 ///< file of the program
    std::vector<std::string> others;  ///< further files of the same program
    std::string name;                 ///< name of the program; empty: as in the files
    std::uint64_t runs = 3;
    std::uint64_t every = 1;
    imported::donation_choice donation = imported::donation_choice::as_is;
    std::vector<imported::argument_range> donated = {};  ///< arguments that are donated as well, if they are `named`
    bool shares = false;  ///< true if it shares arguments of the same size and shape with earlier programs
    std::optional<std::uint64_t> code;  ///< bytes of code from the user, if no file states them
    std::optional<std::uint64_t> temp;  ///< bytes of temporaries from the user, if no file states them

    friend bool operator==(const program_request&, const program_request&) = default;
};

/// Reads `FILE[:key=value,...]`, a value of `option`. A path may hold colons: keys begin at the last colon that a word
/// and `=` follow. Throws `usage_error`.
[[nodiscard]] program_request read_program_request(std::string_view option, std::string_view text);

/// Size of the memory.
struct capacity_choice {
    enum class kind : std::uint8_t {
        usual,      ///< needs of managers for a workload without programs, else the device's capacity
        unlimited,  ///< no limit
        minimum,    ///< the minimum capacity of each manager
        given,      ///< `device.capacity`
    };
    kind what = kind::usual;
    memory_spec device = {};  ///< device of `given`: bandwidths of the generation, v5e's for a plain size
    std::string text = {};    ///< text as given; empty for `usual`
};

enum class output_format : std::uint8_t { table, csv, json, md };

/// Choice of colours or progress.
enum class when : std::uint8_t { automatic, always, never };

/// The quantum of the device: what a comparison takes unless `--quantum` says otherwise.
inline constexpr std::uint64_t device_quantum = 0;

/// What a command line asks for. Of several, the last in this order is done.
enum class task : std::uint8_t { compare, describe, serve, growth, message, list, version, help };

/// The options of the command line.
struct options {
    task what = task::compare;
    std::vector<source> sources;            ///< workloads in the order given; empty: the defaults
    std::vector<std::string> described;     ///< files of other programs to describe, alone or for `message`
    std::vector<program_request> programs;  ///< programs, which share one device
    std::vector<program_request> served;    ///< dumps of a server's programs, or logs of failed loads
    std::string weights;                    ///< bytes, profile or program that states the weights of `served`
    std::string message;                    ///< file with an out-of-memory message to answer; excludes other tasks
    std::vector<std::string> managers;
    std::vector<capacity_choice> capacities{{}};        ///< capacities, at least one, as with the next two
    std::vector<std::uint64_t> quanta{device_quantum};  ///< bytes
    std::uint64_t seed = 1;                             ///< seed of the generated workloads
    std::string device;                                 ///< device in files of several; empty: the first
    std::uint32_t in_flight = 0;                        ///< number of runs that stay in flight
    std::size_t jobs = 0;                               ///< number of cores that work at a time; 0: all of the machine
    output_format format = output_format::table;
    std::vector<std::pair<std::string, std::string>> given;  ///< options and their values, in order
    std::string traces;                                      ///< folder of the recorded traces
    std::string output;                                      ///< file for the result; empty: stdout
    std::string html;                                        ///< file for the page; empty: none
    std::string on_oom;                                      ///< file for explanations of failures; empty: none
    std::string perfetto;                                    ///< file for a viewer, as the next; empty: none
    std::string series;
    when color = when::automatic;
    when progress = when::automatic;
    bool quiet = false;
    bool details = false;               ///< a table for each workload, in addition to that of all
    bool offline = false;               ///< pack each workload with all lives given beforehand
    std::string topic;                  ///< part of the help to print; empty: the options in a line each
    std::vector<std::string> warnings;  ///< warnings about the command line itself
};

/// Reads the command line. Throws `usage_error`.
void read_options(int argc, char** argv, options& settings);

/// Returns the text of --help, or its part about a topic of `help_topics()`.
[[nodiscard]] std::string help_text(std::string_view topic = {});

/// Returns the topics of --help.
[[nodiscard]] std::vector<std::string_view> help_topics();

}  // namespace hbm::compare
