#include "compare/html/escape.hpp"

#include <hbm/report/json_writer.hpp>

#include <cstddef>

namespace hbm::compare {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

std::string_view escaped(char each) {
    switch (each) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return {};
    }
}

/// U+202A to U+202E and U+2066 to U+2069.
bool turns_direction(std::string_view text) {
    return (text.starts_with("\xe2\x80") && text.size() > 2 && text[2] >= '\xaa' && text[2] <= '\xae') ||
           (text.starts_with("\xe2\x81") && text.size() > 2 && text[2] >= '\xa6' && text[2] <= '\xa9');
}

/// Valid UTF-8 without control characters; see `html_text`.
std::string cleaned(std::string_view text) {
    json_writer json;  // knows what valid UTF-8 is
    json.value(text);
    const std::string_view quoted = json.text();
    std::string made;
    for (std::size_t at = 1; at + 1 < quoted.size(); ++at) {
        if (turns_direction(quoted.substr(at))) {
            made += replacement;
            at += 2;
        } else if (quoted[at] != '\\') {
            made += quoted[at];
        } else if (quoted[++at] == 'u') {
            const bool is_line_end = quoted.substr(at, 5) == "u000a";
            made += is_line_end ? std::string_view("\n") : replacement;
            at += 4;
        } else {
            made += quoted[at];
        }
    }
    return made;
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string made;
    for (const char each : cleaned(text)) {
        const std::string_view instead = escaped(each);
        if (instead.empty())
            made += each;
        else
            made += instead;
    }
    return made;
}

std::string json_in_html(std::string_view json) {
    std::string made;
    for (const char each : json) {
        if (each == '<')
            made += "\\u003c";
        else if (each == '>')
            made += "\\u003e";
        else if (each == '&')
            made += "\\u0026";
        else
            made += each;
    }
    return made;
}

std::string html_name(std::string_view name) {
    std::string made;
    for (const char each : cleaned(name)) {
        if (each == '<') made += "<wbr>";
        made += escaped(each).empty() ? std::string(1, each) : std::string(escaped(each));
        if (each == '/' || each == '_') made += "<wbr>";
    }
    return made;
}

}  // namespace hbm::compare
