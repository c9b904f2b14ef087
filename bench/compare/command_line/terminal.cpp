#include "compare/command_line/terminal.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compare/text/text.hpp"

namespace hbm::compare {

void print_error(const std::string& message) {
    std::fprintf(stderr, "hbm_compare: %s\n", terminal_text(message).c_str());
}

void print_warnings(const options& settings, const std::vector<std::string>& warnings) {
    if (settings.quiet) return;
    for (const std::string& warning : warnings) print_error("warning: " + warning);
}

namespace {

/// Returns COLUMNS, or else the width of the terminal; empty without both, and for a file.
std::optional<std::size_t> screen_width(const options& settings) {
    if (!settings.output.empty()) return std::nullopt;
    std::uint64_t columns = 0;
    const char* const given = std::getenv("COLUMNS");
    if (given != nullptr && trace::parse_number(given, columns) && columns != 0)
        return static_cast<std::size_t>(columns);
    winsize window{};
    if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col != 0)
        return window.ws_col;
    return std::nullopt;
}

}  // namespace

std::size_t terminal_width(const options& settings) {
    return screen_width(settings).value_or(120);
}

std::string fit_screen(const options& settings, const std::string& text) {
    constexpr std::size_t least = 20;
    const std::optional<std::size_t> width = screen_width(settings);
    return width ? fold_lines(text, std::max(*width, least)) : text;
}

}  // namespace hbm::compare
