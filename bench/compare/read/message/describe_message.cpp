#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace {

const char* name_of(message_kind kind) noexcept {
    constexpr const char* names[] = {"buffer",  "reservation", "load",   "compile", "early_abort", "cores",
                                     "single",  "temporaries", "report", "report",  "report",      "rematerialization",
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

struct named_figure {
    std::string_view name;
    figure which;
};
using named_figures = std::span<const named_figure>;

constexpr named_figure usage_figures[] = {{"total", figure::total},
                                          {"reserved", figure::system_reserved},
                                          {"program", figure::program},
                                          {"arguments", figure::arguments}};
constexpr named_figure output_figures[] = {{"size", figure::output}, {"shared", figure::shared}};
constexpr named_figure requirement_figures[] = {
    {"total", figure::requirement},    {"reserved", figure::held_back},
    {"global", figure::global},        {"scoped", figure::scoped},
    {"hlo_temp", figure::temporaries}, {"temp_unpadded", figure::unpadded},
    {"temp_padded", figure::padded},   {"temp_fragmentation", figure::fragmentation}};
constexpr named_figure event_figures[] = {{"request", figure::asked},         {"free", figure::free},
                                          {"largest", figure::largest},       {"reserved", figure::reserved},
                                          {"reservable", figure::reservable}, {"capacity", figure::capacity},
                                          {"exceeded", figure::exceeded}};

void fields(json_writer& json, const memory_message& from, named_figures all) {
    for (const auto& [name, which] : all) field(json, name, from[which]);
}

/// Returns the first message that states one of these figures; null without one.
const memory_message* first_with(const found_messages& match, named_figures all) {
    for (const memory_message& each : match.messages)
        for (const auto& [name, which] : all)
            if (each[which]) return &each;
    return nullptr;
}

/// Adds an object of the figures, from the first message that states one.
void add(description& target, std::string_view name, const memory_message* from, named_figures all) {
    if (from == nullptr) return;
    json_writer json;
    json.begin_object();
    fields(json, *from, all);
    json.end_object();
    target.more.emplace_back(name, json.text());
}

void write_listed(json_writer& json, const listed_allocation& entry) {
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
}

}  // namespace

description describe(const found_messages& match) {
    description result;
    result.kind = file_kind::message;
    const memory_message* lists = nullptr;
    for (const memory_message& each : match.messages) {
        if (!result.name && !each.program.empty()) result.name = each.program;
        if (lists == nullptr && !each.listed.empty()) lists = &each;
    }
    const memory_message* const usage = first_with(match, usage_figures);
    const memory_message* const output = first_with(match, output_figures);
    const memory_message* const requirement = first_with(match, requirement_figures);
    if (usage != nullptr) {
        result.argument_bytes = bytes_of((*usage)[figure::arguments]);
        result.peak_bytes = bytes_of((*usage)[figure::total]);
    }
    if (output != nullptr) {
        result.output_bytes = bytes_of((*output)[figure::output]);
        result.alias_bytes = bytes_of((*output)[figure::shared]);
    }
    if (requirement != nullptr) {
        result.temp_bytes = bytes_of((*requirement)[figure::temporaries]);
        result.constant_bytes = bytes_of((*requirement)[figure::global]);
    }
    add(result, "usage", usage, usage_figures);
    if (output == nullptr) result.more.emplace_back("output", "null");
    add(result, "output", output, output_figures);
    add(result, "requirement", requirement, requirement_figures);
    json_writer listed;
    listed.objects(lists != nullptr ? lists->listed : std::vector<listed_allocation>{},
                   [&](const listed_allocation& entry) { write_listed(listed, entry); });
    result.more.emplace_back("largest", listed.text());
    json_writer messages;
    messages.objects(match.messages, [&](const memory_message& entry) {
        messages.field("event", name_of(entry.kind));
        messages.field("line", std::uint64_t{entry.line});
        messages.field("times", entry.times);
        messages.text_or_null("program", entry.program);
        messages.text_or_null("space", entry.space);
        messages.text_or_null("device", entry.device);
        fields(messages, entry, event_figures);
    });
    result.more.emplace_back("messages", messages.text());
    return result;
}

reading<description> describe_message(std::string_view text, const std::string& file) {
    const found_messages match = read_messages(text);
    if (match.messages.empty()) return no_message_in(text, file);
    return describe(match);
}

}  // namespace hbm::imported
