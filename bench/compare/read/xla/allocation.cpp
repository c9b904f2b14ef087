#include "compare/read/xla/allocation.hpp"

#include <array>
#include <utility>

#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

bool allocation_line::read(allocation& target, line_mistake& mistake) {
    allocation result;
    if (!at_.number(result.number)) return wrong(mistake, "the number of an allocation");
    if (!at_.accept(": ")) return wrong(mistake, "a colon and a space");
    std::string_view pointer;
    if (at_.accept("0x") && !(at_.until(",", pointer) && at_.accept(", "))) return wrong(mistake, "a comma");
    if (!at_.accept("size ")) return wrong(mistake, "`size` and bytes");
    std::string_view size;
    text_cursor behind = at_;
    if (!behind.until(",:", size)) return wrong(mistake, "a size, and a colon at the end of the line");
    const std::optional<rounded_size> bytes = read_rounded_size(size);
    if (!bytes) return wrong(mistake, "a size such as 4096 or 2.5KiB");
    result.size = *bytes;
    at_ = behind;
    while (!at_.accept(":"))
        if (!read_flag(result, mistake)) return false;
    if (!at_.done()) return wrong(mistake, "the end of the line");
    target = std::move(result);
    return true;
}

bool allocation_line::read_flag(allocation& result, line_mistake& mistake) {
    if (!at_.accept(", ")) return wrong(mistake, "a comma and a flag, or a colon");
    std::uint64_t page = 0;
    if (at_.accept("color ")) return at_.number(result.color) || wrong(mistake, "the number of a color");
    if (at_.accept("page ")) return at_.number(page) || wrong(mistake, "the number of a page");
    if (at_.accept("parameter ")) return read_parameter(result, mistake);
    if (at_.accept("output shape is ")) {
        result.has_result = true;
        return read_shape(result, mistake);
    }
    std::string_view word;
    if (!at_.until(",:", word)) return wrong(mistake, "a flag, and a colon at the end of the line");
    const std::array<std::pair<std::string_view, bool*>, 4> flags{{{"constant", &result.is_constant},
                                                                   {"thread-local", &result.is_per_thread},
                                                                   {"maybe-live-out", &result.is_live_out},
                                                                   {"preallocated-temp", &result.is_temporary}}};
    for (const auto& [name, flag] : flags) {
        if (name != word) continue;
        *flag = true;
        return true;
    }
    if (result.unknown_flag.empty()) result.unknown_flag = word;
    return true;
}

bool allocation_line::read_parameter(allocation& result, line_mistake& mistake) {
    std::uint64_t number = 0;
    if (!at_.number(number)) return wrong(mistake, "the number of a parameter");
    result.parameter = number;
    if (!at_.accept(", shape ")) return wrong(mistake, "`, shape ` and a shape between bars");
    if (!read_shape(result, mistake)) return false;
    if (!at_.accept(" at ShapeIndex ")) return wrong(mistake, "` at ShapeIndex `");
    return at_.index(result.index) || wrong(mistake, "an index such as {} or {1,0}");
}

bool allocation_line::read_shape(allocation& result, line_mistake& mistake) {
    std::string_view shape;
    if (!at_.accept("|")) return wrong(mistake, "a shape between bars");
    if (!at_.until("|", shape)) return wrong(mistake, "a second bar at the end of the shape");
    result.shape = shape;
    return at_.accept("|");
}

bool allocation_line::wrong(line_mistake& mistake, std::string_view expected) const {
    mistake = {at_.column(), at_.done() ? "the end of the line" : trace::quoted(at_.rest()), std::string{expected}};
    return false;
}

}  // namespace hbm::imported::xla
