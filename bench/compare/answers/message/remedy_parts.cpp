#include "compare/answers/message/remedy_parts.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/eviction/scores.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

void add(remedies& all, std::string text, std::string flag, std::string value) {
    if (!text.empty()) all.list.push_back({std::move(text), std::move(flag), std::move(value)});
}

void add_donation(remedies& all, std::string text) {
    if (all.may_donate) add(all, std::move(text));
}

bool is_out_of_reach(const rounded_size& asked, const rounded_size& room) {
    const std::uint64_t shares = shares_needed(asked.high, room.low);
    return shares == 0 || shares > few_shares;
}

std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what) {
    const std::uint64_t share = per_cent(room.low, asked.high);
    if (in_words(asked) == in_words(room))
        return "Request a little less: it is a matter of rounding, and a batch or sequence that is slightly smaller is "
               "enough if " +
               std::string(what) + " grows in step with it.";
    if (share < 10)
        return "A smaller batch or a shorter sequence is unlikely to be enough on its own: " + std::string(what) +
               " would have to shrink from " + in_words(asked) + " to " + in_words(room) +
               ", but every byte that it saves need not be freed.";
    return "Take a smaller batch or a shorter sequence: if " + std::string(what) + " grows in step with it, " +
           std::to_string(share) + " % of the present one fits (" + in_words(room) + " instead of " + in_words(asked) +
           ").";
}

std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                   const rounded_size& reserved) {
    const std::uint64_t devices = shares_needed(less(asked.high, reserved.low), less(room.low, reserved.high));
    if (devices <= 1 || devices > most_devices) return {};
    const std::string begin =
        "Spread " + std::string(what) + " over more devices (sharding). At best, if everything divides";
    const std::uint64_t share = saturating_add(less(asked.bytes, reserved.bytes) / devices, reserved.bytes);
    const unsigned unit = range_of(asked).unit;
    const std::string each = unit > range_of(room).unit
                                 ? "each share fits into "
                                 : "each needs " + in_unit(share, unit, rounding::nearest) + ", which fits into ";
    return begin + ": over " + grouped_digits(devices) + ", " + each + in_words(room) + ".";
}

std::string left_over(const byte_range& spare) {
    return in_words(spare) + " would be left over" +
           (spare.low == 0 ? ": next to nothing, so begin with less in memory than before." : ".");
}

std::string times_in_words(std::uint64_t whole, std::uint64_t part) {
    if (part == 0) return "many times";
    const std::uint64_t count = whole / part;
    std::uint64_t unit = 1;
    while (count / unit >= 1000) unit *= 10;
    if (count >= 10) return grouped_digits(count / unit * unit) + " times";
    const auto tenths = static_cast<std::uint64_t>(wide{whole} * 10 / part);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
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
        const byte_range left = difference(rounded_size{last, last, last}, needed);
        text += std::string(text.empty() ? "" : ", ") + "TPU " + next->name + " (" + size_in_words(last) + ", " +
                in_unit(left.bytes, left.unit, rounding::nearest) + " left)";
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
    std::string words;
    for (std::size_t at = 0; at < shape->tile.size() && at < shape->minor_to_major.size(); ++at) {
        const std::uint64_t unit = shape->tile[shape->tile.size() - 1 - at];
        std::uint64_t length = shape->dimensions[static_cast<std::size_t>(shape->minor_to_major[at])];
        const std::uint64_t stated = length;
        if (unit == xla::joined_dimension || !xla::round_up(length, unit)) return {};
        if (length != stated)
            words += (words.empty() ? "" : " and ") + std::to_string(stated) + " as " + std::to_string(length);
    }
    return words;
}

}  // namespace

std::string briefly(const listed_allocation& each) {
    const std::string operation = operation_of(each);
    std::string text = each.shape.empty() ? "an array" : without_layout(each.shape);
    if (each.size) text += " (" + in_words(*each.size) + ")";
    return text + (operation.empty() ? "" : " of '" + operation + "'");
}

std::string large_array_remedy(const memory_message& from) {
    const listed_allocation* largest = nullptr;
    for (const listed_allocation& each : from.listed)
        if (each.size && (largest == nullptr || each.size->bytes > largest->size->bytes)) largest = &each;
    const bool is_single = from.kind == message_kind::exceeds;
    if (is_single && from.asked && from.capacity)
        return "Look at that array first" + (from.shape.empty() ? std::string{} : ": " + without_layout(from.shape)) +
               ". A single array of this size is rarely intended: the usual reasons are a sharding that is missing or "
               "not "
               "passed on, a broadcast, or a `jax.debug.print` left behind.";
    if (largest == nullptr || !from.capacity) return {};
    // Without its padding: padding has a remedy of its own.
    const rounded_size& data = largest->unpadded ? *largest->unpadded : *largest->size;
    if (data.low <= from.capacity->high / 2) return {};
    return "Look at " + briefly(*largest) + " first: it alone takes " +
           std::to_string(per_cent(largest->size->bytes, from.capacity->bytes)) +
           " % of the memory. The usual reasons are a sharding that is missing or not passed on, and a "
           "`jax.debug.print` left behind.";
}

std::string padding_remedy(const memory_message& from) {
    const listed_allocation* worst = nullptr;
    std::size_t count = 0;
    for (const listed_allocation& each : from.listed) {
        if (!each.padding || !each.size || each.padding->bytes < each.size->bytes / 3) continue;
        ++count;
        if (worst == nullptr || each.padding->bytes > worst->padding->bytes) worst = &each;
    }
    if (worst == nullptr) return {};
    const std::string stored = lengthened(worst->shape);
    return "Avoid padding: " + in_words(*worst->padding) + " of the " + in_words(*worst->size) + " of " +
           (worst->shape.empty() ? std::string("an array") : without_layout(worst->shape)) + " is padding" +
           (stored.empty() ? ": dimensions are stored as multiples of 128 and 8, the last two as a rule."
                           : ": the device stores its dimension of " + stored + ".") +
           " Make a small last dimension part of another one, or swap dimensions." +
           (from.exceeded && worst->padding->low > from.exceeded->high ? " Without it, the program could fit." : "") +
           (count > 1 ? " Of the listed arrays, " + std::to_string(count - 1) + " more waste" +
                            (count == 2 ? "s" : "") + " a third or more."
                      : "");
}

std::string narrower_types_remedy(const memory_message& from) {
    std::size_t wide_count = 0;
    for (const listed_allocation& each : from.listed) wide_count += each.shape.starts_with("f32[");
    if (wide_count == 0) return {};
    return "Compute in bfloat16 where that is good enough: " + std::to_string(wide_count) + " of the " +
           std::to_string(from.listed.size()) + " listed arrays " + (wide_count == 1 ? "is" : "are") +
           " f32, and would shrink by half.";
}

}  // namespace hbm::imported
