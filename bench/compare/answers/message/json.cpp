#include "compare/answers/message/json.hpp"

#include <hbm/explain/json_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/parts.hpp"

namespace hbm::imported {

namespace {

std::string_view class_of(const memory_message& from, const diagnosis& shortage) {
    if (from.kind == message_kind::report) return "list";
    if (from.is_statement()) return "warning";
    switch (shortage.what) {
    case shortage_kind::shortage:
        return "shortage";
    case shortage_kind::fragmentation:
        return "fragmentation";
    case shortage_kind::crowded:
        return "crowded";
    case shortage_kind::blocked_bottom:
        return "blocked_bottom";
    case shortage_kind::too_large:
        return "too_large";
    case shortage_kind::on_chip:
        return "on_chip";
    case shortage_kind::unknown:
        break;
    }
    return "unknown";
}

void text_or_null(json_writer& json, std::string_view name, std::string_view text) {
    json.key(name);
    text.empty() ? json.null() : json.value(text);
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
    json.key("largest");
    json.begin_array();
    for (const allocation_group& group : largest_groups(from)) {
        json.begin_object();
        bytes_or_null(json, "bytes", group.first->size);
        json.field("count", group.count);
        text_or_null(json, "shape", without_layout(group.first->shape));
        text_or_null(json, "operation", group.operation);
        text_or_null(json, "source", group.source);
        json.end_object();
    }
    json.end_array();
}

/// Writes the first flag of a remedy, such as `--xla_tpu_max_hbm_size_mib=92163`, as `flag` and `value`. A value that
/// is a placeholder is null.
void flag_of(json_writer& json, std::string_view remedy) {
    std::string_view flag;
    std::string_view value;
    for (std::size_t at = remedy.find("--"); at != std::string_view::npos; at = remedy.find("--", at + 2)) {
        const std::string_view rest = remedy.substr(at);
        const std::string_view name = rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-"));
        if (!name.starts_with("--xla_") && !name.starts_with("--tpu_") && !name.starts_with("--gpu-memory-utilization"))
            continue;
        const std::string_view behind = rest.substr(name.size());
        const std::string_view given = behind.starts_with('=') ? behind.substr(1) : std::string_view{};
        flag = name;
        value = given.substr(0, given.find_first_of(" ';,`"));
        while (value.ends_with('.')) value.remove_suffix(1);
        const bool is_number = !value.empty() && value.find_first_not_of("0123456789.-") == std::string_view::npos;
        if (!is_number && name.starts_with("--xla_tpu_rematerialization")) continue;  // a number comes behind it
        if (value == "N" || value == "DIR") value = {};
        break;
    }
    text_or_null(json, "flag", flag);
    text_or_null(json, "value", value);
}

}  // namespace

std::string message_json(const found_messages& all) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-message/1");
    text_or_null(json, "unread", all.unread);
    json.key("messages");
    json.begin_array();
    for (const memory_message& from : all.messages) {
        const diagnosis shortage = diagnose(from);
        json.begin_object();
        json.field("class", class_of(from, shortage));
        json.field("text", headline(from, shortage));
        json.field("line", std::uint64_t{from.line});
        json.field("times", from.times);
        text_or_null(json, "device", from.device);
        text_or_null(json, "space", from.space);
        const std::vector<std::string> names = program_names(from);
        text_or_null(json, "program", names.size() == 1 ? std::string_view(names.front()) : std::string_view{});
        bytes_or_null(json, "requested_bytes", lists_whole_program(from) ? from.usage->total : from.asked);
        bytes_or_null(json, "free_bytes", from.free);
        bytes_or_null(json, "available_bytes", available(from));
        json.field("missing_bytes", shortage.missing ? std::optional(shortage.missing->bytes) : std::nullopt);
        largest(json, from);
        json.key("remedies");
        json.begin_array();
        for (const std::string& remedy : remedies_for(from, shortage)) {
            json.begin_object();
            json.field("what", remedy);
            flag_of(json, remedy);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return json.text() + "\n";
}

}  // namespace hbm::imported
