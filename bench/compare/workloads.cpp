#include "compare/workloads.hpp"

#include <hbm/imported/read_trace.hpp>
#include <hbm/tpu.hpp>
#include <hbm/trace/capacity.hpp>

#include "compare/programs.hpp"
#include "generate/generate.hpp"
#ifdef HBM_HAVE_ZLIB
#include <hbm/trace/gzip.hpp>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace hbm::compare {

namespace {

/// Recorded programs of different kinds: a graph network, serving with growing KV caches, a recurrent network, and two
/// convolutional networks.
constexpr std::array<std::string_view, 5> recorded{"gnn_subgraphs", "kvcache_serving", "lstm_lm", "resnet18_sgd",
                                                   "resnet50_multiscale"};

/// Generated programs of a TPU.
constexpr std::array<std::string_view, 3> generated{"transformer_training", "llm_serving", "embedding_pipeline"};

#ifdef HBM_HAVE_ZLIB
constexpr trace::decompressor* unpack = &trace::gunzip;
#else
constexpr trace::decompressor* unpack = nullptr;
#endif

std::string recorded_folder(const options& asked) {
    const char* const moved = std::getenv("HBM_TRACE_DIRECTORY");
    return moved != nullptr && *moved != '\0' ? moved : asked.traces;
}

const memory_spec& generation(std::string_view name) {
    const auto found = std::find_if(std::begin(tpu::generations), std::end(tpu::generations),
                                    [&](const memory_spec& each) { return each.name == name; });
    return found == std::end(tpu::generations) ? tpu::v5e : *found;
}

/// The device for which a generator's defaults are made; v5e for everything else.
const memory_spec& usual_device(const source& from) {
    if (!from.is_generated) return tpu::v5e;
    const std::string_view name = std::string_view(from.text).substr(0, from.text.find(':'));
    for (const trace::generator& each : trace::generators())
        if (each.name == name) return generation(each.device);
    return tpu::v5e;
}

/// A workload in the requested memory.
scenario place(trace::workload load, const memory_spec& usual, const options& asked) {
    scenario made;
    made.has_programs = load.has_programs();
    made.has_donations = load.has_donations();
    made.min_bytes = trace::min_bytes(load, asked.quantum);
    made.load = std::move(load);
    made.device = usual;
    switch (asked.capacity.what) {
    case capacity_choice::kind::usual:
        made.how = made.has_programs ? limit::given : limit::unlimited;
        break;
    case capacity_choice::kind::unlimited:
        made.how = limit::unlimited;
        break;
    case capacity_choice::kind::minimum:
        made.how = limit::minimum;
        break;
    case capacity_choice::kind::given:
        made.how = limit::given;
        made.device = asked.capacity.device;
        break;
    }
    made.device.quantum = asked.quantum;
    made.device.runs_in_flight = asked.in_flight;
    return made;
}

std::string gather_file(const std::string& path, std::string_view device, trace::workload& into) {
    trace::read_result found = imported::read_trace(path, unpack, device);
    if (!found) return found.error().message();
    into = std::move(*found);
    return {};
}

std::string gather_recorded(const options& asked, std::vector<scenario>& into) {
    const std::string folder = recorded_folder(asked);
    for (const std::string_view name : recorded) {
        trace::workload load;
        const std::string path = folder + "/" + std::string(name) + ".csv";
        if (const std::string problem = gather_file(path, {}, load); !problem.empty())
            return problem + ". It is one of the recorded traces, which the build unpacks: configure and build again, "
                             "name their folder with "
                             "HBM_TRACE_DIRECTORY, or choose traces of your own with --trace FILE";
        load.name = name;
        into.push_back(place(std::move(load), tpu::v5e, asked));
    }
    return {};
}

std::string gather_one(const source& from, const options& asked, std::vector<scenario>& into,
                       std::vector<std::string>& warnings) {
    trace::workload load;
    if (from.is_generated) {
        trace::generate_result made = trace::generate(from.text, asked.seed);
        if (!made) return "--workload: " + made.error();
        load = std::move(*made);
    } else if (const std::string problem = gather_file(from.text, asked.device, load); !problem.empty()) {
        return problem;
    }
    if (load.skipped != 0)
        warnings.push_back(from.text + ": " + std::to_string(load.skipped) +
                           " failed allocations of the log are left out");
    for (const std::string& each : load.notes) warnings.push_back(from.text + ": " + each);
    into.push_back(place(std::move(load), usual_device(from), asked));
    return {};
}

/// The programs of the command line, as one workload.
std::string gather_programs(const options& asked, std::vector<scenario>& into, std::vector<std::string>& warnings) {
    std::vector<imported::scheduled_program> programs;
    if (std::string problem = read_programs(asked.programs, programs, warnings); !problem.empty()) return problem;
    std::string name;
    for (const program_request& each : asked.programs) name += (name.empty() ? "" : " + ") + each.text;
    trace::workload_or<std::string> load = imported::program_workload_builder(programs, name).build();
    if (!load) return "--program: " + load.error();
    scenario made = place(std::move(*load), tpu::v5e, asked);
    const std::uint64_t capacity = made.how == limit::given ? made.device.capacity : 0;
    made.notes = program_notes(programs, capacity);
    made.notes.insert(made.notes.begin(),
                      program_verdict(programs, made.min_bytes, capacity,
                                      asked.capacity.what == capacity_choice::kind::usual && capacity != 0));
    into.push_back(std::move(made));
    return {};
}

}  // namespace

std::string gather_workloads(const options& asked, std::vector<scenario>& into, std::vector<std::string>& warnings) {
    std::vector<source> sources = asked.sources;
    if (!asked.programs.empty()) {
        if (std::string problem = gather_programs(asked, into, warnings); !problem.empty()) return problem;
    } else if (sources.empty()) {
        if (std::string problem = gather_recorded(asked, into); !problem.empty()) return problem;
        for (const std::string_view name : generated) sources.push_back({std::string(name), true});
    }
    for (auto at = sources.begin(); at != sources.end(); ++at) {
        if (std::find(sources.begin(), at, *at) != at) {
            warnings.push_back(at->text + " is given more than once and compared once");
        } else if (std::string problem = gather_one(*at, asked, into, warnings); !problem.empty()) {
            return problem;
        }
    }
    return {};
}

}  // namespace hbm::compare
