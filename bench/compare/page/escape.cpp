#include "compare/page/escape.hpp"

#include <cstddef>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

std::string_view escaped(char each) {
    switch (each) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return {};
    }
}

/// Returns true for U+202A to U+202E and U+2066 to U+2069.
bool turns_direction(std::string_view text) {
    return (text.starts_with("\xe2\x80") && text.size() > 2 && text[2] >= '\xaa' && text[2] <= '\xae') ||
           (text.starts_with("\xe2\x81") && text.size() > 2 && text[2] >= '\xa6' && text[2] <= '\xa9');
}

/// Returns valid UTF-8 without control characters; see `html_text()`.
std::string cleaned(std::string_view text) {
    const std::string valid = valid_text(text);
    std::string made;
    for (std::size_t at = 0; at < valid.size(); ++at) {
        const auto byte = static_cast<unsigned char>(valid[at]);
        if (turns_direction(std::string_view(valid).substr(at))) {
            made += replacement;
            at += 2;
        } else if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
            made += replacement;
        } else {
            made += valid[at];
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
        if (std::string_view("/_:,=+").find(each) != std::string_view::npos) made += "<wbr>";
    }
    return made;
}

}  // namespace hbm::compare
