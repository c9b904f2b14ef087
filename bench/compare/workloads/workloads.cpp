#include "compare/workloads/workloads.hpp"

#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compare/command_line/file_options.hpp"
#include "compare/generate/generate.hpp"
#include "compare/jobs/parallel.hpp"
#include "compare/read/read_file.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using kind = workload_point::kind;

/// Recorded programs: training of a convolutional network, and a graph network whose sizes vary.
constexpr std::array<std::string_view, 2> recorded{"resnet18_sgd", "gnn_subgraphs"};

/// Generated programs of a TPU: training and serving, so large that eviction and relief policies differ on a v5e, and
/// the embedding pipeline of the message that this project began with.
constexpr std::array<std::string_view, 3> generated{"transformer_training:layers=19", "llm_serving:weights=8448MiB",
                                                    "embedding_pipeline"};

/// A workload without its memory.
struct chosen_source {
    kind what = kind::file;
    std::string text;
    trace::workload load = {};
    std::vector<imported::scheduled_program> programs = {};
};

/// Returns the sources of the command line, each once, or the default ones.
std::vector<chosen_source> choose_sources(const options& settings, std::vector<std::string>& warnings) {
    std::vector<chosen_source> all;
    if (!settings.programs.empty()) all.push_back({.what = kind::programs, .text = {}});
    for (const source& input : settings.sources) {
        const kind what = input.is_generated ? kind::generated : kind::file;
        const auto is_same = [&](const chosen_source& each) { return each.what == what && each.text == input.text; };
        if (std::none_of(all.begin(), all.end(), is_same))
            all.push_back({.what = what, .text = input.text});
        else
            warnings.push_back(input.text + " is given more than once and compared once");
    }
    if (!all.empty()) return all;
    for (const std::string_view name : generated) all.push_back({.what = kind::generated, .text = std::string(name)});
    for (const std::string_view name : recorded) all.push_back({.what = kind::recorded, .text = std::string(name)});
    return all;
}

/// Returns the device for which the defaults of a generator are made; a v5e for other workloads.
const memory_spec& device_of(const chosen_source& from) {
    if (from.what != kind::generated) return tpu::v5e;
    const std::string_view name = std::string_view(from.text).substr(0, from.text.find(':'));
    for (const trace::generator& entry : trace::generators()) {
        if (entry.name != name) continue;
        const auto match = std::find_if(std::begin(tpu::generations), std::end(tpu::generations),
                                        [&](const memory_spec& each) { return each.name == entry.device; });
        if (match != std::end(tpu::generations)) return *match;
    }
    return tpu::v5e;
}

/// Returns a scenario of the workload in the requested memory.
scenario place(trace::workload load, const chosen_source& from, const options& settings, workload_point at) {
    scenario scene;
    scene.has_programs = load.has_programs();
    scene.has_donations = load.has_donations();
    scene.device = device_of(from);
    switch (at.capacity.what) {
    case capacity_choice::kind::usual: scene.how = scene.has_programs ? limit::given : limit::needed; break;
    case capacity_choice::kind::unlimited: scene.how = limit::unlimited; break;
    case capacity_choice::kind::minimum: scene.how = limit::minimum; break;
    case capacity_choice::kind::given:
        scene.how = limit::given;
        scene.device = at.capacity.device;
        break;
    }
    if (at.quantum != device_quantum) scene.device.quantum = at.quantum;
    scene.device.runs_in_flight = settings.in_flight;
    scene.min_bytes = trace::min_bytes(load, scene.device.quantum);
    scene.peak_live_bytes = trace::peak_live_bytes(load, scene.device.quantum);
    scene.load = std::move(load);
    if (from.what == kind::programs) {
        const std::uint64_t capacity = scene.how == limit::given ? scene.device.capacity : 0;
        const bool is_assumed = at.capacity.what == capacity_choice::kind::usual && capacity != 0;
        scene.notes = program_notes(from.programs);
        scene.notes.insert(scene.notes.begin(), program_verdict(from.programs, scene.min_bytes, capacity, is_assumed));
    }
    scene.at = std::move(at);
    return scene;
}

/// Checks for sizes beyond any memory, whose sums could overflow.
void check_sizes(const std::string& path, const trace::workload& load) {
    const std::optional<std::size_t> row = trace::find_row_beyond(load, trace::most_bytes_at_once);
    if (!row) return;
    const std::string line = load.lines.empty() ? std::string{} : ":" + trace::decimal(load.lines[*row]);
    throw usage_error(trace::printable(path) + line + ": found more than " + size_in_words(trace::most_bytes_at_once) +
                      " in memory at once, expected sizes in bytes of a real device: look for a wrong unit, a negative "
                      "number, or rows `free` that are missing");
}

trace::workload read_file(const std::string& path, std::string_view device) {
    trace::workload load = imported::read_trace(path, device);
    check_sizes(path, load);
    return load;
}

trace::workload read_recorded(const options& settings, const std::string& name) {
    const char* const moved = std::getenv("HBM_TRACE_DIRECTORY");
    const std::string folder = moved != nullptr && *moved != '\0' ? moved : settings.traces;
    try {
        trace::workload load = read_file(folder + "/" + name + ".csv", {});
        load.name = name;
        return load;
    } catch (const usage_error& error) {
        throw usage_error(
            std::string(error.what()) +
            ". It is one of the recorded traces, which the build unpacks: configure and build again, name "
            "their folder with HBM_TRACE_DIRECTORY, or choose traces of your own with --trace FILE");
    }
}

/// Reads or generates a workload.
void gather(chosen_source& from, const options& settings, std::vector<std::string>& warnings) {
    switch (from.what) {
    case kind::generated: try { from.load = trace::generate(from.text, settings.seed);
        } catch (const usage_error& error) {
            throw usage_error(std::string("--workload: ") + error.what());
        }
        break;
    case kind::recorded: from.load = read_recorded(settings, from.text); break;
    case kind::file: try { from.load = read_file(from.text, settings.device);
        } catch (const usage_error& error) {
            if (settings.what != task::compare) throw;
            throw usage_error(with_advice(error.what(), from.text, "--trace"));
        }
        break;
    case kind::programs:
        read_programs(settings.programs, from.programs, warnings);
        std::string name;
        for (const program_request& program : settings.programs) append_item(name, program.text, " + ");
        from.load = workload_of(from.programs, name);
        check_sizes("--program", from.load);
        break;
    }
}

/// Sets the title of every scenario: the name of its workload, with the capacity or quantum that distinguishes it, such
/// as `slow_leak, capacity 4GiB`. Cost: O(scenarios x log scenarios).
void set_titles(std::vector<scenario>& all) {
    std::map<std::string_view, std::set<std::string>> capacities;
    std::map<std::string_view, std::set<std::uint64_t>> quanta;
    for (const scenario& scene : all) {
        capacities[scene.load.name].insert(scene.at.capacity.text);
        quanta[scene.load.name].insert(scene.at.quantum);
    }
    for (scenario& scene : all) {
        const std::string& capacity = scene.at.capacity.text;
        scene.title = scene.load.name;
        if (capacities[scene.load.name].size() > 1)
            scene.title += capacity.empty() ? ", the usual capacity" : ", capacity " + capacity;
        if (quanta[scene.load.name].size() > 1 && scene.at.quantum != device_quantum)
            scene.title += ", quantum " + size_in_words(scene.device.quantum);
    }
}

}  // namespace

bool have_same_rows(const scenario& a, const scenario& b) {
    return a.device.quantum == b.device.quantum && a.load.rows == b.load.rows && a.load.times == b.load.times &&
           a.load.details == b.load.details && a.load.outputs == b.load.outputs && a.load.operands == b.load.operands;
}

bool is_imported(const scenario& scene) noexcept {
    return scene.at.what == kind::file && scene.load.lines.empty() && !scene.load.rows.empty();
}

bool must_fail(const scenario& load) noexcept {
    return load.how == limit::given &&
           load.min_bytes > load.device.capacity / load.device.quantum * load.device.quantum;
}

std::vector<scenario> gather_workloads(const options& settings, std::vector<std::string>& warnings) {
    std::vector<chosen_source> sources = choose_sources(settings, warnings);
    std::vector<std::vector<std::string>> notes(sources.size());
    std::vector<std::string> problems(sources.size());
    in_parallel(sources.size(), settings.jobs, [&](std::size_t at) {
        try {
            gather(sources[at], settings, notes[at]);
        } catch (const usage_error& error) {
            problems[at] = error.what();
        }
    });
    std::vector<scenario> result;
    for (std::size_t at = 0; at < sources.size(); ++at) {
        chosen_source& from = sources[at];
        // The first in the order given, whatever core found an error first.
        if (!problems[at].empty()) throw usage_error(problems[at]);
        warnings.insert(warnings.end(), notes[at].begin(), notes[at].end());
        if (from.load.skipped != 0)
            warnings.push_back(from.text + ": left out " + counted(from.load.skipped, "failed allocation") +
                               " of the log");
        for (const std::string& note : from.load.notes) warnings.push_back(from.text + ": " + note);
        const std::size_t points = settings.quanta.size() * settings.capacities.size();
        for (std::size_t point = 0; point < points; ++point) {
            workload_point in;
            in.what = from.what;
            in.text = from.text;
            in.quantum = settings.quanta[point / settings.capacities.size()];
            in.capacity = settings.capacities[point % settings.capacities.size()];
            in.seed = from.what == kind::generated ? settings.seed : 0;
            in.has_several_capacities = settings.capacities.size() > 1;
            trace::workload load = point + 1 == points ? std::move(from.load) : from.load;
            result.push_back(place(std::move(load), from, settings, std::move(in)));
        }
    }
    set_titles(result);
    return result;
}

}  // namespace hbm::compare
