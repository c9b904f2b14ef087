
#include <algorithm>

#include "compare/tables/fitted.hpp"
#include "compare/tables/lines.hpp"
#include "compare/tables/report.hpp"
#include "compare/tables/summary.hpp"

namespace hbm::compare {

namespace {

/// Width above which sentences are hard to read.
constexpr std::size_t widest_sentence = 120;
/// Width of the title of a workload in the table of all.
constexpr std::size_t widest_title = 12;

/// `  - text`, broken between words.
std::string item(std::string_view text, std::size_t width) {
    return paragraph("  - ", text, std::min(width, widest_sentence) - std::min<std::size_t>(width, 2));
}

/// Returns the heading of a chapter, broken between words.
std::string heading(const chapter& subject, std::size_t width, const painter& brush) {
    const std::string text = subject.title + ": " + subject.about;
    const std::size_t widest = std::max<std::size_t>(width, 40);
    std::string rest;
    std::size_t begin = 0;
    while (text.size() - begin > widest) {
        const std::size_t end = text.rfind(' ', begin + widest);
        if (end == std::string::npos || end <= std::max(begin, subject.title.size())) break;
        rest += text.substr(begin, end - begin) + "\n  ";
        begin = end + 1;
    }
    rest += text.substr(begin) + '\n';
    return brush.heading(subject.title) + rest.substr(subject.title.size());
}

}  // namespace

namespace {

std::string chapter_lines(const chapter& subject, const painter& brush, const report_layout& layout) {
    const fitted_table table = fit_table(subject, layout.width, !layout.is_brief);
    std::string text = heading(subject, layout.width, brush);
    if (!table.columns.empty()) text += '\n' + table_lines(table.columns, brush);
    if (!table.notes.empty() || !subject.findings.empty()) text += '\n';
    for (const std::string& note : table.notes) text += item(note, layout.width);
    for (const std::string& finding : subject.findings) text += item(finding, layout.width);
    return text;
}

/// Returns a heading and a list of sentences; empty without sentences.
std::string list_lines(std::string_view title, const std::vector<std::string>& all, const painter& brush,
                       std::size_t width) {
    if (all.empty()) return {};
    std::string text = brush.heading(title) + "\n\n";
    for (const std::string& entry : all) text += item(entry, width);
    return text;
}

std::string name_lines(const std::vector<std::string>& all, const painter& brush, std::size_t width) {
    if (all.empty()) return {};
    std::string text = brush.heading("Names") + "\n\n";
    for (const std::string& entry : all) text += paragraph("  ", entry, width);
    return text;
}

std::string summary_lines(const report& what, const painter& brush, const report_layout& layout) {
    if (what.summary.empty()) return {};
    std::vector<table_column> columns = what.summary;
    for (table_column& column : columns) column.title = broken_title(column.title, widest_title);
    std::string text;
    for (const std::vector<table_column>& part : parts_of(columns, layout.width))
        text += (text.empty() ? "" : "\n") + table_lines(part, brush);
    text += '\n';
    for (const std::string& entry : what.remarks) text += item(entry, layout.width);
    return text;
}

}  // namespace

std::string plain_text(const report& what, bool coloured, const report_layout& layout) {
    const painter brush(coloured);
    std::vector<std::string> parts{summary_lines(what, brush, layout)};
    for (const chapter& entry : what.chapters) parts.push_back(chapter_lines(entry, brush, layout));
    parts.push_back(list_lines(texts::workloads_together, what.findings, brush, layout.width));
    parts.push_back(name_lines(what.names, brush, layout.width));
    parts.push_back(list_lines("Answer", what.answer, brush, layout.width));
    std::string text;
    for (const std::string& part : parts)
        if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
    return text;
}

namespace {

/// Returns text with the special characters of Markdown escaped.
std::string literal(std::string_view text) {
    std::string result;
    for (const char entry : text) {
        if (std::string_view("\\`*_{}[]<>#|").find(entry) != std::string_view::npos) result += '\\';
        result += entry == '\n' || entry == '\r' ? ' ' : entry;
    }
    return result;
}

void add_line(std::string& target, const std::vector<table_column>& columns, auto text_of) {
    target += '|';
    for (const table_column& column : columns) target += ' ' + text_of(column) + " |";
    target += '\n';
}

void add_items(std::string& target, const std::vector<std::string>& all) {
    target += '\n';
    for (const std::string& entry : all) target += "- " + literal(entry) + '\n';
}

void add_table(std::string& target, const std::vector<table_column>& columns) {
    add_line(target, columns, [](const table_column& column) { return literal(column.title); });
    add_line(target, columns, [](const table_column& column) { return std::string(column.is_number ? "--:" : "---"); });
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row)
        add_line(target, columns, [&](const table_column& column) { return literal(column.cells[row].text); });
}

void add_section(std::string& target, std::string_view title) {
    target += (target.empty() ? "## " : "\n## ") + literal(title) + "\n";
}

}  // namespace

std::string markdown_text(const report& what) {
    std::string text;
    if (!what.summary.empty()) {
        add_section(text, texts::workloads_together);
        text += '\n';
        add_table(text, what.summary);
        add_items(text, what.remarks);
    }
    for (const chapter& entry : what.chapters) {
        add_section(text, entry.title);
        text += "\n" + literal(entry.about) + "\n\n";
        if (!entry.columns.empty()) add_table(text, entry.columns);
        add_items(text, entry.findings);
    }
    const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
        {texts::workloads_together, &what.findings}, {"Names", &what.names}, {"Answer", &what.answer}};
    for (const auto& [title, sentences] : lists) {
        if (sentences->empty()) continue;
        add_section(text, title);
        add_items(text, *sentences);
    }
    return text;
}

}  // namespace hbm::compare
