#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
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
    json.literal("off_by", half_a_digit(*size));
    json.end_object();
}

/// Returns an object of the sizes.
std::string json_of(std::initializer_list<std::pair<std::string_view, std::optional<rounded_size>>> sizes) {
    json_writer json;
    json.begin_object();
    for (const auto& [name, size] : sizes) field(json, name, size);
    json.end_object();
    return json.text();
}

std::string json_of(const found_messages& match) {
    json_writer json;
    json.objects(match.messages, [&](const memory_message& entry) {
        json.field("event", name_of(entry.kind));
        json.field("line", std::uint64_t{entry.line});
        json.field("times", entry.times);
        json.text_or_null("program", entry.program);
        json.text_or_null("space", entry.space);
        json.text_or_null("device", entry.device);
        field(json, "request", entry.asked);
        field(json, "free", entry.free);
        field(json, "largest", entry.largest);
        field(json, "reserved", entry.reserved);
        field(json, "reservable", entry.reservable);
        field(json, "capacity", entry.capacity);
        field(json, "exceeded", entry.exceeded);
    });
    return json.text();
}

std::string json_of(const std::vector<listed_allocation>& all) {
    json_writer json;
    json.objects(all, [&](const listed_allocation& entry) {
        const std::optional<xla::array_shape> shape = xla::read_array_shape(entry.shape);
        json.field("rank", entry.rank);
        field(json, "size", entry.size);
        json.text_or_null("operator", entry.origin);
        json.text_or_null("shape", entry.shape);
        json.text_or_null("label", entry.label);
        json.text_or_null("type", entry.type);
        field(json, "unpadded", entry.unpadded);
        field(json, "padding", entry.padding);
        json.field("shape_bytes", shape ? xla::padded_bytes(*shape) : std::nullopt);
        json.field("shape_unpadded_bytes", shape ? xla::unpadded_bytes(*shape) : std::nullopt);
    });
    return json.text();
}

}  // namespace

description describe(const found_messages& match) {
    description result;
    result.kind = file_kind::message;
    const stated_usage* usage = nullptr;
    const stated_output* output = nullptr;
    const stated_requirement* requirement = nullptr;
    const std::vector<listed_allocation>* listed = nullptr;
    for (const memory_message& entry : match.messages) {
        if (!result.name && !entry.program.empty()) result.name = entry.program;
        if (usage == nullptr && entry.usage) usage = &*entry.usage;
        if (output == nullptr && entry.output) output = &*entry.output;
        if (requirement == nullptr && entry.requirement) requirement = &*entry.requirement;
        if (listed == nullptr && !entry.listed.empty()) listed = &entry.listed;
    }
    if (usage != nullptr) {
        result.argument_bytes = bytes_of(usage->arguments);
        result.peak_bytes = bytes_of(usage->total);
        result.more.emplace_back("usage", json_of({{"total", usage->total},
                                                   {"reserved", usage->reserved},
                                                   {"program", usage->program},
                                                   {"arguments", usage->arguments}}));
    }
    if (output != nullptr) {
        result.output_bytes = bytes_of(output->size);
        result.alias_bytes = bytes_of(output->shared);
    }
    const bool has_output = output != nullptr && (output->size || output->shared);
    result.more.emplace_back("output",
                             has_output ? json_of({{"size", output->size}, {"shared", output->shared}}) : "null");
    if (requirement != nullptr) {
        result.temp_bytes = bytes_of(requirement->temporaries);
        result.constant_bytes = bytes_of(requirement->global);
        result.more.emplace_back("requirement", json_of({{"total", requirement->total},
                                                         {"reserved", requirement->reserved},
                                                         {"global", requirement->global},
                                                         {"scoped", requirement->scoped},
                                                         {"hlo_temp", requirement->temporaries},
                                                         {"temp_unpadded", requirement->unpadded},
                                                         {"temp_padded", requirement->padded},
                                                         {"temp_fragmentation", requirement->fragmentation}}));
    }
    result.more.emplace_back("largest", listed != nullptr ? json_of(*listed) : "[]");
    result.more.emplace_back("messages", json_of(match));
    return result;
}

reading<description> describe_message(std::string_view text, const std::string& file) {
    const reading<found_messages> match = read_messages(file, text);
    if (!match) return match.error();
    return describe(*match);
}

}  // namespace hbm::imported
