// The picture of cost against memory in the page that --html writes.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/page/curves.hpp"
#include "compare_program.hpp"

namespace hbm::test::scatter_tests {

using namespace hbm::compare;

TEST_CASE("only points that no other point beats are on the front") {
    const auto point = [](const char* name, std::uint64_t bytes, std::uint64_t price_us, bool fails) {
        return scatter_point{
            .name = name, .others = {}, .place = "0.0", .bytes = bytes, .price_us = price_us, .fails = fails};
    };
    const std::vector<scatter_point> all{point("a", 10, 5, false), point("b", 20, 0, false), point("c", 20, 5, false),
                                         point("d", 1, 0, true), point("e", 10, 5, false)};
    CHECK(is_on_front(all[0], all));
    CHECK(is_on_front(all[1], all));
    CHECK_FALSE(is_on_front(all[2], all));
    CHECK_FALSE(is_on_front(all[3], all));
    CHECK(is_on_front(all[4], all));
    const std::string page = scatter_html(all, "<label>");
    CHECK(page.find("<label>") == std::string::npos);
    CHECK(page.find("a (and 1 more)") != std::string::npos);
}

namespace {

/// A text or a circle of a picture: its middle, and half of its size.
struct shape {
    double x = 0;
    double y = 0;
    double half_width = 0;
    double half_height = 0;
    std::string words;
};

bool overlap(const shape& a, const shape& b) {
    return std::abs(a.x - b.x) < a.half_width + b.half_width && std::abs(a.y - b.y) < a.half_height + b.half_height;
}

double number_after(const std::string& text, const std::string& key, std::size_t from) {
    return std::stod(text.substr(text.find(key, from) + key.size()));
}

/// The numbered labels (digits of 13 pixels are 7.2 wide and 9.4 high), and the circles.
std::pair<std::vector<shape>, std::vector<shape>> shapes_of(const std::string& picture) {
    std::pair<std::vector<shape>, std::vector<shape>> made;
    for (std::size_t at = picture.find("<text class=\"number\""); at != std::string::npos;
         at = picture.find("<text class=\"number\"", at + 1)) {
        const std::size_t begin = picture.find('>', at) + 1;
        shape label{.words = picture.substr(begin, picture.find('<', begin) - begin)};
        std::string plain = label.words;
        if (const std::size_t dash = plain.find("\u2013"); dash != std::string::npos) plain.replace(dash, 3, "-");
        label.x = number_after(picture, " x=\"", at);
        label.y = number_after(picture, " y=\"", at);
        label.half_width = 3.6 * static_cast<double>(plain.size());
        label.half_height = 4.7;
        made.first.push_back(label);
    }
    for (std::size_t at = picture.find("<circle"); at != std::string::npos; at = picture.find("<circle", at + 1))
        made.second.push_back({.x = number_after(picture, "cx=\"", at),
                               .y = number_after(picture, "cy=\"", at),
                               .half_width = number_after(picture, " r=\"", at),
                               .half_height = number_after(picture, " r=\"", at),
                               .words = {}});
    return made;
}

/// The lines of the front, `M1 2H3V4...`, as thin shapes.
std::vector<shape> front_of(const std::string& picture) {
    std::vector<shape> made;
    const std::size_t begin = picture.find("class=\"frontier\" d=\"");
    if (begin == std::string::npos) return made;
    const std::string path = picture.substr(begin + 20, picture.find('"', begin + 20) - begin - 20);
    double x = number_after(path, "M", 0);
    double y = number_after(path, " ", 0);
    for (std::size_t at = path.find_first_of("HV"); at != std::string::npos; at = path.find_first_of("HV", at + 1)) {
        const double to = std::stod(path.substr(at + 1));
        double& changed = path[at] == 'H' ? x : y;
        shape line{.x = x, .y = y, .half_width = 1, .half_height = 1, .words = {}};
        (path[at] == 'H' ? line.x : line.y) = (changed + to) / 2;
        (path[at] == 'H' ? line.half_width : line.half_height) = std::abs(to - changed) / 2;
        changed = to;
        made.push_back(line);
    }
    return made;
}

/// The numbers of `1, 3-5`, in order.
std::vector<int> numbers_of(const std::string& words) {
    std::vector<int> made;
    for (std::size_t at = 0; at < words.size();) {
        std::size_t used = 0;
        const int number = std::stoi(words.substr(at), &used);
        const bool ends_range = at >= 3 && words.substr(at - 3, 3) == "\u2013";
        for (int each = ends_range ? made.back() + 1 : number; each <= number; ++each) made.push_back(each);
        at += used;
        while (at < words.size() && (words[at] < '0' || words[at] > '9')) ++at;
    }
    return made;
}

scatter_point point_at(int number, std::uint64_t bytes, std::uint64_t price_us) {
    return {.name = "m" + std::to_string(number), .others = {}, .place = "0.0", .bytes = bytes, .price_us = price_us};
}

}  // namespace

TEST_CASE("every point has its number in one label, and no label hides a point, another label or the front") {
    std::uint64_t state = 7;
    const auto below = [&](std::uint64_t limit) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % limit;
    };
    for (int round = 0; round < 200; ++round) {
        const int count = 1 + static_cast<int>(below(14));
        // Crowded: many in the same corner, as managers are that hardly differ.
        const std::uint64_t spread = 1 + below(1000);
        std::vector<scatter_point> all;
        for (int at = 0; at < count; ++at)
            all.push_back(
                point_at(at, 1000 + below(below(3) == 0 ? 1000 : spread), below(below(3) == 0 ? 900 : spread)));
        for (const bool ranks_memory : {true, false}) {
            const std::string picture = scatter_html(all, "label", ranks_memory);
            const auto [labels, circles] = shapes_of(picture);
            std::vector<int> seen;
            std::vector<int> expected;
            bool is_clear = true;
            for (const shape& label : labels) {
                for (const int number : numbers_of(label.words)) seen.push_back(number);
                for (const shape& circle : circles) is_clear = is_clear && !overlap(label, circle);
                for (const shape& line : front_of(picture)) is_clear = is_clear && !overlap(label, line);
                for (const shape& other : labels) is_clear = is_clear && (&other == &label || !overlap(label, other));
                is_clear = is_clear && label.x >= label.half_width && label.x + label.half_width <= 480;
            }
            CHECK_MESSAGE(is_clear, "round ", round, ": ", picture);
            std::sort(seen.begin(), seen.end());
            for (const shape& circle : circles) expected.push_back(static_cast<int>(1 + (&circle - circles.data())));
            CHECK(seen == expected);
        }
    }
    const std::string together =
        scatter_html({point_at(0, 1000, 0), point_at(1, 1001, 0), point_at(2, 9000, 50)}, "label");
    CHECK(count_of(together, ">1, 2</text>") == 1);
    CHECK(count_of(together, ">3</text>") == 1);
    CHECK(front_of(scatter_html({point_at(0, 1000, 50), point_at(1, 2000, 0)}, "label")).size() == 2);
}

TEST_CASE("given memory: only time counts") {
    // The slowest has least in use, by a fraction: that is no merit where the memory is there anyway.
    const std::vector<scatter_point> all{point_at(0, 100, 9000), point_at(1, 101, 2000), point_at(2, 102, 4000)};
    const std::string strip = scatter_html(all, "label", false);
    CHECK(count_of(strip, "<li class=\"front\"><a href=\"#cell=0.0\">m1</a>: 2.0 ms</li>") == 1);
    CHECK(count_of(strip, "class=\"front\"") == 2);  // the circle and its line in the list
    CHECK(strip.find("m1</a>") < strip.find("m2</a>"));
    CHECK(strip.find("m2</a>") < strip.find("m0</a>"));
    CHECK(count_of(strip, "100B") == 0);
    CHECK(count_of(strip, ">2.0 ms</text>") == 1);
    CHECK(count_of(strip, ">9.0 ms</text>") == 1);
    // Nothing to draw where time is the same too.
    const std::string none = scatter_html({point_at(0, 100, 0), point_at(1, 200, 0)}, "label", false);
    CHECK(none ==
          "<p class=\"note\">No diagram of cost: the memory was given, and every manager that completes takes no moves "
          "or reloads.</p>\n");
}

}  // namespace hbm::test::scatter_tests
