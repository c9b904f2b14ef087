#include "compare/answers/message/remedy_parts.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/eviction/scores.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <utility>

#include "compare/text/byte_range.hpp"

namespace hbm::imported {

void add(remedies& all, std::string text) {
    if (!text.empty()) all.texts.push_back(std::move(text));
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
        return "Ask for a little less: it is a matter of rounding, and a batch or sequence that is slightly smaller is "
               "enough where " +
               std::string(what) + " grows in step with it.";
    if (share < 10)
        return "A smaller batch or a shorter sequence alone will hardly do: " + std::string(what) +
               " would have to shrink from " + in_words(asked) + " to " + in_words(room) +
               ". But what it needs less does not have to be freed.";
    return "Take a smaller batch or a shorter sequence: where " + std::string(what) + " grows in step with it, " +
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
    std::size_t named = 0;
    std::uint64_t last = std::max(more_than, needed.high == 0 ? 0 : needed.high - 1);
    for (; named < 3; ++named) {
        const memory_spec* next = nullptr;
        for (const memory_spec& each : tpu::generations)
            if (each.capacity > last && (next == nullptr || each.capacity < next->capacity)) next = &each;
        if (next == nullptr) break;
        last = next->capacity;
        const byte_range left = difference(rounded_size{last, last, last}, needed);
        text += std::string(named == 0 ? "" : ", ") + "TPU " + next->name + " (" + size_in_words(last) + ", " +
                in_unit(left.bytes, left.unit, rounding::nearest) + " left)";
    }
    return text;
}

}  // namespace hbm::imported
