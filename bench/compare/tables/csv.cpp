#include "compare/tables/records.hpp"

namespace hbm::compare {

void add_cell(std::string& into, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        into += text;
        return;
    }
    into += '"';
    for (const char each : text) into.append(each == '"' ? 2 : 1, each);
    into += '"';
}

std::string csv_text(const std::vector<record>& all) {
    std::string text;
    if (all.empty()) return text;
    for (const field& column : all.front()) (text += text.empty() ? "" : ",") += column.key;
    text += '\n';
    for (const record& each : all) {
        for (const field& column : each) {
            if (&column != &each.front()) text += ',';
            if (column.value) add_cell(text, *column.value);
        }
        text += '\n';
    }
    return text;
}

}  // namespace hbm::compare
