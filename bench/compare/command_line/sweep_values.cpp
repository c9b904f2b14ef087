#include "compare/command_line/sweep_values.hpp"

#include <algorithm>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// The values of `200|1..5|4MiB`. A value that is no range is left as it is: the generator knows what it may be.
bool split_values(std::string_view text, std::vector<std::string>& into) {
    for (std::size_t from = 0;;) {
        const std::size_t bar = text.find('|', from);
        const std::string_view each = text.substr(from, bar == std::string_view::npos ? bar : bar - from);
        if (each.find("..") == std::string_view::npos) {
            into.emplace_back(each);
        } else {
            std::vector<std::uint64_t> numbers;
            if (!read_range(each, numbers)) return false;
            for (const std::uint64_t number : numbers) into.push_back(std::to_string(number));
        }
        if (bar == std::string_view::npos) return true;
        from = bar + 1;
    }
}

}  // namespace

bool read_range(std::string_view text, std::vector<std::uint64_t>& into) {
    const std::size_t dots = text.find("..");
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!trace::parse_number(text.substr(0, dots), first)) return false;
    if (dots == std::string_view::npos) {
        into.push_back(first);
        return true;
    }
    if (!trace::parse_number(text.substr(dots + 2), last) || last < first || last - first >= max_values) return false;
    for (std::uint64_t count = last - first + 1; count != 0; --count) into.push_back(first++);
    return true;
}

std::string choose_values(std::string_view text, std::vector<chosen_workload>& into) {
    const std::size_t colon = text.find(':');
    std::vector<chosen_workload> made{{std::string(text.substr(0, colon)), {}}};
    if (colon == std::string_view::npos) {
        into.push_back(std::move(made.front()));
        return {};
    }
    char before = ':';
    for (std::size_t from = colon + 1; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view part = text.substr(from, comma - from);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        std::vector<std::string> values;
        if (equals != std::string_view::npos && !split_values(part.substr(equals + 1), values))
            return "found " + trace::quoted(part) + ", expected " + std::string(key) +
                   " with a value, several such as 200|400, or a range of whole numbers such as 1..5";
        if (made.size() * std::max<std::size_t>(values.size(), 1) > max_values)
            return "found more than " + std::to_string(max_values) + " combinations of values, expected fewer";
        std::vector<chosen_workload> longer;
        for (const chosen_workload& each : made) {
            if (values.empty()) longer.push_back({each.text + before + std::string(part), each.swept});
            for (const std::string& value : values) {
                longer.push_back({each.text + before + std::string(key) + '=' + value, each.swept});
                if (values.size() > 1) longer.back().swept.emplace_back(key, value);
            }
        }
        made = std::move(longer);
        before = ',';
        from = comma + 1;
    }
    into.insert(into.end(), made.begin(), made.end());
    return {};
}

}  // namespace hbm::compare
