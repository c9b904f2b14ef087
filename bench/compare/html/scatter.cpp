#include <hbm/report/words.hpp>

#include <algorithm>
#include <tuple>

#include "compare/html/curves.hpp"
#include "compare/html/escape.hpp"
#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t left = 16;
constexpr std::uint64_t right = 464;
constexpr std::uint64_t bottom = 184;
constexpr std::uint64_t above = 36;

/// The position of a value between two edges, with room for the outermost points.
std::uint64_t position(std::uint64_t value, std::uint64_t least, std::uint64_t most, std::uint64_t length) {
    if (most == least) return length / 2;
    return static_cast<std::uint64_t>(trace::wide_unsigned{value - least} * length / (most - least));
}

/// Points with the same values become one.
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

/// The names that the label leaves out, folded.
std::string others_of(const scatter_point& point) {
    if (point.others.empty()) return {};
    std::string text = "<details class=\"others\"><summary>the others</summary>";
    for (const std::string& each : point.others) text += "<span>" + html_name(each) + "</span> ";
    return text + "</details>";
}

}  // namespace

bool is_on_front(const scatter_point& point, const std::vector<scatter_point>& all) {
    return !point.fails && std::none_of(all.begin(), all.end(), [&](const scatter_point& other) {
        return !other.fails && other.bytes <= point.bytes && other.price_us <= point.price_us &&
               (other.bytes < point.bytes || other.price_us < point.price_us);
    });
}

std::string scatter_html(const std::vector<scatter_point>& all, const std::string& label) {
    std::vector<scatter_point> points = joined(all);
    std::erase_if(points, [](const scatter_point& each) { return each.fails; });
    if (points.empty()) return {};
    const auto bytes = std::minmax_element(points.begin(), points.end(),
                                           [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    const std::uint64_t least = bytes.first->bytes;
    const std::uint64_t most = bytes.second->bytes;
    std::uint64_t dearest = 0;
    for (const scatter_point& each : points) dearest = std::max(dearest, each.price_us);
    const auto x_of = [&](const scatter_point& each) {
        return std::to_string(left + position(each.bytes, least, most, right - left));
    };
    const auto y_of = [&](const scatter_point& each) {
        return std::to_string(bottom - (dearest == 0 ? 0 : position(each.price_us, 0, dearest, bottom - above)));
    };
    std::string front;
    std::string circles;
    std::string list;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const scatter_point& each = points[at];
        const bool best = is_on_front(each, points);
        const std::string number = std::to_string(at + 1);
        const std::string what = size_in_words(each.bytes) + ", " +
                                 (each.price_us == 0 ? "no time for moves and reloads" : duration(each.price_us));
        if (best) front += (front.empty() ? "M" : "H") + x_of(each) + (front.empty() ? " " : "V") + y_of(each);
        circles += "<g" + std::string(best ? " class=\"front\"" : "") + "><title>" + html_text(label_of(each)) + ": " +
                   what + "</title><circle cx=\"" + x_of(each) + "\" cy=\"" + y_of(each) + "\" r=\"9\"/><text x=\"" +
                   x_of(each) + "\" y=\"" + y_of(each) + "\" dy=\"4\">" + number + "</text></g>";
        list += "<li" + std::string(best ? " class=\"front\"" : "") + "><a href=\"#cell=" + each.place + "\">" +
                html_name(label_of(each)) + "</a>: " + what + others_of(each) + "</li>";
    }
    return "<figure class=\"scatter\"><figcaption>" + html_text(label) +
           "</figcaption><svg viewBox=\"0 0 480 216\" role=\"img\" aria-label=\"" + html_text(label) +
           "; the list has the values\"><path class=\"axis\" d=\"M4 8V200H476\"/>"
           "<text class=\"label\" x=\"8\" y=\"14\">" +
           (dearest == 0 ? "no moves, no reloads" : duration(dearest)) +
           "</text><text class=\"label\" x=\"6\" y=\"213\">" + size_in_words(least) +
           "</text><text class=\"label\" x=\"474\" y=\"213\" text-anchor=\"end\">" + size_in_words(most) +
           "</text><path class=\"frontier\" d=\"" + front + "\"/>" + circles + "</svg><ol>" + list + "</ol></figure>\n";
}

}  // namespace hbm::compare
