#include "compare/sweeps/shard.hpp"

#include <hbm/version.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "compare/cells/grid.hpp"
#include "compare/cells/take_luck.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/digest.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/tables/records.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// Options that change no row.
constexpr std::array<std::string_view, 7> idle_options{"--shard", "-o", "--jobs",  "--progress",
                                                       "--color", "-q", "--format"};

std::vector<std::string> deciding_arguments(const options& settings) {
    std::vector<std::string> result;
    for (const auto& [name, value] : settings.given) {
        if (std::find(idle_options.begin(), idle_options.end(), name) != idle_options.end()) continue;
        result.push_back(name);
        if (!value.empty()) result.push_back(value);
    }
    return result;
}

/// Returns the files that decide the rows: a name for people, and the path.
std::vector<std::pair<std::string, std::string>> input_files(const options& settings,
                                                             const std::vector<sweep_point>& points) {
    std::vector<std::pair<std::string, std::string>> result;
    std::set<std::pair<std::string, std::string>> known;
    const auto add = [&](const std::string& name, const std::string& path) {
        if (known.emplace(name, path).second) result.emplace_back(name, path);
    };
    if (!settings.sweep.empty()) add(settings.sweep, settings.sweep);
    for (const program_request& entry : settings.programs) {
        add(entry.file, entry.file);
        for (const std::string& other : entry.others) add(other, other);
    }
    const sweep_point* last = nullptr;
    for (const sweep_point& entry : points) {
        if (last != nullptr && last->text == entry.text) continue;
        last = &entry;
        if (entry.what == sweep_point::kind::file) add(entry.text, entry.text);
        if (entry.what == sweep_point::kind::recorded) add(entry.text, recorded_path(settings, entry.text));
    }
    return result;
}

std::string head_json(const shard_head& head) {
    json_writer json;
    json.begin_object();
    json.field("index", head.index);
    json.field("count", head.count);
    json.field("first_row", head.first_row);
    json.field("rows", head.rows);
    json.field("all_rows", head.all_rows);
    json.field("version", head.version);
    json.field("managers", head.managers);
    json.values("arguments", head.arguments);
    json.objects("inputs", head.inputs, [&](const auto& input) {
        json.field("file", input.first);
        json.field("digest", input.second);
    });
    json.end_object();
    return json.text();
}

/// Rows of whole points, or of a part of one point's managers.
struct row_block {
    std::size_t first_point = 0;
    std::size_t points = 0;
    std::size_t first_manager = 0;
    std::size_t managers = 0;
};

/// Splits the rows of a shard into the end of a point, whole points, and the beginning of a point.
std::vector<row_block> blocks_of(const shard_head& shard, std::size_t managers) {
    std::vector<row_block> result;
    auto at = static_cast<std::size_t>(shard.first_row);
    const std::size_t end = at + static_cast<std::size_t>(shard.rows);
    while (at < end) {
        const std::size_t begin = at % managers;
        const std::size_t whole = begin == 0 ? (end - at) / managers : 0;
        const std::size_t width = whole != 0 ? managers : std::min(managers - begin, end - at);
        result.push_back({at / managers, std::max<std::size_t>(whole, 1), begin, width});
        at += result.back().points * width;
    }
    return result;
}

}  // namespace

std::string command_of(const shard_head& head) {
    std::string result = "hbm_compare";
    for (const std::string& entry : head.arguments) result += ' ' + trace::shell_word(entry);
    return result;
}

std::string command_of(const shard_head& head, std::uint64_t index) {
    return command_of(head) + " --shard " + std::to_string(index) + "/" + std::to_string(head.count) + " -o FILE";
}

std::string describe_shard(const options& settings, const selection& chosen, const std::vector<sweep_point>& points,
                           shard_head& head) {
    head.index = settings.shard;
    head.count = settings.shards;
    head.all_rows = std::uint64_t{points.size()} * chosen.managers.size();
    head.first_row = head.all_rows * (head.index - 1) / head.count;
    head.rows = head.all_rows * head.index / head.count - head.first_row;
    head.version = HBM_VERSION_STRING;
    head.arguments = deciding_arguments(settings);
    trace::digest names;
    for (const manager_entry* manager : chosen.managers) {
        names.add_text(manager->full_name);
        names.add_text("\n");
    }
    head.managers = sixteen_digits(names.value);
    for (const auto& [name, path] : input_files(settings, points)) {
        std::vector<char> bytes;
        trace::read_error error;
        if (!trace::read_bytes(path, bytes, error)) return error.message();
        trace::digest content;
        content.add_text({bytes.data(), bytes.size()});
        head.inputs.emplace_back(name, sixteen_digits(content.value));
    }
    return {};
}

std::string write_shard(const options& settings, const selection& chosen, bool shows_progress, std::string& target,
                        std::vector<std::string>& warnings) {
    std::vector<sweep_point> points;
    if (std::string problem = all_points(settings, points, warnings); !problem.empty()) return problem;
    shard_head head;
    if (std::string problem = describe_shard(settings, chosen, points, head); !problem.empty()) return problem;
    std::vector<record> rows;
    for (const row_block& block : blocks_of(head, chosen.managers.size())) {
        selection selected;
        const auto from = chosen.managers.begin() + static_cast<std::ptrdiff_t>(block.first_manager);
        selected.managers.assign(from, from + static_cast<std::ptrdiff_t>(block.managers));
        std::vector<scenario> scenarios;
        if (std::string problem = gather_points(settings, std::span(points).subspan(block.first_point, block.points),
                                                scenarios, warnings);
            !problem.empty())
            return problem;
        std::vector<comparison> compared =
            compare_all(selected, scenarios, settings.rounds, settings.jobs, shows_progress);
        take_luck(compared, selected, settings.variants, settings.jobs, shows_progress);
        if (settings.offline) pack_offline(settings, compared);
        std::vector<record> result = all_records(compared, selected);
        std::move(result.begin(), result.end(), std::back_inserter(rows));
    }
    target = json_text(rows, {.shard = head_json(head)});
    return {};
}

}  // namespace hbm::compare
