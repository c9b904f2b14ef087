#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/read/message/message.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported {

namespace {

const char* name_of(message_kind kind) noexcept {
    switch (kind) {
    case message_kind::buffer: return "buffer";
    case message_kind::reservation: return "reservation";
    case message_kind::load: return "load";
    case message_kind::compile: return "compile";
    case message_kind::early_abort: return "early_abort";
    case message_kind::cores: return "cores";
    case message_kind::exceeds: return "single";
    case message_kind::temporaries: return "temporaries";
    case message_kind::rematerialization: return "rematerialization";
    case message_kind::donation: return "donation";
    default: return "report";
    }
}

/// Returns half a unit of the last digit in bytes, rounded up: 5368710 for `17.60G`.
std::uint64_t off_by(const rounded_size& size) {
    const unsigned unit = unit_of(size);
    if (unit == 0) return 0;
    const std::uint64_t parts = unit == 10 ? 20 : 200;
    return ((std::uint64_t{1} << unit) + parts - 1) / parts;
}

described value_of(const std::optional<rounded_size>& size) {
    if (!size) return {};
    return described::fields{{"text", in_words(*size)}, {"bytes", size->bytes}, {"off_by", off_by(*size)}};
}

described text_or_nothing(const std::string& text) {
    return text.empty() ? described() : described(text);
}

struct named_figure {
    std::string_view name;
    figure which;
};
using named_figures = std::initializer_list<named_figure>;

described::fields fields_of(const memory_message& from, named_figures all) {
    described::fields fields;
    for (const auto& [name, which] : all) fields.emplace_back(name, value_of(from[which]));
    return fields;
}

/// Adds these figures of the first message that states one of them under a name, and returns it; null without one.
const memory_message* add(description& target, std::string_view name, const found_messages& match, named_figures all) {
    for (const memory_message& each : match.messages)
        for (const auto& [figure_name, which] : all)
            if (each[which]) {
                target.more.emplace_back(name, fields_of(each, all));
                return &each;
            }
    return nullptr;
}

described::fields fields_of(const listed_allocation& entry) {
    const std::optional<array_shape> shape = read_array_shape(entry.shape);
    return {{"rank", entry.rank},
            {"size", value_of(entry.size)},
            {"operator", text_or_nothing(entry.origin)},
            {"shape", text_or_nothing(entry.shape)},
            {"label", text_or_nothing(entry.label)},
            {"type", text_or_nothing(entry.type)},
            {"unpadded", value_of(entry.unpadded)},
            {"padding", value_of(entry.padding)},
            {"shape_bytes", shape ? padded_bytes(*shape) : std::nullopt},
            {"shape_unpadded_bytes", shape ? unpadded_bytes(*shape) : std::nullopt}};
}

described::fields fields_of(const memory_message& entry) {
    described::fields fields{{"event", name_of(entry.kind)},
                             {"line", entry.line},
                             {"times", entry.times},
                             {"program", text_or_nothing(entry.program)},
                             {"space", text_or_nothing(entry.space)},
                             {"device", text_or_nothing(entry.device)}};
    for (auto& field : fields_of(entry, {{"request", figure::asked},
                                         {"free", figure::free},
                                         {"largest", figure::largest},
                                         {"reserved", figure::reserved},
                                         {"reservable", figure::reservable},
                                         {"capacity", figure::capacity},
                                         {"exceeded", figure::exceeded}}))
        fields.push_back(std::move(field));
    return fields;
}

}  // namespace

description describe(const found_messages& match) {
    description result{file_kind::message};
    if (const memory_message* const usage = add(result, "usage", match,
                                                {{"total", figure::total},
                                                 {"reserved", figure::system_reserved},
                                                 {"program", figure::program},
                                                 {"arguments", figure::arguments}})) {
        result.argument_bytes = bytes_of((*usage)[figure::arguments]);
        result.peak_bytes = bytes_of((*usage)[figure::total]);
    }
    if (const memory_message* const output =
            add(result, "output", match, {{"size", figure::output}, {"shared", figure::shared}})) {
        result.output_bytes = bytes_of((*output)[figure::output]);
        result.alias_bytes = bytes_of((*output)[figure::shared]);
    } else {
        result.more.emplace_back("output", described());
    }
    if (const memory_message* const requirement = add(result, "requirement", match,
                                                      {{"total", figure::requirement},
                                                       {"reserved", figure::held_back},
                                                       {"global", figure::global},
                                                       {"scoped", figure::scoped},
                                                       {"hlo_temp", figure::temporaries},
                                                       {"temp_unpadded", figure::unpadded},
                                                       {"temp_padded", figure::padded},
                                                       {"temp_fragmentation", figure::fragmentation}})) {
        result.temp_bytes = bytes_of((*requirement)[figure::temporaries]);
        result.constant_bytes = bytes_of((*requirement)[figure::global]);
    }
    described::list largest;
    described::list messages;
    for (const memory_message& each : match.messages) {
        if (result.name.text.empty()) result.name = text_or_nothing(each.program);
        if (largest.empty())
            for (const listed_allocation& entry : each.listed) largest.emplace_back(fields_of(entry));
        messages.emplace_back(fields_of(each));
    }
    result.more.emplace_back("largest", std::move(largest));
    result.more.emplace_back("messages", std::move(messages));
    return result;
}

}  // namespace hbm::imported
