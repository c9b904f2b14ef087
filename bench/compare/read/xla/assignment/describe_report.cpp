#include "compare/read/xla/assignment/describe_report.hpp"

#include <hbm/explain/json_writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_classes.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

namespace {

/// Half a unit of the last digit, by which a rounded size may be off; XLA prints K with one decimal and larger units
/// with two. 0 for an exact size.
std::string off_by(const rounded_size& size) {
    if (size.is_exact()) return "0";
    constexpr std::pair<std::uint64_t, std::string_view> halves[] = {
        {51, "51.2"},
        {5'242, "5242.88"},
        {5'368'709, "5368709.12"},
        {5'497'558'138, "5497558138.88"},
        {5'629'499'534'213, "5629499534213.12"},
        {5'764'607'523'034'234, "5764607523034234.88"},
    };
    const std::uint64_t below = size.bytes - size.low;
    for (const auto& [whole, text] : halves)
        if (below + 1 >= whole && below <= whole + 1) return std::string(text);
    return std::to_string(below);
}

void write(json_writer& json, const rounded_size& size) {
    json.field("about_bytes", size.bytes);
    json.key("off_by");
    json.literal(off_by(size));
}

std::string entries(const memory_report& of) {
    json_writer json;
    json.begin_array();
    for (const allocation& each : of.allocations) {
        json.begin_object();
        json.field("number", each.number);
        write(json, each.size);
        json.field("color", each.color);
        json.key("parameter");
        json.literal(number_json(each.parameter));
        json.key("shape");
        if (each.parameter)
            json.value(each.shape);
        else
            json.null();
        json.field("live_out", each.is_live_out);
        json.field("temp", each.is_temporary);
        json.field("constant", each.is_constant);
        json.field("thread_local", each.is_per_thread);
        json.end_object();
    }
    json.end_array();
    return json.text();
}

std::string sums(const memory_classes& of) {
    json_writer json;
    json.begin_object();
    json.field("argument_bytes", of.argument.bytes);
    json.field("output_bytes", of.output.bytes);
    json.field("alias_bytes", of.alias.bytes);
    json.field("temp_bytes", of.temporary.bytes);
    json.field("constant_bytes", of.constant.bytes);
    json.key("other_memory_bytes");
    json.literal(spaces_json(of.other_spaces));
    json.end_object();
    return json.text();
}

std::string spaces(const memory_report& of) {
    json_writer json;
    json.begin_object();
    for (const reported_space& each : of.spaces) {
        json.key(each.name);
        json.literal(number_json(each.bytes));
    }
    json.end_object();
    return json.text();
}

}  // namespace

description describe(const memory_report& of) {
    const memory_classes found = classify(of.allocations);
    const bool is_whole = of.has_all_allocations();
    const auto known = [&](const rounded_size& sum) { return is_whole ? std::optional{sum.bytes} : std::nullopt; };
    description made;
    made.kind = file_kind::report;
    made.argument_bytes = known(found.argument);
    made.output_bytes = known(found.output);
    made.alias_bytes = known(found.alias);
    made.temp_bytes = known(found.temporary);
    made.constant_bytes = known(found.constant);
    made.peak_bytes = known(found.peak);
    made.more = {{"total_stated_bytes", number_json(of.total_bytes())},
                 {"spaces", spaces(of)},
                 {"entries", entries(of)},
                 {"about", is_whole ? sums(found) : "null"},
                 {"not_shown", std::to_string(of.not_shown)},
                 {"cut_line", of.cut_line == not_cut ? "null" : std::to_string(of.cut_line)}};
    return made;
}

}  // namespace hbm::imported::xla
