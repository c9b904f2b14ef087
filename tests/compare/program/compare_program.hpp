#pragma once

// Runs hbm_compare as a user does, in a folder of its own.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

/// What a run printed, and how it ended.
struct ending {
    int status = -1;
    std::string out;
    std::string err;
};

/// A folder that lives as long as the test.
class workplace {
public:
    workplace() : folder_(std::filesystem::temp_directory_path() / ("hbm_compare_test_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        const char* const program = std::getenv("HBM_COMPARE");
        REQUIRE_MESSAGE(program != nullptr, "HBM_COMPARE has to name the program: run this through ctest");
        program_ = program;
    }
    ~workplace() { std::filesystem::remove_all(folder_); }
    workplace(const workplace&) = delete;
    workplace& operator=(const workplace&) = delete;
    [[nodiscard]] const std::string& program() const { return program_; }
    [[nodiscard]] std::filesystem::path at(const std::string& name) const { return folder_ / name; }

    void write(const std::string& name, std::string_view text) const {
        std::ofstream(at(name), std::ios::binary) << text;
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file(at(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(at(name)); }

    /// Runs the program with these arguments, as a shell would read them; `before` is put in front of it.
    [[nodiscard]] ending run(const std::string& arguments, const std::string& before = {}) const {
        return shell(before + " '" + program_ + "' " + arguments + " >stdout 2>stderr");
    }
    /// Runs the program, which has to end with status 2 and to print nothing on stdout. Returns what it says on stderr.
    [[nodiscard]] std::string refusal(const std::string& arguments) const {
        const ending ended = run(arguments);
        CHECK_MESSAGE(ended.status == 2, arguments);
        CHECK_MESSAGE(ended.out.empty(), arguments);
        return ended.err;
    }
    /// The same with `$COMPARE` for the program and redirections of the caller's.
    [[nodiscard]] ending shell(const std::string& line) const {
        write("stdout", "");
        write("stderr", "");
        const int status =
            std::system(("cd '" + folder_.string() + "' && COMPARE='" + program_ + "' && " + line).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("stdout"), read("stderr")};
    }

private:
    std::filesystem::path folder_;
    std::string program_;
};

/// The value of a key in the JSON row of a manager, as it is spelled there; empty when there is no such row or key.
inline std::string value_of(const std::string& json, const std::string& manager, const std::string& key) {
    const std::size_t row = json.find("\"manager\":\"" + manager + "\"");
    if (row == std::string::npos) return {};
    const std::size_t begin = json.rfind("\n{", row);
    const std::size_t end = json.find('\n', row);
    const std::string line = json.substr(begin, end - begin);
    const std::size_t found = line.find("\"" + key + "\":");
    if (found == std::string::npos) return {};
    const std::size_t from = found + key.size() + 3;
    if (line[from] != '"') return line.substr(from, line.find_first_of(",}", from) - from);
    std::size_t to = from + 1;
    while (line[to] != '"') to += line[to] == '\\' ? 2U : 1U;
    return line.substr(from, to + 1 - from);
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

/// Length of the longest line.
inline std::size_t longest_line(std::string_view text) {
    std::size_t most = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        most = std::max(most, end - at);
        at = end + 1;
    }
    return most;
}
