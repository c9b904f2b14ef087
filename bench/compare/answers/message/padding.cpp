#include "compare/answers/message/padding.hpp"

#include <hbm/core/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/xla/read_shape.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace {

/// `f32[4,128,128,9,18]`: a shape without its layout, and cut if it is very long.
std::string without_layout(std::string_view shape) {
    constexpr std::size_t longest = 60;
    shape = shape.substr(0, shape.find('{'));
    return std::string(shape.substr(0, longest)) + (shape.size() > longest ? "..." : "");
}

/// Returns the name of the operation that makes an array, cut from the left; empty if it is not stated.
std::string operation_of(const listed_allocation& each) {
    constexpr std::size_t longest = 48;
    const std::size_t at = each.origin.find("op_name=\"");
    if (at == std::string::npos) return {};
    std::string_view name = std::string_view(each.origin).substr(at + 9);
    name = name.substr(0, name.find('"'));
    name = name.substr(0, name.find('['));  // parameters of the operation
    return name.size() <= longest ? std::string(name) : "..." + std::string(name.substr(name.size() - longest));
}

/// Returns the dimensions that are stored longer than they are: `18 as 128 and 9 as 16`. Empty if there are none, or
/// the layout is unknown.
std::string lengthened(std::string_view text) {
    const std::optional<xla::array_shape> shape = xla::read_array_shape(text);
    if (!shape || !shape->is_tiled() || shape->minor_to_major.size() != shape->dimensions.size()) return {};
    std::string words;
    for (std::size_t at = 0; at < shape->tile.size() && at < shape->minor_to_major.size(); ++at) {
        const std::uint64_t unit = shape->tile[shape->tile.size() - 1 - at];
        std::uint64_t length = shape->dimensions[shape->minor_to_major[at]];
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
               ". A single array of this size is seldom meant: the usual reasons are a sharding that is missing or not "
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
           (worst->shape.empty() ? std::string("an array") : without_layout(worst->shape)) + " are padding" +
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
           " f32, and would take half.";
}

}  // namespace hbm::imported
