#include "compare/show/show_answer.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using imported::line_width;
using imported::wrapped;

std::string in_words(const answer_value& value) {
    if (!value.text.empty()) return value.text;
    if (value.bytes) return size_in_words(*value.bytes);
    return value.count ? grouped_digits(*value.count) : std::string{"unknown"};
}

/// Returns the facts as rows: a value, flush right if it is short, and its meaning.
std::string fact_rows(const answer& from, bool has_details) {
    constexpr std::size_t longest = 12;
    std::vector<std::pair<std::string, std::string_view>> rows;
    std::size_t width = 0;
    for (const answer_fact& each : from.facts) {
        if (each.label.empty() || (each.is_detail && !has_details)) continue;
        rows.emplace_back(in_words(each.value), each.label);
        if (rows.back().first.size() <= longest) width = std::max(width, rows.back().first.size());
    }
    std::string text;
    for (const auto& [value, label] : rows)
        text += wrapped(label, "  " + std::string(width - std::min(width, value.size()), ' ') + value + "  ");
    return text;
}

std::string remedy_rows(const answer& from, std::size_t most) {
    std::string text;
    const std::size_t count = std::min(from.remedies.size(), most);
    for (std::size_t at = 0; at < count; ++at) {
        const std::string number = std::to_string(at + 1);
        text += wrapped(from.remedies[at].text, std::string(number.size() < 2 ? 1 : 0, ' ') + number + ". ");
    }
    if (count < from.remedies.size())
        text += wrapped("And " + counted(from.remedies.size() - count, "more remedy", "more remedies") + ": --details.",
                        "    ");
    return text;
}

std::string table_rows(const answer_table& from, bool has_details) {
    std::vector<std::vector<std::string>> rows;
    if (from.has_names) {
        rows.emplace_back(from.columns.begin(), from.columns.end());
        for (std::string& name : rows.back()) std::replace(name.begin(), name.end(), '_', ' ');
    }
    const std::size_t count = has_details ? from.rows.size() : std::min(from.rows.size(), from.most_rows);
    for (std::size_t at = 0; at < count; ++at) {
        rows.emplace_back();
        for (const answer_value& each : from.rows[at]) {
            const bool is_stated = each.bytes || each.count || !each.text.empty();
            rows.back().push_back(is_stated ? in_words(each) : std::string(from.has_names ? "-" : ""));
        }
    }
    std::string text = from.title.empty() ? "" : wrapped(from.title);
    const std::string all = imported::aligned(rows, from.has_names ? "" : "  ", !from.has_names);
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = all.find('\n', begin);
        std::string line = all.substr(begin, end - begin);
        if (line.size() > line_width && !has_details)
            line = std::string(first_characters(line, line_width - 3)) + "...";
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        begin = end + 1;
    }
    if (count < from.rows.size())
        text += "  and " + counted(from.rows.size() - count, "smaller one", "smaller ones") + "\n";
    return text;
}

std::string text_with(const answer& from, bool has_details, std::size_t most) {
    std::string text = wrapped(from.headline);
    if (!from.place.empty()) text += wrapped("(" + from.place + ")");
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += "\n" + part;
    };
    add(fact_rows(from, has_details));
    add(remedy_rows(from, most));
    for (const answer_table& each : from.tables)
        if (!each.rows.empty() && (has_details || each.most_rows != 0)) add(table_rows(each, has_details));
    std::string notes;
    for (const answer_note& each : from.notes)
        if (has_details || !each.is_detail) notes += each.text.ends_with('\n') ? each.text : wrapped(each.text);
    add(notes);
    return text;
}

/// Returns an answer with as many remedies as fit into `most_lines` beside all else, two at least.
std::string text_of(const answer& from, bool has_details, std::ptrdiff_t most_lines) {
    std::string text = text_with(from, has_details, has_details ? from.remedies.size() : most_remedies);
    for (std::size_t most = most_remedies; !has_details && most > 2;) {
        if (std::count(text.begin(), text.end(), '\n') <= most_lines) break;
        text = text_with(from, has_details, --most);
    }
    return text;
}

void write(json_writer& json, std::string_view name, const answer_value& value) {
    if (value.bytes)
        json.field(name, *value.bytes);
    else if (value.count)
        json.field(name, *value.count);
    else
        json.text_or_null(name, value.text);
}

void write(json_writer& json, const answer& from) {
    json.begin_object();
    json.field("schema", "hbm-answer/1");
    json.field("kind", from.kind);
    json.field("headline", from.headline);
    json.objects("facts", from.facts, [&](const answer_fact& each) {
        json.field("key", each.key);
        json.text_or_null("label", each.label);
        write(json, each.value.bytes ? "bytes" : each.value.count ? "count" : "text", each.value);
        if (each.value.bytes && !each.value.text.empty()) json.field("printed", each.value.text);
    });
    json.objects("remedies", from.remedies, [&](const answer_remedy& each) {
        json.field("text", each.text);
        json.text_or_null("flag", each.flag);
        json.text_or_null("value", each.value);
        json.field("can_suffice", each.can_suffice);
    });
    json.objects("tables", from.tables, [&](const answer_table& each) {
        json.field("key", each.key);
        json.field("title", each.title);
        json.objects("rows", each.rows, [&](const std::vector<answer_value>& row) {
            for (std::size_t at = 0; at < row.size(); ++at) write(json, each.columns[at], row[at]);
        });
    });
    json.array("notes", from.notes, [&](const answer_note& each) { json.value(each.text); });
    json.end_object();
}

}  // namespace

std::string answer_text(std::span<const answer> all, bool has_details) {
    constexpr std::ptrdiff_t screen = 24;
    constexpr std::size_t most_others = 4;
    std::string others;
    std::size_t count = 0;
    for (const answer& each : all)
        if (each.is_beside && !has_details && count++ < most_others)
            others += wrapped(each.place + ": " + each.headline, "  ");
    if (count > most_others) others += "  and " + counted(count - most_others, "more", "more") + "\n";
    if (!others.empty()) others = "\nAlso in this text (--details has all of it):\n" + others;
    const std::ptrdiff_t left = screen - std::count(others.begin(), others.end(), '\n');
    std::string text;
    for (const answer& each : all) {
        if (each.is_beside && !has_details) continue;
        if (!text.empty()) text += has_details ? "\n" + std::string(line_width, '-') + "\n\n" : "\n";
        text += text_of(each, has_details, left);
    }
    return text + others;
}

std::string answer_json(std::span<const answer> all) {
    std::string text;
    for (const answer& each : all) {
        json_writer json;
        write(json, each);
        text += json.text() + "\n";
    }
    return text;
}

}  // namespace hbm::compare
