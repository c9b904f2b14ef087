#include <cstddef>
#include <cstdint>
#include <utility>

#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

std::map<std::string, instruction_origin> origins_in(std::string_view text) {
    constexpr std::string_view mark = "metadata={";
    std::map<std::string, instruction_origin> origins;
    for (text_lines lines(text); lines.next();) {
        const std::string_view line = lines.line();
        const std::size_t begin = line.find(mark);
        const std::size_t equals = line.find(" = ");
        if (begin == std::string_view::npos || equals > begin) continue;
        std::string_view name = line.substr(0, equals);
        name.remove_prefix(name.find_last_of(" %") == std::string_view::npos ? 0 : name.find_last_of(" %") + 1);
        const std::string_view metadata = line.substr(begin + mark.size());
        instruction_origin origin;
        constexpr std::size_t longest = 200;  // each value of the instruction repeats it
        origin.operation = first_characters(quoted_field(metadata, "op_name=\""), longest);
        std::string_view file = quoted_field(metadata, "source_file=\"");
        file.remove_prefix(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
        file = first_characters(file, longest);
        constexpr std::string_view line_mark = "source_line=";
        const std::size_t number = metadata.find(line_mark);
        std::uint64_t source_line = 0;
        if (!file.empty() && number != std::string_view::npos &&
            text_cursor(metadata, number + line_mark.size()).number(source_line))
            origin.source = std::string(file) + ":" + trace::decimal(source_line);
        if (!origin.operation.empty() || !origin.source.empty()) origins.emplace(name, std::move(origin));
    }
    return origins;
}

}  // namespace hbm::imported::xla
