#include "compare/command_line/terminal_width.hpp"

#include <cstdint>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compare/text/text.hpp"

namespace hbm::compare {

std::size_t terminal_width(const options& asked) {
    constexpr std::size_t usual = 120;
    if (!asked.output.empty()) return usual;
    std::uint64_t columns = 0;
    const char* const given = std::getenv("COLUMNS");
    if (given != nullptr && trace::parse_number(given, columns) && columns != 0) return columns;
    winsize window{};
    if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col != 0)
        return window.ws_col;
    return usual;
}

}  // namespace hbm::compare
