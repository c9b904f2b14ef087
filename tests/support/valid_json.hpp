#pragma once

#include <string_view>

#include "compare/read/json_reader.hpp"

namespace hbm::test {

/// Returns true if the text is one JSON value.
inline bool is_valid_json(std::string_view text) {
    hbm::compare::json_value made;
    trace::read_error wrong;
    return hbm::compare::read_json("a text", text, made, wrong);
}

}  // namespace hbm::test
