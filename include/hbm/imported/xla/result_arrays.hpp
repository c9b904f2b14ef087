#pragma once
// Which arrays the result of a program has, by the shape of the result.

#include <hbm/imported/xla/index_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hbm::imported::xla {

/// A shape without layouts: all that stands in braces and in comments `/*index=5*/` is left out. O(length).
inline std::string without_layouts(std::string_view shape) {
    std::string made;
    std::size_t depth = 0;
    for (std::size_t at = 0; at < shape.size(); ++at) {
        if (depth == 0 && shape.substr(at, 2) == "/*") {
            const std::size_t end = shape.find("*/", at + 2);
            if (end == std::string_view::npos) break;
            at = end + 1;
        } else if (shape[at] == '{') {
            ++depth;
        } else if (shape[at] == '}') {
            depth -= depth == 0 ? 0U : 1U;
        } else if (depth == 0) {
            made += shape[at];
        }
    }
    return made;
}

/// The index of each array in a shape without layouts, in order: `{}` for `f32[2]`, `{0}` and `{1}` for
/// `(f32[2], s32[])`. Tokens and other values without bytes count too. Empty if brackets do not match. O(arrays x
/// depth).
inline std::optional<std::vector<index_path>> arrays_of_shape(std::string_view shape) {
    constexpr std::size_t max_depth = 8;  // an index takes memory in proportion to it
    std::vector<index_path> found;
    index_path here;
    std::size_t bracket = 0;
    bool has_text = false;
    const auto end_array = [&] {
        if (has_text) found.push_back(here);
        has_text = false;
    };
    for (const char each : shape) {
        if (each == '[') ++bracket;
        if (each == ']' && bracket-- == 0) return std::nullopt;
        if (bracket != 0 || each == ' ' || each == ']') continue;
        if (each == '(') {
            if (here.size() == max_depth) return std::nullopt;
            here.push_back(0);
        } else if (each == ')') {
            end_array();
            if (here.empty()) return std::nullopt;
            here.pop_back();
        } else if (each == ',') {
            end_array();
            if (here.empty()) return std::nullopt;
            ++here.back();
        } else {
            has_text = true;
        }
    }
    end_array();
    if (bracket != 0 || !here.empty()) return std::nullopt;
    return found;
}

}  // namespace hbm::imported::xla
