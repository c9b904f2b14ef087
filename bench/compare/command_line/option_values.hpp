#pragma once
/// Readers of the values of options. Every function returns the expected value in words, or an empty text.

#include <string>
#include <string_view>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

[[nodiscard]] std::string add_trace(options& settings, std::string_view text);
[[nodiscard]] std::string add_workload(options& settings, std::string_view text);
[[nodiscard]] std::string add_program(options& settings, std::string_view text);
[[nodiscard]] std::string add_served(options& settings, std::string_view text);
[[nodiscard]] std::string read_capacity(options& settings, std::string_view text);
[[nodiscard]] std::string read_quantum(options& settings, std::string_view text);
[[nodiscard]] std::string read_in_flight(options& settings, std::string_view text);
[[nodiscard]] std::string read_seed(options& settings, std::string_view text);
[[nodiscard]] std::string read_jobs(options& settings, std::string_view text);
[[nodiscard]] std::string read_format(options& settings, std::string_view text);
[[nodiscard]] std::string read_help(options& settings, std::string_view text);
[[nodiscard]] std::string read_when(when& target, std::string_view text);

/// Sets a switch.
template <bool options::*Switch>
[[nodiscard]] std::string switch_on(options& settings, std::string_view) {
    settings.*Switch = true;
    return {};
}

/// Reads `auto`, `always` or `never`.
template <when options::*Choice>
[[nodiscard]] std::string read_when(options& settings, std::string_view text) {
    return read_when(settings.*Choice, text);
}

/// Reads a text that is not empty.
template <std::string options::*Text, const char* Expected>
[[nodiscard]] std::string read_text(options& settings, std::string_view text) {
    settings.*Text = text;
    return text.empty() ? Expected : "";
}

/// Like `read_text`, for a list of texts.
template <std::vector<std::string> options::*List, const char* Expected>
[[nodiscard]] std::string add_text(options& settings, std::string_view text) {
    if (text.empty()) return Expected;
    (settings.*List).emplace_back(text);
    return {};
}

/// Clears a list, before its first item is read.
template <auto List>
void forget(options& settings) {
    (settings.*List).clear();
}

}  // namespace hbm::compare
