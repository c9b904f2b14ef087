#pragma once

/// Whole texts that people read, kept in files of named sections: a better word changes a line of such a file and no
/// test. After a change of words on purpose, HBM_WRITE_GOLDEN=1 rewrites the sections of the tests that run.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace hbm::test {

/// Returns the section `name` of tests/`file`; "no section NAME in FILE" if it is absent. A section follows the line
/// `=== NAME` and ends at the next such line. Replaces it by `text` if HBM_WRITE_GOLDEN is set.
/// Requires: HBM_SOURCE_DIRECTORY is set, as for all entries of ctest.
[[nodiscard]] inline std::string golden_text(const std::string& file, const std::string& name,
                                             const std::string& text) {
    const char* const source = std::getenv("HBM_SOURCE_DIRECTORY");
    const std::string path = (source != nullptr ? std::string(source) : ".") + "/tests/" + file;
    std::ifstream in(path);
    std::string all{std::istreambuf_iterator<char>(in), {}};
    const std::string mark = "=== " + name + "\n";
    std::size_t begin = all.find(mark);
    if (std::getenv("HBM_WRITE_GOLDEN") != nullptr) {
        if (begin == std::string::npos) {
            begin = all.size();
            all += mark;
        }
        begin += mark.size();
        all.replace(begin, std::min(all.find("=== ", begin), all.size()) - begin, text);
        std::ofstream(path) << all;
        return text;
    }
    if (begin == std::string::npos) return "no section " + name + " in " + file;
    begin += mark.size();
    return all.substr(begin, std::min(all.find("\n=== ", begin - 1) + 1, all.size()) - begin);
}

/// Returns the sections of tests/`file` in its order: names, and the lines of each up to a line `---`.
/// Requires: HBM_SOURCE_DIRECTORY is set.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> golden_inputs(const std::string& file) {
    const char* const source = std::getenv("HBM_SOURCE_DIRECTORY");
    std::ifstream lines((source != nullptr ? std::string(source) : ".") + "/tests/" + file);
    std::vector<std::pair<std::string, std::string>> inputs;
    bool is_input = false;
    for (std::string line; std::getline(lines, line);) {
        const bool is_name = line.starts_with("=== ");
        if (is_name) inputs.emplace_back(line.substr(4), "");
        is_input = is_name || (is_input && line != "---");
        if (is_input && !is_name) inputs.back().second += line + "\n";
    }
    REQUIRE_MESSAGE(!inputs.empty(), file);
    return inputs;
}

/// Checks each section of tests/`file`: its input, the line `---`, and the text that `print(name, input)` returns.
/// Requires: HBM_SOURCE_DIRECTORY is set.
template <class Print>
void check_golden_inputs(const std::string& file, Print print) {
    for (const auto& section : golden_inputs(file)) {
        const std::string& name = section.first;  // (clang 14 captures no structured binding)
        CAPTURE(name);
        const std::string text = section.second + "---\n" + print(name, section.second);
        CHECK(text == golden_text(file, name, text));
    }
}

/// Returns the names of the sections of tests/`file`, in its order.
/// Requires: HBM_SOURCE_DIRECTORY is set.
[[nodiscard]] inline std::vector<std::string> golden_sections(const std::string& file) {
    std::vector<std::string> names;
    for (const auto& [name, input] : golden_inputs(file)) names.push_back(name);
    return names;
}

}  // namespace hbm::test
