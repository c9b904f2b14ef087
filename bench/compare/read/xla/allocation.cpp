#include "compare/read/xla/allocation.hpp"

#include <array>
#include <utility>

#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

bool allocation_line::read(allocation& into, line_mistake& mistake) {
    allocation made;
    if (!at_.number(made.number)) return wrong(mistake, "the number of an allocation");
    if (!at_.accept(": ")) return wrong(mistake, "a colon and a space");
    std::string_view pointer;
    if (at_.accept("0x") && !(at_.until(",", pointer) && at_.accept(", "))) return wrong(mistake, "a comma");
    if (!at_.accept("size ")) return wrong(mistake, "`size` and bytes");
    std::string_view size;
    text_cursor behind = at_;
    if (!behind.until(",:", size)) return wrong(mistake, "a size, and a colon at the end of the line");
    const std::optional<rounded_size> bytes = read_rounded_size(size);
    if (!bytes) return wrong(mistake, "a size such as 4096 or 2.5KiB");
    made.size = *bytes;
    at_ = behind;
    while (!at_.accept(":"))
        if (!read_flag(made, mistake)) return false;
    if (!at_.done()) return wrong(mistake, "the end of the line");
    into = std::move(made);
    return true;
}

bool allocation_line::read_flag(allocation& made, line_mistake& mistake) {
    if (!at_.accept(", ")) return wrong(mistake, "a comma and a flag, or a colon");
    std::uint64_t page = 0;
    if (at_.accept("color ")) return at_.number(made.color) || wrong(mistake, "the number of a color");
    if (at_.accept("page ")) return at_.number(page) || wrong(mistake, "the number of a page");
    if (at_.accept("parameter ")) return read_parameter(made, mistake);
    if (at_.accept("output shape is ")) {
        made.has_result = true;
        return read_shape(made, mistake);
    }
    std::string_view word;
    if (!at_.until(",:", word)) return wrong(mistake, "a flag, and a colon at the end of the line");
    const std::array<std::pair<std::string_view, bool*>, 4> flags{{{"constant", &made.is_constant},
                                                                   {"thread-local", &made.is_per_thread},
                                                                   {"maybe-live-out", &made.is_live_out},
                                                                   {"preallocated-temp", &made.is_temporary}}};
    for (const auto& [name, flag] : flags) {
        if (name != word) continue;
        *flag = true;
        return true;
    }
    if (made.unknown_flag.empty()) made.unknown_flag = word;
    return true;
}

bool allocation_line::read_parameter(allocation& made, line_mistake& mistake) {
    std::uint64_t number = 0;
    if (!at_.number(number)) return wrong(mistake, "the number of a parameter");
    made.parameter = number;
    if (!at_.accept(", shape ")) return wrong(mistake, "`, shape ` and a shape between bars");
    if (!read_shape(made, mistake)) return false;
    if (!at_.accept(" at ShapeIndex ")) return wrong(mistake, "` at ShapeIndex `");
    return at_.index(made.index) || wrong(mistake, "an index such as {} or {1,0}");
}

bool allocation_line::read_shape(allocation& made, line_mistake& mistake) {
    std::string_view shape;
    if (!at_.accept("|")) return wrong(mistake, "a shape between bars");
    if (!at_.until("|", shape)) return wrong(mistake, "a second bar at the end of the shape");
    made.shape = shape;
    return at_.accept("|");
}

bool allocation_line::wrong(line_mistake& mistake, std::string_view expected) const {
    mistake = {at_.column(), at_.done() ? "the end of the line" : trace::quoted(at_.rest()), std::string{expected}};
    return false;
}

}  // namespace hbm::imported::xla
