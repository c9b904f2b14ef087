#pragma once
/// Readers of the values of options. Every function returns the expected value in words, or an empty text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

[[nodiscard]] std::string add_trace(options& into, std::string_view text);
[[nodiscard]] std::string add_workload(options& into, std::string_view text);
[[nodiscard]] std::string add_program(options& into, std::string_view text);
[[nodiscard]] std::string add_served(options& settings, std::string_view text);
[[nodiscard]] std::string read_capacity(options& into, std::string_view text);
[[nodiscard]] std::string read_quantum(options& into, std::string_view text);
[[nodiscard]] std::string read_in_flight(options& into, std::string_view text);
[[nodiscard]] std::string read_seed(options& into, std::string_view text);
[[nodiscard]] std::string read_shard(options& into, std::string_view text);
[[nodiscard]] std::string read_rounds(options& into, std::string_view text);
[[nodiscard]] std::string read_variants(options& chosen, std::string_view text);
[[nodiscard]] std::string read_jobs(options& into, std::string_view text);
[[nodiscard]] std::string read_effort(options& into, std::string_view text);
[[nodiscard]] std::string read_format(options& into, std::string_view text);
[[nodiscard]] std::string read_help(options& into, std::string_view text);
[[nodiscard]] std::string read_when(when& into, std::string_view text);

/// Sets a switch.
template <bool options::*Switch>
[[nodiscard]] std::string switch_on(options& into, std::string_view) {
    into.*Switch = true;
    return {};
}

/// Reads `auto`, `always` or `never`.
template <when options::*Choice>
[[nodiscard]] std::string read_when(options& into, std::string_view text) {
    return read_when(into.*Choice, text);
}

/// Reads a text that is not empty.
template <std::string options::*Text, const char* Expected>
[[nodiscard]] std::string read_text(options& into, std::string_view text) {
    into.*Text = text;
    return text.empty() ? Expected : "";
}

/// Like `read_text`, for a list of texts.
template <std::vector<std::string> options::*List, const char* Expected>
[[nodiscard]] std::string add_text(options& into, std::string_view text) {
    if (text.empty()) return Expected;
    (into.*List).emplace_back(text);
    return {};
}

/// Clears a list, before its first item is read.
template <auto List>
void forget(options& into) {
    (into.*List).clear();
}

}  // namespace hbm::compare
