#pragma once
/// Finds words, and the sizes and texts behind them, across line ends.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "compare/read/message/wordings.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

inline constexpr std::size_t nowhere = std::string_view::npos;

/// Returns the end of `words` if they stand at `at`, or else `nowhere`; for their signs see `wordings.hpp`.
[[nodiscard]] std::size_t end_of_words(std::string_view text, std::string_view words, std::size_t at);

/// Returns the end of the first `words` at or after `from`, or else `nowhere`. Cost: O(length of the text).
[[nodiscard]] std::size_t find_words(std::string_view text, std::string_view words, std::size_t from = 0);

/// A size behind words.
struct scanned_size {
    std::optional<rounded_size> size = {};
    std::string_view unreadable = {};  ///< the text that stands where a size was expected; empty if there is none
};

/// Reads the size at `at`. Only white space, colons, equals and greater signs, opening brackets and quotation marks may
/// precede it.
[[nodiscard]] scanned_size scan_size(std::string_view text, std::size_t at, form how);

/// Reads the text at `at`, the end of the words before it.
[[nodiscard]] std::string scan_text(std::string_view text, std::size_t at, form how);

/// Returns the text from `at` to the end of its line, without white space around it.
[[nodiscard]] std::string_view rest_of_line(std::string_view text, std::size_t at);

}  // namespace hbm::imported
