#include "compare/workloads/workloads.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "compare/generate/generate.hpp"
#include "compare/jobs/parallel.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/device_part.hpp"
#include "compare/workloads/programs.hpp"
#include "compare/workloads/texts.hpp"

namespace hbm::compare {

namespace {

/// Recorded programs of different kinds: a graph network, serving with growing KV caches, a recurrent network, and two
/// convolutional networks.
constexpr std::array<std::string_view, 5> recorded_traces{"gnn_subgraphs", "kvcache_serving", "lstm_lm", "resnet18_sgd",
                                                          "resnet50_multiscale"};

/// Generated programs of a TPU: training and serving, so large that eviction and relief policies differ on a v5e.
constexpr std::array<std::string_view, 2> generated{"transformer_training:layers=19", "llm_serving:weights=8448MiB"};

const memory_spec& generation(std::string_view name) {
    const auto match = std::find_if(std::begin(tpu::generations), std::end(tpu::generations),
                                    [&](const memory_spec& entry) { return entry.name == name; });
    return match == std::end(tpu::generations) ? tpu::v5e : *match;
}

/// Returns the generator of a point; null if the point is not generated.
const trace::generator* generator_of(const workload_point& from) {
    if (from.what != workload_point::kind::generated) return nullptr;
    const std::string_view name = std::string_view(from.text).substr(0, from.text.find(':'));
    for (const trace::generator& entry : trace::generators())
        if (entry.name == name) return &entry;
    return nullptr;
}

/// Returns the default limit of memory.
limit usual_limit(bool has_programs) {
    return has_programs ? limit::given : limit::needed;
}

/// Returns a scenario of the workload in the requested memory.
scenario place(trace::workload load, const options& settings, const workload_point& at) {
    scenario scene;
    scene.at = at;
    scene.has_programs = load.has_programs();
    scene.has_donations = load.has_donations();
    // A generator has the device for which its defaults are made.
    const trace::generator* const from = generator_of(at);
    scene.device = from == nullptr ? tpu::v5e : generation(from->device);
    switch (at.capacity.what) {
    case capacity_choice::kind::usual: scene.how = usual_limit(scene.has_programs); break;
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
    return scene;
}

/// Returns the byte, from 1, at which a number begins in a line of a file; 1 if it is not in that line.
std::size_t column_of(const std::string& path, std::size_t line, const std::string& number) {
    std::string text;
    trace::read_error error;
    if (!trace::read_unpacked(path, text, error)) return 1;
    std::size_t begin = 0;
    for (; line > 1 && begin != std::string::npos; --line) begin = text.find('\n', begin) + 1;
    if (begin >= text.size()) return 1;
    const std::string_view row = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
    constexpr std::string_view around = ", :\r";
    for (std::size_t at = row.find(number); at != std::string_view::npos; at = row.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        const bool begins = at == 0 || around.find(row[at - 1]) != std::string_view::npos;
        if (begins && (end == row.size() || around.find(row[end]) != std::string_view::npos)) return at + 1;
    }
    return 1;
}

/// Returns the error of sizes beyond any memory, whose sums could overflow; empty if there are none.
std::string find_too_large(const std::string& path, const trace::workload& load) {
    const std::optional<trace::row_beyond_limit> match = trace::find_row_beyond(load, trace::most_bytes_at_once);
    if (!match) return {};
    const std::string number = trace::decimal(match->bytes);
    const std::size_t line = load.lines.empty() ? 0 : load.lines[match->row];
    return trace::read_error{path, line, line == 0 ? 0 : column_of(path, line, number),
                             filled(texts::bytes_at_once, {{"bytes", trace::quoted(number)},
                                                           {"most", size_in_words(trace::most_bytes_at_once)}}),
                             std::string(texts::real_bytes)}
        .message();
}

}  // namespace

std::string gather_file(const std::string& path, std::string_view device, trace::workload& target) {
    trace::read_result match = imported::read_trace(path, device);
    if (!match) return match.error().message();
    target = std::move(*match);
    std::string problem = find_too_large(path, target);
    if (!problem.empty()) return problem;
    if (const other_memories left_out = keep_device_part(target); left_out.buffers != 0)
        target.notes.push_back(filled(texts::other_memories, {{"buffers", counted(left_out.buffers, "buffer")},
                                                              {"bytes", size_in_words(left_out.peak_bytes)}}));
    return {};
}

namespace {

std::string gather_one(const workload_point& at, const options& settings, trace::workload& target) {
    switch (at.what) {
    case workload_point::kind::generated: {
        trace::generate_result result = trace::generate(at.text, at.seed);
        if (!result) return filled(texts::error_of_workload, {{"workload", "--workload"}, {"error", result.error()}});
        target = std::move(*result);
        return {};
    }
    case workload_point::kind::recorded: {
        const std::string path = recorded_path(settings, at.text);
        if (const std::string problem = gather_file(path, {}, target); !problem.empty())
            return filled(texts::missing_recorded_trace, {{"error", problem}});
        target.name = at.text;
        return {};
    }
    case workload_point::kind::file: return gather_file(at.text, settings.device, target);
    case workload_point::kind::programs: break;
    }
    return {};
}

/// Gathers the programs of the command line as one workload. Returns the error, or an empty text.
std::string gather_programs(const options& settings, const workload_point& at, std::vector<scenario>& target,
                            std::vector<std::string>& warnings) {
    std::vector<imported::scheduled_program> programs;
    if (std::string problem = read_programs(settings.programs, programs, warnings); !problem.empty()) return problem;
    std::string name;
    for (const program_request& program : settings.programs) append_item(name, program.text, " + ");
    trace::value_or_error<trace::workload, std::string> load =
        imported::program_workload_builder(programs, name).build();
    if (!load) return filled(texts::error_of_workload, {{"workload", "--program"}, {"error", load.error()}});
    if (std::string problem = find_too_large("--program", *load); !problem.empty()) return problem;
    scenario scene = place(std::move(*load), settings, at);
    const std::uint64_t capacity = scene.how == limit::given ? scene.device.capacity : 0;
    scene.notes = program_notes(programs, capacity);
    scene.notes.insert(scene.notes.begin(),
                       program_verdict(programs, scene.min_bytes, capacity,
                                       at.capacity.what == capacity_choice::kind::usual && capacity != 0));
    target.push_back(std::move(scene));
    return {};
}

/// A workload, which several points may share.
struct gathered {
    const workload_point* first = nullptr;
    trace::workload load;
    std::string problem;
};

void add_warnings(const gathered& from, std::vector<std::string>& target) {
    if (from.load.skipped != 0)
        target.push_back(
            filled(texts::skipped_failures,
                   {{"workload", from.first->text}, {"failures", counted(from.load.skipped, "failed allocation")}}));
    for (const std::string& entry : from.load.notes)
        target.push_back(filled(texts::error_of_workload, {{"workload", from.first->text}, {"error", entry}}));
}

}  // namespace

std::span<const std::string_view> recorded_workloads() {
    return recorded_traces;
}

std::span<const std::string_view> generated_workloads() {
    return generated;
}

std::string recorded_path(const options& settings, const std::string& name) {
    const char* const moved = std::getenv("HBM_TRACE_DIRECTORY");
    return (moved != nullptr && *moved != '\0' ? moved : settings.traces) + "/" + name + ".csv";
}

std::string gather_points(const options& settings, std::span<const workload_point> points,
                          std::vector<scenario>& target, std::vector<std::string>& warnings) {
    std::vector<gathered> loads;
    std::vector<std::size_t> load_of;
    std::map<std::tuple<workload_point::kind, std::string, std::uint64_t>, std::size_t> known;
    for (const workload_point& entry : points) {
        const auto [match, is_new] = known.emplace(std::tuple(entry.what, entry.text, entry.seed), loads.size());
        if (is_new) loads.push_back({&entry, {}, {}});
        load_of.push_back(match->second);
    }
    in_parallel(loads.size(), settings.jobs,
                [&](std::size_t at) { loads[at].problem = gather_one(*loads[at].first, settings, loads[at].load); });
    std::vector<std::size_t> users(loads.size());
    for (const std::size_t entry : load_of) ++users[entry];
    for (std::size_t at = 0; at < points.size(); ++at) {
        gathered& from = loads[load_of[at]];
        const bool is_first = from.first == &points[at];
        if (!from.problem.empty()) return from.problem;
        if (points[at].what == workload_point::kind::programs) {
            std::vector<std::string> repeated;
            std::string problem = gather_programs(settings, points[at], target, is_first ? warnings : repeated);
            if (!problem.empty()) return problem;
            continue;
        }
        if (is_first) add_warnings(from, warnings);
        target.push_back(place(--users[load_of[at]] == 0 ? std::move(from.load) : from.load, settings, points[at]));
    }
    return {};
}

std::string gather_workloads(const options& settings, std::vector<scenario>& target,
                             std::vector<std::string>& warnings) {
    const std::vector<workload_point> points = all_points(settings, warnings);
    if (std::string problem = gather_points(settings, points, target, warnings); !problem.empty()) return problem;
    set_titles(target);
    return {};
}

namespace {

std::string capacity_title(const scenario& load) {
    const std::string& settings = load.at.capacity.text;
    return filled(settings.empty() ? texts::usual_capacity : texts::given_capacity, {{"capacity", settings}});
}

std::string quantum_title(const scenario& load) {
    if (load.at.quantum == device_quantum) return {};
    return filled(texts::given_quantum, {{"quantum", size_in_words(load.device.quantum)}});
}

}  // namespace

void set_titles(std::vector<scenario>& all) {
    for (scenario& scene : all) scene.title = scene.load.name;
    for (std::string (*const part)(const scenario&) : {capacity_title, quantum_title}) {
        std::map<std::string_view, std::set<std::string>> by_name;
        for (const scenario& scene : all) by_name[scene.load.name].insert(part(scene));
        for (scenario& scene : all)
            if (std::string text = part(scene); !text.empty() && by_name[scene.load.name].size() > 1)
                scene.title += ", " + text;
    }
}

}  // namespace hbm::compare
