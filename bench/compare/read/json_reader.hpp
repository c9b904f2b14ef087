#pragma once

/// Reads JSON (RFC 8259), strictly: what this program wrote comes back without loss.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"

namespace hbm::compare {

/// A value in a JSON text, and where it stands. Numbers keep their spelling, and members their order.
struct json_value {
    enum class kind : std::uint8_t { null, truth, number, text, array, object };

    kind what = kind::null;
    std::string text;               ///< of a text: unescaped; of a truth value or a number: as it is spelled
    std::vector<std::string> keys;  ///< of an object, in its order; no key comes twice
    std::vector<json_value> items;  ///< of an array, or the values of `keys`
    std::size_t offset = 0;         ///< byte in the text at which the value begins

    /// The value of a key; null if this is no object or has no such key. O(keys).
    [[nodiscard]] const json_value* find(std::string_view key) const;
};

/// Returns a value in words for messages: `an array`, the text of a short value in quotes.
[[nodiscard]] std::string json_words(const json_value& value);

/// Returns an error at byte `offset` of a file's text.
[[nodiscard]] trace::read_error error_at(const std::string& file, std::string_view text, std::size_t offset,
                                         std::string found, std::string expected);

/// Reads `text`, which is all of `file`. Arrays and objects may be 64 deep. Returns false, with `error`, if it is not
/// JSON. O(length), and O(keys squared) for each object.
[[nodiscard]] bool read_json(const std::string& file, std::string_view text, json_value& into,
                             trace::read_error& error);

}  // namespace hbm::compare
