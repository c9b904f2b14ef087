#include "compare/answers/message/remedy_parts.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/answers/message/remedy_texts.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace texts = remedy_texts;

void add(remedies& all, std::string text, std::string flag, std::string value) {
    if (!text.empty()) all.list.push_back({std::move(text), std::move(flag), std::move(value)});
}

void add(remedies& all, std::string_view text, std::string flag) {
    add(all, std::string(text), std::move(flag), {});
}

void add_donation(remedies& all, std::string_view text, const std::optional<rounded_size>& size) {
    if (all.may_donate)
        add(all,
            filled(text, {{"donate", std::string(texts::donate)}, {"asked", size ? in_words(*size) : std::string{}}}));
}

bool is_out_of_reach(const rounded_size& asked, const rounded_size& room) {
    const std::uint64_t shares = shares_needed(asked.high, room.low);
    return shares == 0 || shares > few_shares;
}

std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what) {
    const std::uint64_t share = per_cent(room.low, asked.high);
    return filled(
        in_words(asked) == in_words(room) ? texts::slightly_smaller
        : share < 10                      ? texts::hardly_smaller
                                          : texts::smaller,
        {{"size", std::string(what)}, {"percent", share}, {"room", in_words(room)}, {"asked", in_words(asked)}});
}

std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                   const rounded_size& reserved, bool has_others) {
    const std::uint64_t devices = shares_needed(less(asked.high, reserved.low), less(room.low, reserved.high));
    if (devices <= 1 || devices > most_devices) return {};
    const std::uint64_t share = saturating_add(less(asked.bytes, reserved.bytes) / devices, reserved.bytes);
    const unsigned unit = range_of(asked).unit;
    const bool is_too_coarse = unit > range_of(room).unit;
    return filled((has_others ? texts::spread_with_others : texts::spread)[is_too_coarse ? 1 : 0],
                  {{"spread", std::string(what)},
                   {"devices", grouped_digits(devices)},
                   {"share", in_unit(share, unit, rounding::nearest)},
                   {"room", in_words(room)}});
}

std::string restart(const std::string_view (&sentences)[2], const byte_range& spare) {
    return filled(sentences[spare.low == 0 ? 1 : 0], {{"left", in_words(spare)}});
}

std::string times_in_words(std::uint64_t whole, std::uint64_t part) {
    if (part == 0) return std::string(message_texts::many_times);
    const std::uint64_t count = whole / part;
    std::uint64_t unit = 1;
    while (count / unit >= 1000) unit *= 10;
    const auto tenths = static_cast<std::uint64_t>(wide{whole} * 10 / part);
    return filled(message_texts::times,
                  {{"number", count >= 10 ? grouped_digits(count / unit * unit)
                                          : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10)}});
}

std::string generations_with(const rounded_size& needed, std::uint64_t more_than) {
    std::string text;
    std::uint64_t last = std::max(more_than, needed.high == 0 ? 0 : needed.high - 1);
    for (;;) {
        const memory_spec* next = nullptr;
        for (const memory_spec& each : tpu::generations)
            if (each.capacity > last && (next == nullptr || each.capacity < next->capacity)) next = &each;
        if (next == nullptr) break;
        last = next->capacity;
        const byte_range left = difference(exactly(last), needed);
        text += (text.empty() ? "" : ", ") +
                filled(texts::generation, {{"name", next->name},
                                           {"capacity", size_in_words(last)},
                                           {"left", in_unit(left.bytes, left.unit, rounding::nearest)}});
    }
    return text;
}

std::string without_layout(std::string_view shape) {
    constexpr std::size_t longest = 60;
    shape = shape.substr(0, shape.find('{'));
    return std::string(shape.substr(0, longest)) + (shape.size() > longest ? "..." : "");
}

std::string operation_of(const listed_allocation& entry) {
    constexpr std::size_t longest = 48;
    const std::size_t at = entry.origin.find("op_name=\"");
    if (at == std::string::npos) return {};
    std::string_view name = std::string_view(entry.origin).substr(at + 9);
    name = name.substr(0, name.find('"'));
    name = name.substr(0, name.find('['));  // parameters of the operation
    return name.size() <= longest ? std::string(name) : "..." + std::string(name.substr(name.size() - longest));
}

namespace {

/// Returns the dimensions that are stored longer than they are: `18 as 128 and 9 as 16`. Empty if there are none, or
/// the layout is unknown.
std::string lengthened(std::string_view text) {
    const std::optional<xla::array_shape> shape = xla::read_array_shape(text);
    if (!shape || !shape->is_tiled() || shape->minor_to_major.size() != shape->dimensions.size()) return {};
    std::vector<std::string> all;
    for (std::size_t at = 0; at < shape->tile.size() && at < shape->minor_to_major.size(); ++at) {
        const std::uint64_t unit = shape->tile[shape->tile.size() - 1 - at];
        std::uint64_t length = shape->dimensions[static_cast<std::size_t>(shape->minor_to_major[at])];
        const std::uint64_t stated = length;
        if (unit == xla::joined_dimension || !xla::round_up(length, unit)) return {};
        if (length != stated) all.push_back(filled(texts::stored_dimension, {{"length", stated}, {"stored", length}}));
    }
    return list_in_words(all);
}

std::string shape_of(const listed_allocation& entry) {
    return entry.shape.empty() ? std::string(message_texts::an_array) : without_layout(entry.shape);
}

}  // namespace

std::string large_array_remedy(const memory_message& from) {
    const listed_allocation* largest = nullptr;
    for (const listed_allocation& each : from.listed)
        if (each.size && (largest == nullptr || each.size->bytes > largest->size->bytes)) largest = &each;
    if (from.kind == message_kind::exceeds && from.asked && from.capacity)
        return filled(from.shape.empty() ? texts::look_at_single : texts::look_at_shape,
                      {{"shape", without_layout(from.shape)}});
    if (largest == nullptr || !from.capacity) return {};
    // Without its padding: padding has a remedy of its own.
    const rounded_size& data = largest->unpadded ? *largest->unpadded : *largest->size;
    if (data.low <= from.capacity->high / 2) return {};
    const std::string operation = operation_of(*largest);
    return filled(texts::look_at_array[operation.empty() ? 0 : 1],
                  {{"array", shape_of(*largest)},
                   {"bytes", in_words(*largest->size)},
                   {"operation", operation},
                   {"percent", per_cent(largest->size->bytes, from.capacity->bytes)}});
}

std::string padding_remedy(const memory_message& from) {
    const listed_allocation* worst = nullptr;
    std::uint64_t count = 0;
    for (const listed_allocation& each : from.listed) {
        if (!each.padding || !each.size || each.padding->bytes < each.size->bytes / 3) continue;
        ++count;
        if (worst == nullptr || each.padding->bytes > worst->padding->bytes) worst = &each;
    }
    if (worst == nullptr) return {};
    const std::string stored = lengthened(worst->shape);
    const bool is_enough = from.exceeded && worst->padding->low > from.exceeded->high;
    const std::string_view others = count == 1   ? std::string_view{}
                                    : count == 2 ? texts::padding_of_another
                                                 : texts::padding_of_others;
    return filled(stored.empty() ? texts::padding : texts::padding_of_dimension,
                  {{"padding", in_words(*worst->padding)},
                   {"bytes", in_words(*worst->size)},
                   {"array", shape_of(*worst)},
                   {"stored", stored},
                   {"enough", std::string(is_enough ? texts::padding_enough : "")},
                   {"others", filled(others, {{"count", count - 1}})}});
}

std::string narrower_types_remedy(const memory_message& from) {
    std::uint64_t count = 0;
    for (const listed_allocation& each : from.listed)
        if (each.shape.starts_with("f32[")) ++count;
    if (count == 0) return {};
    return filled(count == 1 ? texts::narrower_array : texts::narrower_arrays,
                  {{"count", count}, {"all", std::uint64_t{from.listed.size()}}});
}

}  // namespace hbm::imported
