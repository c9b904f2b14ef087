#include "compare/page/curves.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>

#include "compare/page/escape.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

constexpr std::size_t curve_width = 480;
constexpr std::uint64_t curve_height = 120;

/// Returns a path that keeps its value until the next column.
template <class Value>
std::string path(const trace::history& made, std::size_t rows, std::uint64_t top, std::string_view name, bool smallest,
                 Value value_of) {
    std::string commands;
    std::uint64_t last = ~std::uint64_t{0};
    const std::size_t columns = std::min(curve_width, std::max<std::size_t>(rows, 1));
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t begin = column * rows / columns;
        const std::size_t end = std::min((column + 1) * rows / columns, made.readings.size());
        if (begin >= end) break;
        std::uint64_t value = value_of(made.readings[begin]);
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint64_t here = value_of(made.readings[row]);
            value = smallest ? std::min(value, here) : std::max(value, here);
        }
        const std::uint64_t y =
            curve_height - static_cast<std::uint64_t>(trace::wide_unsigned{value} * curve_height / top);
        const std::size_t x = column * curve_width / columns;
        const std::string high = std::to_string(y);
        if (column == 0)
            commands += "M0 " + high;
        else if (y != last)
            commands += "H" + std::to_string(x) + "V" + high;
        last = y;
    }
    const std::size_t right = rows == 0 ? 0 : made.readings.size() * curve_width / rows;
    return commands.empty()
               ? std::string{}
               : "<path class=\"" + std::string(name) + "\" d=\"" + commands + "H" + std::to_string(right) + "\"/>";
}

}  // namespace

std::string curves_svg(const trace::history& made, std::size_t rows, bool is_limited) {
    std::uint64_t top = 1;
    for (const trace::recorded_reading& each : made.readings) top = std::max(top, each.highest_end);
    if (is_limited) top = std::max(top, made.capacity);
    std::string text = "<svg class=\"curves\" viewBox=\"-1 -1 482 122\" preserveAspectRatio=\"none\" role=\"img\" "
                       "aria-label=\"Bytes in use, highest end" +
                       std::string(is_limited ? " and largest free block" : "") +
                       " over the events; the upper edge is " + size_in_words(top) + "\">";
    text += path(made, rows, top, "live", false, [](const auto& each) { return each.used; });
    text += path(made, rows, top, "end", false, [](const auto& each) { return each.highest_end; });
    if (is_limited) text += path(made, rows, top, "largest", true, [](const auto& each) { return each.largest_free; });
    return text + "</svg>";
}

}  // namespace hbm::compare
