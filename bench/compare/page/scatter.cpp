#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "compare/managers/named_managers.hpp"
#include "compare/page/curves.hpp"
#include "compare/page/escape.hpp"
#include "compare/page/texts.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

constexpr std::int64_t left = 16;
constexpr std::int64_t right = 464;
constexpr std::int64_t top = 36;
constexpr std::int64_t bottom = 184;       // bottom of a picture with two axes,
constexpr std::int64_t strip_bottom = 84;  // and of a picture with one
constexpr std::int64_t radius = 5;

/// A part of the picture: its middle and half of its size.
struct box {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t half_width = radius + 1;
    std::int64_t half_height = radius + 1;

    [[nodiscard]] bool meets(const box& other) const {
        return std::abs(x - other.x) < half_width + other.half_width &&
               std::abs(y - other.y) < half_height + other.half_height;
    }
};

/// Returns the position of a value between two edges.
std::int64_t position(std::uint64_t value, std::uint64_t least, std::uint64_t most, std::int64_t length) {
    if (most == least) return length / 2;
    return static_cast<std::int64_t>(trace::wide_unsigned{value - least} * static_cast<std::uint64_t>(length) /
                                     (most - least));
}

/// Points of which each hides a part of the first, with a label for all.
struct place {
    std::vector<std::size_t> points;  ///< numbers of points, from 0
    box first;
    box label;

    /// `1`, or `1, 2`, or `1-3, 7`
    [[nodiscard]] std::string words() const {
        std::string made;
        for (std::size_t at = 0; at < points.size(); ++at) {
            std::size_t last = at;
            while (last + 1 < points.size() && points[last + 1] == points[last] + 1) ++last;
            if (last < at + 2) last = at;
            made += (made.empty() ? "" : ", ") + std::to_string(points[at] + 1);
            if (last != at) made += "\u2013" + std::to_string(points[last] + 1);
            at = last;
        }
        return made;
    }
};

/// Puts a label as near as it hides neither a circle nor another label, first to the right.
void put_label(place& into, const std::vector<box>& taken, std::int64_t end) {
    constexpr std::int64_t digit = 8;
    std::int64_t characters = 0;  // number of characters in UTF-8
    for (const char each : into.words()) characters += (static_cast<unsigned char>(each) & 0xc0U) != 0x80U;
    into.label.half_width = (characters * digit + 1) / 2;
    into.label.half_height = 7;
    constexpr std::pair<int, int> ways[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}};
    for (std::int64_t distance = 2; distance < right; distance += 6)
        for (const auto& [across, down] : ways) {
            into.label.x = into.first.x + across * (into.first.half_width + into.label.half_width + distance);
            into.label.y = into.first.y + down * (into.first.half_height + into.label.half_height + distance);
            if (into.label.x - into.label.half_width < 6 || into.label.x + into.label.half_width > right + 14) continue;
            if (into.label.y - into.label.half_height < 2 || into.label.y + into.label.half_height > end + 14) continue;
            if (std::none_of(taken.begin(), taken.end(), [&](const box& each) { return each.meets(into.label); }))
                return;
        }
}

/// Returns a line across or down.
box line_between(const box& from, std::int64_t x, std::int64_t y) {
    return {.x = (from.x + x) / 2,
            .y = (from.y + y) / 2,
            .half_width = std::abs(from.x - x) / 2 + 2,
            .half_height = std::abs(from.y - y) / 2 + 2};
}

/// Places the points and their labels; no label lies on a circle, on another label or in `taken`.
std::vector<place> places_of(const std::vector<box>& circles, std::vector<box> taken, std::int64_t end) {
    std::vector<place> made;
    for (std::size_t at = 0; at < circles.size(); ++at) {
        const auto near = std::find_if(made.begin(), made.end(), [&](const place& each) {
            return std::abs(each.first.x - circles[at].x) < 2 * radius &&
                   std::abs(each.first.y - circles[at].y) < 2 * radius;
        });
        if (near == made.end())
            made.push_back({.points = {at}, .first = circles[at], .label = {}});
        else
            near->points.push_back(at);
    }
    taken.insert(taken.end(), circles.begin(), circles.end());
    for (place& each : made) {
        put_label(each, taken, end);
        taken.push_back(each.label);
    }
    return made;
}

/// Returns the labels, each with a line to its circle if it lies apart.
std::string labels_svg(const std::vector<place>& all) {
    std::string text;
    for (const place& each : all) {
        const std::int64_t across = each.label.x - each.first.x;
        const std::int64_t down = each.label.y - each.first.y;
        const bool is_apart = std::abs(across) > each.first.half_width + each.label.half_width + 4 ||
                              std::abs(down) > each.first.half_height + each.label.half_height + 4;
        if (is_apart)
            text +=
                "<path class=\"leader\" d=\"M" + std::to_string(each.first.x) + " " + std::to_string(each.first.y) +
                "L" + std::to_string(each.label.x - std::clamp<std::int64_t>(across, -1, 1) * each.label.half_width) +
                " " + std::to_string(each.label.y - std::clamp<std::int64_t>(down, -1, 1) * each.label.half_height) +
                "\"/>";
        text += "<text class=\"number\" x=\"" + std::to_string(each.label.x) + "\" y=\"" +
                std::to_string(each.label.y) + "\" dy=\"5\">" + each.words() + "</text>";
    }
    return text;
}

/// Merges points with the same values.
std::vector<scatter_point> joined(std::vector<scatter_point> all) {
    std::vector<scatter_point> made;
    for (scatter_point& each : all) {
        const auto same = std::find_if(made.begin(), made.end(), [&](const scatter_point& other) {
            return other.bytes == each.bytes && other.price_us == each.price_us && other.fails == each.fails;
        });
        if (same == made.end()) {
            made.push_back(std::move(each));
            continue;
        }
        same->others.push_back(std::move(each.name));
        same->others.insert(same->others.end(), each.others.begin(), each.others.end());
    }
    std::sort(made.begin(), made.end(), [](const scatter_point& a, const scatter_point& b) {
        return std::tie(a.fails, a.bytes, a.price_us) < std::tie(b.fails, b.bytes, b.price_us);
    });
    return made;
}

std::string label_of(const scatter_point& point) {
    return group_name(point.name, point.others.size());
}

/// Returns the names that the label leaves out, folded.
std::string others_of(const scatter_point& point) {
    if (point.others.empty()) return {};
    std::string text = "<details class=\"others\"><summary>the others</summary>";
    for (const std::string& each : point.others) text += "<span>" + html_name(each) + "</span> ";
    return text + "</details>";
}

/// Returns the least and the most of a value.
template <class Value>
std::pair<std::uint64_t, std::uint64_t> range_of(const std::vector<scatter_point>& points, Value value) {
    std::pair<std::uint64_t, std::uint64_t> made{value(points.front()), value(points.front())};
    for (const scatter_point& each : points)
        made = {std::min(made.first, value(each)), std::max(made.second, value(each))};
    return made;
}

}  // namespace

bool is_on_front(const scatter_point& point, const std::vector<scatter_point>& all) {
    return !point.fails && std::none_of(all.begin(), all.end(), [&](const scatter_point& other) {
        return !other.fails && other.bytes <= point.bytes && other.price_us <= point.price_us &&
               (other.bytes < point.bytes || other.price_us < point.price_us);
    });
}

std::string scatter_html(const std::vector<scatter_point>& all, const std::string& label, bool ranks_memory) {
    std::vector<scatter_point> points = all;
    if (!ranks_memory)
        for (scatter_point& each : points) each.bytes = 0;
    points = joined(std::move(points));
    std::erase_if(points, [](const scatter_point& each) { return each.fails; });
    if (points.empty()) return {};
    const auto time_words = [](std::uint64_t price) {
        return price == 0 ? std::string(page_texts::no_moves) : duration(price);
    };
    if (!ranks_memory && points.size() == 1)
        return "<p class=\"note\">" +
               filled(page_texts::no_diagram[points.front().price_us == 0 ? 0 : 1],
                      {{"time", duration(points.front().price_us)}}) +
               "</p>\n";
    const auto [least, most] = range_of(points, [](const scatter_point& each) { return each.bytes; });
    const auto [cheapest, dearest] = range_of(points, [](const scatter_point& each) { return each.price_us; });
    const std::int64_t end = ranks_memory ? bottom : strip_bottom;
    std::vector<box> circles;
    for (const scatter_point& each : points)
        circles.push_back(
            ranks_memory ? box{.x = left + position(each.bytes, least, most, right - left),
                               .y = bottom - (dearest == 0 ? 0 : position(each.price_us, 0, dearest, bottom - top))}
                         : box{.x = left + position(each.price_us, cheapest, dearest, right - left),
                               .y = (top + strip_bottom) / 2});
    std::string front;
    std::vector<box> taken;  // boxes of the front, and of the text above the axis
    box corner;              // last point of the front
    std::string drawn;
    std::string list;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const scatter_point& each = points[at];
        const bool best = is_on_front(each, points);
        const std::string what = (ranks_memory ? size_in_words(each.bytes) + ", " : "") + time_words(each.price_us);
        const std::string x = std::to_string(circles[at].x);
        const std::string y = std::to_string(circles[at].y);
        if (best && ranks_memory) {
            if (!front.empty()) {
                taken.push_back(line_between(corner, circles[at].x, corner.y));
                taken.push_back(line_between(circles[at], circles[at].x, corner.y));
            }
            corner = circles[at];
        }
        if (best) front += (front.empty() ? "M" : "H") + x + (front.empty() ? " " : "V") + y;
        drawn += "<g" + std::string(best ? " class=\"front\"" : "") + "><title>" + html_text(label_of(each)) + ": " +
                 what + "</title><circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"" + std::to_string(radius) + "\"/></g>";
        list += "<li" + std::string(best ? " class=\"front\"" : "") + "><a href=\"#cell=" + each.place + "\">" +
                html_name(label_of(each)) + "</a>: " + what + others_of(each) + "</li>";
    }
    const std::string most_time = ranks_memory ? time_words(dearest) : "";
    const auto half = static_cast<std::int64_t>(most_time.size()) * 3;
    if (ranks_memory) taken.push_back({.x = 8 + half, .y = 10, .half_width = half, .half_height = 7});
    const std::string below = std::to_string(end + 29);
    return "<figure class=\"scatter\"><figcaption>" + html_text(label) + "</figcaption><svg viewBox=\"0 0 480 " +
           std::to_string(end + 32) + "\" role=\"img\" aria-label=\"" + html_text(label) +
           "; the list has the values\"><path class=\"axis\" d=\"" +
           (ranks_memory ? "M4 8V200H476" : "M4 " + std::to_string(end + 16) + "H476") +
           "\"/><text class=\"label\" x=\"8\" y=\"14\">" + most_time + "</text><text class=\"label\" x=\"6\" y=\"" +
           below + "\">" + (ranks_memory ? size_in_words(least) : duration(cheapest)) +
           "</text><text class=\"label\" x=\"474\" y=\"" + below + "\" text-anchor=\"end\">" +
           (ranks_memory ? size_in_words(most) : duration(dearest)) + "</text>" +
           (ranks_memory ? "<path class=\"frontier\" d=\"" + front + "\"/>" : "") + drawn +
           labels_svg(places_of(circles, std::move(taken), end)) + "</svg><ol>" + list + "</ol></figure>\n";
}

}  // namespace hbm::compare
