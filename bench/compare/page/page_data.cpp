#include "compare/page/page_data.hpp"

#include <hbm/explain/json_writer.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "compare/page/curves.hpp"
#include "compare/page/escape.hpp"
#include "compare/page/packed/bytes.hpp"
#include "compare/page/packed/packed_history.hpp"
#include "compare/page/packed/trace_blocks.hpp"
#include "compare/page/picture.hpp"
#include "compare/replay/history.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

namespace {

void add_managers(json_writer& json, const selection& who) {
    json.key("managers");
    json.begin_array();
    for (const manager_entry* each : who.managers) json.value(each->name);
    json.end_array();
}

void add_cells(json_writer& json, std::size_t workload, const comparison& of, const recorded_workload& recorded) {
    const std::vector<std::uint64_t>& times = of.in->load.times;
    const bool has_times = duration_of(of.in->load).has_value();
    json.key("cells");
    json.begin_array();
    std::map<std::string_view, std::size_t> known;
    for (std::size_t at = 0; at < of.cells.size(); ++at) {
        const trace::figures& found = of.cells[at].found;
        json.begin_object();
        json.key("replay");
        const std::string& packed = recorded.cells[at].packed;
        if (packed.empty())
            json.null();
        else
            json.value("cell-" + std::to_string(workload) + "-" +
                       std::to_string(known.emplace(packed, at).first->second));
        json.key("capacity");
        found.capacity_bytes ? json.value(*found.capacity_bytes) : json.null();
        json.key("failed");
        found.failed_event ? json.value(*found.failed_event) : json.null();
        json.key("failed_time");
        found.failed_event&& has_times ? json.value(times[*found.failed_event] - times.front()) : json.null();
        json.field("error", found.error.value_or(""));
        json.field("highest", recorded.cells[at].highest);
        json.end_object();
    }
    json.end_array();
}

void add_workloads(json_writer& json, const std::vector<comparison>& all,
                   const std::vector<recorded_workload>& recorded) {
    json.key("workloads");
    json.begin_array();
    for (std::size_t at = 0; at < all.size(); ++at) {
        const scenario& in = *all[at].in;
        json.begin_object();
        json.field("name", in.title);
        json.field("rows", std::uint64_t{in.load.rows.size()});
        json.field("quantum", in.device.quantum);
        json.key("duration");
        const std::optional<std::uint64_t> duration = duration_of(in.load);
        duration ? json.value(*duration) : json.null();
        json.key("tags");
        json.begin_array();
        for (const std::string& tag : in.load.tags) json.value(tag);
        json.end_array();
        json.key("cell_of");
        json.begin_array();
        for (const std::size_t cell : all[at].cell_of) json.value(std::uint64_t{cell});
        json.end_array();
        add_cells(json, at, all[at], recorded[at]);
        json.end_object();
    }
    json.end_array();
}

std::string text_script(const std::string& id, const std::string& text) {
    return "<script type=\"text/plain\" id=\"" + id + "\">" + text + "</script>\n";
}

}  // namespace

std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                      const std::vector<recorded_workload>& recorded) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-report/1");
    json.key("best");
    answer.best ? json.value(std::uint64_t{*answer.best}) : json.null();
    json.key("simple");
    answer.simple ? json.value(std::uint64_t{*answer.simple}) : json.null();
    add_managers(json, who);
    add_workloads(json, all, recorded);
    json.key("results");
    json.literal(json_text(all_records(all, who)));
    json.end_object();
    std::string text =
        "<script type=\"application/json\" id=\"report-data\">" + json_in_html(json.text()) + "</script>\n";
    for (std::size_t workload = 0; workload < all.size(); ++workload) {
        const std::string number = std::to_string(workload);
        text += text_script("trace-" + number, recorded[workload].shared);
        std::map<std::string_view, std::size_t> known;
        for (std::size_t at = 0; at < recorded[workload].cells.size(); ++at) {
            const std::string& packed = recorded[workload].cells[at].packed;
            if (!packed.empty() && known.emplace(packed, at).second)
                text += text_script("cell-" + number + "-" + std::to_string(at), packed);
        }
    }
    return text;
}

namespace {

recording record_cell(const cell& of, const scenario& in, const std::vector<trace_block>& blocks) {
    const std::unique_ptr<trace::replayed_memory> memory = memory_of(of);
    const trace::history made = trace::record_history(in.load, *memory, of.spec.quantum);
    recording kept;
    for (const trace::recorded_reading& each : made.readings) kept.highest = std::max(kept.highest, each.highest_end);
    if (const std::optional<std::string> packed = packed_history(made, in.load, blocks, of.spec.quantum))
        kept.packed = base64(zlib_stream(*packed));
    const std::uint64_t top = of.found.capacity_bytes ? made.capacity : kept.highest;
    // A little more than was replayed, so that the picture shows a failure.
    const std::size_t rows = std::min(in.load.rows.size(), made.readings.size() + made.readings.size() / 25 + 1);
    kept.picture = picture_of(made, rows, top);
    kept.curves = curves_svg(made, rows, of.found.capacity_bytes.has_value());
    return kept;
}

}  // namespace

recorded_workload record_workload(const comparison& of) {
    const scenario& in = *of.in;
    const std::vector<trace_block> blocks = trace_blocks(in.load, in.device.quantum);
    recorded_workload made{.shared = base64(zlib_stream(packed_trace(in.load, blocks, in.device.quantum))),
                           .cells = {}};
    for (const cell& each : of.cells) made.cells.push_back(record_cell(each, in, blocks));
    return made;
}

}  // namespace hbm::compare
