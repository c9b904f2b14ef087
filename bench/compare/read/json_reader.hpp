#pragma once

/// Reads JSON (RFC 8259), strictly: this program's own output comes back without loss.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"

namespace hbm::compare {

/// Value in a JSON text, with its position. Numbers keep their spelling, and members their order.
struct json_value {
    enum class kind : std::uint8_t { null, truth, number, text, array, object };

    kind what = kind::null;
    std::string text;               ///< content of a text, unescaped; spelling of a truth value or number
    std::vector<std::string> keys;  ///< keys of an object, in its order; no key comes twice
    std::vector<json_value> items;  ///< items of an array, or the values of `keys`
    std::size_t offset = 0;         ///< byte in the text at which the value begins

    /// Returns the value of a key, or null if this is not an object or has no such key. Cost: O(keys).
    [[nodiscard]] const json_value* find(std::string_view key) const;
};

/// Returns a value in words for messages: `an array`, the text of a short value in quotes.
[[nodiscard]] std::string json_words(const json_value& value);

/// Reads `text`, which is all of `file`. Arrays and objects may be 64 deep. Returns false, with `error`, if it is not
/// JSON. Cost: O(length), and O(keys squared) for each object.
[[nodiscard]] bool read_json(const std::string& file, std::string_view text, json_value& target,
                             trace::read_error& error);

}  // namespace hbm::compare
