#include "compare/show/records.hpp"

#include <algorithm>

#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::compare {

namespace {

/// Returns a value as CSV and JSON spell it, without quotation marks; empty for null.
std::string spelled(const figure_value& value) {
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const auto* const part = std::get_if<trace::fraction>(&value)) return six_decimals(*part);
    if (const auto* const text = std::get_if<std::string>(&value)) return *text;
    if (const auto* const truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    return {};
}

/// The row of a cell. Which capacity was asked for tells rows apart only where several were.
std::string row_json(const figure_source& from, bool has_several_capacities) {
    json_writer json;
    json.begin_object();
    for (const cell_figure& each : all_figures()) {
        if (each.key == "capacity_asked" && !has_several_capacities) continue;
        const figure_value value = each.of(from);
        json.key(each.key);
        if (std::holds_alternative<std::monostate>(value))
            json.null();
        else if (const auto* const text = std::get_if<std::string>(&value))
            json.value(*text);
        else
            json.literal(spelled(value));
    }
    json.end_object();
    return json.text();
}

/// Calls `visit` for every manager on every workload.
template <class Visit>
void for_each_row(const result& of, Visit visit) {
    for (const comparison& each : of.workloads)
        for (std::size_t manager = 0; manager < of.who.managers.size(); ++manager) visit(of.source(each, manager));
}

}  // namespace

void add_cell(std::string& target, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        target += text;
        return;
    }
    target += '"';
    for (const char letter : text) target.append(letter == '"' ? 2 : 1, letter);
    target += '"';
}

std::string result_csv(const result& of) {
    std::string text;
    for (const cell_figure& each : all_figures()) (text += text.empty() ? "" : ",") += each.key;
    text += '\n';
    for_each_row(of, [&](const figure_source& from) {
        for (const cell_figure& each : all_figures()) {
            if (&each != &all_figures().front()) text += ',';
            add_cell(text, spelled(each.of(from)));
        }
        text += '\n';
    });
    return text;
}

std::string result_json(const result& of, std::string_view answer) {
    std::string text = "{\"schema\":\"hbm-compare/1\",";
    if (of.cut) text += "\"interrupted\":" + interruption_json(*of.cut) + ",\n";
    if (!answer.empty()) text += "\"answer\":" + std::string(answer) + ",\n";
    text += "\"rows\":[";
    const char* separator = "\n";
    const auto asks_another = [&](const comparison& each) {
        return each.in->at.capacity.text != of.workloads.front().in->at.capacity.text;
    };
    const bool has_several_capacities = std::any_of(of.workloads.begin(), of.workloads.end(), asks_another);
    for_each_row(of, [&](const figure_source& from) {
        text += separator + row_json(from, has_several_capacities);
        separator = ",\n";
    });
    return text + "\n]}\n";
}

}  // namespace hbm::compare
