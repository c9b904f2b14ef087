#include "compare/answers/message/shares.hpp"

#include <hbm/core/memory_spec.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>

#include "compare/text/byte_range.hpp"

namespace hbm::imported {

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
