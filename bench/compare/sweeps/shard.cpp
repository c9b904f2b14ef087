#include "compare/sweeps/shard.hpp"

#include <hbm/explain/json_writer.hpp>
#include <hbm/version.hpp>

#include <algorithm>
#include <array>
#include <span>

#include "compare/cells/grid.hpp"
#include "compare/cells/take_luck.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/digest.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/tables/records.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// Options that change no row.
constexpr std::array<std::string_view, 7> idle_options{"--shard", "-o", "--jobs",  "--progress",
                                                       "--color", "-q", "--format"};

std::vector<std::string> deciding_arguments(const options& asked) {
    std::vector<std::string> made;
    for (const auto& [name, value] : asked.given) {
        if (std::find(idle_options.begin(), idle_options.end(), name) != idle_options.end()) continue;
        made.push_back(name);
        if (!value.empty()) made.push_back(value);
    }
    return made;
}

/// Returns the files that decide the rows: a name for people, and the path.
std::vector<std::pair<std::string, std::string>> input_files(const options& asked,
                                                             const std::vector<sweep_point>& points) {
    std::vector<std::pair<std::string, std::string>> made;
    const auto add = [&](const std::string& name, const std::string& path) {
        if (std::find(made.begin(), made.end(), std::pair(name, path)) == made.end()) made.emplace_back(name, path);
    };
    if (!asked.sweep.empty()) add(asked.sweep, asked.sweep);
    for (const program_request& each : asked.programs) {
        add(each.file, each.file);
        for (const std::string& other : each.others) add(other, other);
    }
    const sweep_point* last = nullptr;
    for (const sweep_point& each : points) {
        if (last != nullptr && last->text == each.text) continue;
        last = &each;
        if (each.what == sweep_point::kind::file) add(each.text, each.text);
        if (each.what == sweep_point::kind::recorded) add(each.text, recorded_path(asked, each.text));
    }
    return made;
}

std::string head_json(const shard_head& of) {
    json_writer json;
    json.begin_object();
    json.field("index", of.index);
    json.field("count", of.count);
    json.field("first_row", of.first_row);
    json.field("rows", of.rows);
    json.field("all_rows", of.all_rows);
    json.field("version", of.version);
    json.field("managers", of.managers);
    json.key("arguments");
    json.begin_array();
    for (const std::string& each : of.arguments) json.value(each);
    json.end_array();
    json.key("inputs");
    json.begin_array();
    for (const auto& [file, its_digest] : of.inputs) {
        json.begin_object();
        json.field("file", file);
        json.field("digest", its_digest);
        json.end_object();
    }
    json.end_array();
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
    std::vector<row_block> made;
    auto at = static_cast<std::size_t>(shard.first_row);
    const std::size_t end = at + static_cast<std::size_t>(shard.rows);
    while (at < end) {
        const std::size_t begin = at % managers;
        const std::size_t whole = begin == 0 ? (end - at) / managers : 0;
        const std::size_t width = whole != 0 ? managers : std::min(managers - begin, end - at);
        made.push_back({at / managers, std::max<std::size_t>(whole, 1), begin, width});
        at += made.back().points * width;
    }
    return made;
}

}  // namespace

std::string command_of(const shard_head& of) {
    std::string made = "hbm_compare";
    for (const std::string& each : of.arguments) made += ' ' + trace::shell_word(each);
    return made;
}

std::string command_of(const shard_head& of, std::uint64_t index) {
    return command_of(of) + " --shard " + std::to_string(index) + "/" + std::to_string(of.count) + " -o FILE";
}

std::string describe_shard(const options& asked, const selection& who, const std::vector<sweep_point>& points,
                           shard_head& into) {
    into.index = asked.shard;
    into.count = asked.shards;
    into.all_rows = std::uint64_t{points.size()} * who.managers.size();
    into.first_row = into.all_rows * (into.index - 1) / into.count;
    into.rows = into.all_rows * into.index / into.count - into.first_row;
    into.version = HBM_VERSION_STRING;
    into.arguments = deciding_arguments(asked);
    trace::digest names;
    for (const manager_entry* each : who.managers) {
        names.add_text(each->full_name);
        names.add_text("\n");
    }
    into.managers = sixteen_digits(names.value);
    for (const auto& [name, path] : input_files(asked, points)) {
        std::vector<char> bytes;
        trace::read_error error;
        if (!trace::read_bytes(path, bytes, error)) return error.message();
        trace::digest content;
        content.add_text({bytes.data(), bytes.size()});
        into.inputs.emplace_back(name, sixteen_digits(content.value));
    }
    return {};
}

std::string write_shard(const options& asked, const selection& who, bool shows_progress, std::string& into,
                        std::vector<std::string>& warnings) {
    std::vector<sweep_point> points;
    if (std::string problem = all_points(asked, points, warnings); !problem.empty()) return problem;
    shard_head head;
    if (std::string problem = describe_shard(asked, who, points, head); !problem.empty()) return problem;
    std::vector<record> rows;
    for (const row_block& block : blocks_of(head, who.managers.size())) {
        selection some;
        const auto from = who.managers.begin() + static_cast<std::ptrdiff_t>(block.first_manager);
        some.managers.assign(from, from + static_cast<std::ptrdiff_t>(block.managers));
        std::vector<scenario> scenarios;
        if (std::string problem =
                gather_points(asked, std::span(points).subspan(block.first_point, block.points), scenarios, warnings);
            !problem.empty())
            return problem;
        std::vector<comparison> compared = compare_all(some, scenarios, asked.rounds, asked.jobs, shows_progress);
        take_luck(compared, some, asked.variants, asked.jobs, shows_progress);
        if (asked.offline) pack_offline(asked, compared);
        std::vector<record> made = all_records(compared, some);
        std::move(made.begin(), made.end(), std::back_inserter(rows));
    }
    into = json_text(rows, {.shard = head_json(head)});
    return {};
}

}  // namespace hbm::compare
