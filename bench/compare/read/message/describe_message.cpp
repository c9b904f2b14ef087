#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace {

const char* name_of(message_kind kind) noexcept {
    constexpr const char* names[] = {"buffer",  "reservation", "load",   "compile",     "early_abort",
                                     "cores",   "single",      "report", "temporaries", "rematerialization",
                                     "donation"};
    return names[static_cast<std::size_t>(kind)];
}

/// Returns half a unit of the last digit, as decimal bytes: 5368709.12 for `17.60G`. The unit is 2^10 to 2^60.
std::string half_a_digit(const rounded_size& size) {
    const unsigned unit = unit_of(size);
    if (unit == 0) return "0";
    const std::uint64_t parts = unit == 10 ? 20 : 200;
    const std::uint64_t one = std::uint64_t{1} << unit;
    const std::uint64_t hundredths = one % parts * 100 / parts;
    return std::to_string(one / parts) + (hundredths < 10 ? ".0" : ".") + std::to_string(hundredths);
}

void field(json_writer& json, std::string_view name, const std::optional<rounded_size>& size) {
    json.key(name);
    if (!size) return json.null();
    json.begin_object();
    json.field("text", in_words(*size));
    json.field("bytes", size->bytes);
    json.key("off_by");
    json.literal(half_a_digit(*size));
    json.end_object();
}

void field(json_writer& json, std::string_view name, const std::string& text) {
    json.key(name);
    if (text.empty()) return json.null();
    json.value(text);
}

std::string json_of(const found_messages& found) {
    json_writer json;
    json.begin_array();
    for (const memory_message& each : found.messages) {
        json.begin_object();
        json.field("event", name_of(each.kind));
        json.field("line", std::uint64_t{each.line});
        json.field("times", each.times);
        field(json, "program", each.program);
        field(json, "space", each.space);
        field(json, "device", each.device);
        field(json, "request", each.asked);
        field(json, "free", each.free);
        field(json, "largest", each.largest);
        field(json, "reserved", each.reserved);
        field(json, "reservable", each.reservable);
        field(json, "capacity", each.capacity);
        field(json, "exceeded", each.exceeded);
        json.end_object();
    }
    json.end_array();
    return json.text();
}

std::string json_of(const stated_usage& usage) {
    json_writer json;
    json.begin_object();
    field(json, "total", usage.total);
    field(json, "reserved", usage.reserved);
    field(json, "program", usage.program);
    field(json, "arguments", usage.arguments);
    json.end_object();
    return json.text();
}

std::string json_of(const stated_output& output) {
    if (!output.size && !output.shared) return "null";
    json_writer json;
    json.begin_object();
    field(json, "size", output.size);
    field(json, "shared", output.shared);
    json.end_object();
    return json.text();
}

std::string json_of(const stated_requirement& requirement) {
    json_writer json;
    json.begin_object();
    field(json, "total", requirement.total);
    field(json, "reserved", requirement.reserved);
    field(json, "global", requirement.global);
    field(json, "scoped", requirement.scoped);
    field(json, "hlo_temp", requirement.temporaries);
    field(json, "temp_unpadded", requirement.unpadded);
    field(json, "temp_padded", requirement.padded);
    field(json, "temp_fragmentation", requirement.fragmentation);
    json.end_object();
    return json.text();
}

std::string json_of(const std::vector<listed_allocation>& all) {
    json_writer json;
    json.begin_array();
    for (const listed_allocation& each : all) {
        const std::optional<xla::array_shape> shape = xla::read_array_shape(each.shape);
        json.begin_object();
        json.field("rank", each.rank);
        field(json, "size", each.size);
        field(json, "operator", each.origin);
        field(json, "shape", each.shape);
        field(json, "label", each.label);
        field(json, "type", each.type);
        field(json, "unpadded", each.unpadded);
        field(json, "padding", each.padding);
        json.field("shape_bytes", shape ? xla::padded_bytes(*shape) : std::nullopt);
        json.field("shape_unpadded_bytes", shape ? xla::unpadded_bytes(*shape) : std::nullopt);
        json.end_object();
    }
    json.end_array();
    return json.text();
}

std::optional<std::uint64_t> bytes_of(const std::optional<rounded_size>& size) {
    return size ? std::optional(size->bytes) : std::nullopt;
}

}  // namespace

description describe(const found_messages& found) {
    description made;
    made.kind = file_kind::message;
    const stated_usage* usage = nullptr;
    const stated_output* output = nullptr;
    const stated_requirement* requirement = nullptr;
    const std::vector<listed_allocation>* listed = nullptr;
    for (const memory_message& each : found.messages) {
        if (!made.name && !each.program.empty()) made.name = each.program;
        if (usage == nullptr && each.usage) usage = &*each.usage;
        if (output == nullptr && each.output) output = &*each.output;
        if (requirement == nullptr && each.requirement) requirement = &*each.requirement;
        if (listed == nullptr && !each.listed.empty()) listed = &each.listed;
    }
    if (usage != nullptr) {
        made.argument_bytes = bytes_of(usage->arguments);
        made.peak_bytes = bytes_of(usage->total);
        made.more.emplace_back("usage", json_of(*usage));
    }
    if (output != nullptr) {
        made.output_bytes = bytes_of(output->size);
        made.alias_bytes = bytes_of(output->shared);
    }
    made.more.emplace_back("output", output != nullptr ? json_of(*output) : "null");
    if (requirement != nullptr) {
        made.temp_bytes = bytes_of(requirement->temporaries);
        made.constant_bytes = bytes_of(requirement->global);
        made.more.emplace_back("requirement", json_of(*requirement));
    }
    made.more.emplace_back("largest", listed != nullptr ? json_of(*listed) : "[]");
    made.more.emplace_back("messages", json_of(found));
    return made;
}

reading<description> describe_message(std::string_view text, const std::string& file) {
    const reading<found_messages> found = read_messages(file, text);
    if (!found) return found.error();
    return describe(*found);
}

}  // namespace hbm::imported
