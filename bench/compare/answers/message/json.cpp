#include "compare/answers/message/json.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/elsewhere.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/parts.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::imported {

namespace {

std::string_view class_of(const memory_message& from, const diagnosis& shortage) {
    if (from.kind == message_kind::report) return "list";
    if (from.is_statement()) return "warning";
    switch (shortage.what) {
    case shortage_kind::shortage: return "shortage";
    case shortage_kind::fragmentation: return "fragmentation";
    case shortage_kind::crowded: return "crowded";
    case shortage_kind::blocked_bottom: return "blocked_bottom";
    case shortage_kind::too_large: return "too_large";
    case shortage_kind::on_chip: return "on_chip";
    case shortage_kind::unknown: break;
    }
    return "unknown";
}

void bytes_or_null(json_writer& json, std::string_view name, const std::optional<rounded_size>& size) {
    json.field(name, size ? std::optional(size->bytes) : std::nullopt);
}

/// Returns the capacity for a program that is too large, or else the bytes free in one piece.
std::optional<rounded_size> available(const memory_message& from) {
    if (from.capacity) return from.capacity;
    return from.reservable ? from.reservable : from.largest;
}

void largest(json_writer& json, const memory_message& from) {
    json.objects("largest", largest_groups(from), [&](const allocation_group& group) {
        bytes_or_null(json, "bytes", group.first->size);
        json.field("count", group.count);
        json.text_or_null("shape", without_layout(group.first->shape));
        json.text_or_null("operation", group.operation);
        json.text_or_null("source", group.source);
    });
}

void bytes_or_null(json_writer& json, std::string_view name, const std::optional<byte_range>& size) {
    json.field(name, size ? std::optional(size->bytes) : std::nullopt);
}

/// Writes the verdict on the memory of another device; `fits` is null if it is not known.
void other(json_writer& json, const memory_message& from, const diagnosis& shortage, const memory_spec& device) {
    const other_device verdict = on_device(from, shortage, device);
    json.begin_object("other_device");
    json.field("name", device.name);
    json.field("capacity_bytes", device.capacity);
    json.key("fits");
    verdict.left || verdict.missing ? json.value(verdict.left.has_value()) : json.null();
    bytes_or_null(json, "left_bytes", verdict.left);
    bytes_or_null(json, "missing_bytes", verdict.missing);
    json.field("text", verdict.text);
    json.end_object();
}

}  // namespace

std::string message_json(const found_messages& all, const memory_spec* device) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-message/1");
    json.text_or_null("unread", all.unread);
    json.objects("messages", all.messages, [&](const memory_message& from) {
        const diagnosis shortage = diagnose(from);
        json.field("class", class_of(from, shortage));
        json.field("text", headline(from, shortage));
        json.field("line", std::uint64_t{from.line});
        json.field("times", from.times);
        json.text_or_null("device", from.device);
        json.text_or_null("space", from.space);
        const std::vector<std::string> names = program_names(from);
        json.text_or_null("program", names.size() == 1 ? std::string_view(names.front()) : std::string_view{});
        bytes_or_null(json, "requested_bytes", lists_whole_program(from) ? from.usage->total : from.asked);
        bytes_or_null(json, "free_bytes", from.free);
        bytes_or_null(json, "available_bytes", available(from));
        bytes_or_null(json, "missing_bytes", shortage.missing);
        if (device != nullptr) other(json, from, shortage, *device);
        largest(json, from);
        json.objects("remedies", remedies_for(from, shortage), [&](const remedy& advice) {
            json.field("what", advice.text);
            json.text_or_null("flag", advice.flag);
            json.text_or_null("value", advice.value);
        });
    });
    json.end_object();
    return json.text() + "\n";
}

}  // namespace hbm::imported
