#include "compare/page/matrix.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>

#include "compare/managers/default_managers.hpp"
#include "compare/page/escape.hpp"
#include "compare/page/texts.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/records.hpp"
#include "compare/texts/luck_words.hpp"

namespace hbm::compare {

namespace texts = page_texts;

std::optional<need> need_of(const scenario& in, const manager_entry& who, const trace::figures& found) {
    const bool is_footprint = !found.min_capacity_bytes;
    const std::optional<std::uint64_t>& bytes = is_footprint ? found.footprint_bytes : found.min_capacity_bytes;
    if (!found.completed || !bytes) return std::nullopt;
    return need{.bytes = *bytes,
                .overhead = trace::fraction::of(*bytes, std::max<std::uint64_t>(in.min_bytes, 1)),
                .is_comparable = !is_footprint || !who.moves};
}

std::uint64_t price_of(const trace::figures& found) {
    return found.move_us + found.reload_us;
}

unsigned level_of(const std::optional<need>& needs, std::uint64_t price_us) {
    const std::uint64_t value = needs ? needs->overhead.millionths : price_us;
    const auto& limits = needs ? overhead_limits : price_limits;
    return static_cast<unsigned>(std::lower_bound(limits.begin(), limits.end(), value) - limits.begin());
}

bool all_fail(const comparison& of) {
    return std::none_of(of.cells.begin(), of.cells.end(), [](const cell& each) { return each.found.completed; });
}

namespace {

/// The text of a cell in its lines, a sentence about it, and the number it is sorted by.
struct cell_words {
    std::string first;
    std::string second;
    std::string sentence;
    std::string colour;
    std::uint64_t order = 0;
};

/// Returns the letter of each cell whose need differs from others by luck alone, the same letter for these; empty texts
/// for the others.
std::vector<std::string> letters_of(const comparison& compared) {
    std::vector<std::optional<luck>> needs;
    for (const cell& entry : compared.cells) needs.push_back(entry.needs);
    std::vector<std::string> letters;
    for (const std::optional<std::size_t>& group : groups_within_luck(needs))
        letters.push_back(!group ? std::string{} : *group < 26 ? std::string(1, static_cast<char>('a' + *group)) : "z");
    return letters;
}

/// Returns the range of a need as the end of a sentence.
std::string range_words(const std::optional<luck>& needs, const std::string& letter) {
    if (!needs || needs->workloads < 2) return {};
    const std::string_view text = needs->least == needs->most ? texts::as_much
                                  : letter.empty()            ? texts::range
                                                              : texts::range_of_equals;
    return filled(text, {{"range", range_in_words(*needs)},
                         {"variants", counted(needs->workloads - 1, "variant")},
                         {"letter", letter}});
}

cell_words words_of(const scenario& in, const manager_entry& who, const cell& taken, const std::string& letter) {
    const trace::figures& found = taken.found;
    constexpr std::uint64_t after_all = std::uint64_t{1} << 52;
    const std::optional<need> needs = need_of(in, who, found);
    const std::uint64_t price = price_of(found);
    const std::size_t has_price = price == 0 ? 0 : 1;
    const std::string row = grouped(found.failed_event.value_or(0));
    const auto sentence = [&](std::string_view text) {
        return filled(text, {{"manager", std::string(who.name)},
                             {"workload", in.title},
                             {"event", row},
                             {"events", grouped(in.load.rows.size())},
                             {"time", duration(price)},
                             {"bytes", size_in_words(needs ? needs->bytes : 0)},
                             {"overhead", needs ? rounded(needs->overhead, 3) : std::string{}},
                             {"luck", range_words(taken.needs, letter)}});
    };
    if (!found.completed)
        return {.first = std::string(texts::fails),
                .second = filled(texts::failed_event, {{"event", row}}),
                .sentence = sentence(texts::cell_fails),
                .colour = "f",
                .order = after_all + after_all - found.failed_event.value_or(0)};
    const std::string colour = std::to_string(level_of(needs, price));
    const std::string price_words = "+" + duration(price);
    if (!needs)
        return {.first = std::string(texts::fits),
                .second = price == 0 ? std::string(texts::no_relief) : price_words,
                .sentence = sentence(texts::cell_fits[has_price]),
                .colour = colour,
                .order = price};
    const std::string bound = needs->is_comparable ? "" : "\u2264\u2009";
    return {.first =
                bound + rounded(needs->overhead, 3) + "\u00d7" + (letter.empty() ? "" : "<sup>" + letter + "</sup>"),
            .second = size_in_words(needs->bytes) + (price == 0 ? "" : " " + price_words),
            .sentence = sentence(texts::cell_needs[needs->is_comparable ? 0 : 1][has_price]),
            .colour = colour,
            .order = needs->overhead.millionths};
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + html_text(value) + "\"";
}

std::string row_head(const manager_entry& who, bool is_best) {
    std::string text = "<th scope=\"row\"><span class=\"name\"" + attribute("title", who.name) + ">" +
                       html_name(short_name(who)) + "</span>";
    if (is_best) text += " <strong class=\"badge\">take this</strong>";
    return text + "</th>";
}

/// Returns a line that explains colours: the words for all limits, and for the values above them.
template <class Words>
std::string scale(std::string_view what, const std::array<std::uint64_t, 7>& limits, Words words) {
    std::string text = "<p class=\"legend\"><span>" + std::string(what) + "</span>";
    for (std::size_t level = 0; level <= limits.size(); ++level)
        text += "<span class=\"swatch l" + std::to_string(level) + "\">" +
                (level < limits.size() ? words(limits[level]) : std::string("more")) + "</span>";
    return text + "</p>\n";
}

/// Returns the legend of the colours in the matrix.
std::string legend(const std::vector<comparison>& all, const selection& who) {
    bool has_needs = false;
    bool has_prices = false;
    bool has_failures = false;
    bool has_luck = false;
    for (const comparison& each : all)
        for (std::size_t manager = 0; manager < who.managers.size(); ++manager) {
            const trace::figures& found = each.of(manager);
            const bool is_need = need_of(*each.in, *who.managers[manager], found).has_value();
            has_needs |= is_need;
            has_prices |= found.completed && !is_need;
            has_failures |= !found.completed;
            has_luck |= each.cells[each.cell_of[manager]].needs.has_value();
        }
    std::string text;
    if (has_needs)
        text += scale(texts::overheads, overhead_limits, [](std::uint64_t limit) {
            std::string number = rounded({limit}, 3);
            while (number.ends_with('0')) number.pop_back();
            return number;
        });
    if (has_prices)
        text += scale(texts::prices, price_limits, [](std::uint64_t limit) {
            return limit == 0 ? std::string("none") : std::to_string(limit / 1000) + " ms";
        });
    return text + "<p class=\"legend\">" + (has_failures ? "<span class=\"swatch lf\">fails</span> " : "") + "<span>" +
           std::string(has_luck ? texts::letters : texts::plus_sign) + "</span></p>\n";
}

}  // namespace

std::string matrix_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer) {
    std::string text =
        "<div class=\"scroll\" role=\"region\" aria-label=\"The matrix\" tabindex=\"0\"><table id=\"grid\"><thead><tr>"
        "<th scope=\"col\" class=\"corner\">manager</th>";
    for (std::size_t at = 0; at < all.size(); ++at)
        text += "<th scope=\"col\"><a class=\"column\" href=\"#workload-" + std::to_string(at) + "\">" +
                html_name(all[at].in->title) + "</a></th>";
    text += "</tr></thead><tbody>\n";
    std::vector<std::vector<std::string>> letters;
    for (const comparison& entry : all) letters.push_back(letters_of(entry));
    for (const std::size_t manager : answer.order) {
        const manager_entry& entry = *who.managers[manager];
        text += "<tr" + attribute("data-manager", std::to_string(manager)) +
                attribute("data-placement", entry.placement) + attribute("data-eviction", entry.eviction) +
                attribute("data-donation", entry.donation) + attribute("data-relief", entry.relief) +
                attribute("data-moves", entry.moves ? "yes" : "no") + ">" + row_head(entry, answer.best == manager);
        for (std::size_t at = 0; at < all.size(); ++at) {
            const std::size_t taken = all[at].cell_of[manager];
            const cell_words words = words_of(*all[at].in, entry, all[at].cells[taken], letters[at][taken]);
            const std::string place = std::to_string(at) + "." + std::to_string(manager);
            text += "<td class=\"l" + words.colour + "\"" + attribute("data-order", std::to_string(words.order)) +
                    "><a href=\"#cell=" + place + "\"" + attribute("title", words.sentence) +
                    attribute("aria-label", words.sentence) + "><b>" + words.first + "</b><span>" + words.second +
                    "</span></a></td>";
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n" + legend(all, who);
}

std::string figures_html(const std::vector<comparison>& all, const selection& who) {
    const std::vector<record> records = all_records(all, who);
    std::string text;
    for (std::size_t workload = 0; workload < all.size(); ++workload) {
        const auto first = records.begin() + static_cast<std::ptrdiff_t>(workload * who.managers.size());
        const std::string& name = all[workload].in->title;
        text += "<details><summary>" + html_text(name) +
                "</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Figures of " +
                html_text(name) + "\"><table class=\"figures\"><thead><tr>";
        for (const field& each : *first)
            if (each.key != "workload") text += "<th scope=\"col\">" + std::string(each.key) + "</th>";
        text += "</tr></thead><tbody>\n";
        for (std::size_t manager = 0; manager < who.managers.size(); ++manager) {
            text += "<tr>";
            for (const field& each : first[static_cast<std::ptrdiff_t>(manager)]) {
                if (each.key == "workload") continue;
                const std::string value = each.value ? html_text(*each.value) : "\u2013";
                text += each.key == "manager" ? "<th scope=\"row\">" + value + "</th>" : "<td>" + value + "</td>";
            }
            text += "</tr>\n";
        }
        text += "</tbody></table></div></details>\n";
    }
    return text;
}

}  // namespace hbm::compare
