#pragma once
/// Contents of memory in two files, by name: what is new, what grew and what went.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hbm::compare {

/// Blocks of one name.
struct block_sum {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};

/// Contents of memory according to a file.
struct memory_contents {
    std::string file;
    std::map<std::string, block_sum> blocks;  ///< by name: a tag, a line of source code, or an array of a program

    /// Adds blocks of a name; sums saturate. Cost: O(log names).
    void add(const std::string& name, std::uint64_t bytes, std::uint64_t count);
};

/// Change of the blocks of one name.
struct block_change {
    std::string name;
    std::uint64_t before = 0;  ///< bytes; 0 if the earlier file does not have the name
    std::uint64_t now = 0;
    std::uint64_t count_before = 0;
    std::uint64_t count = 0;

    /// Returns the change in bytes, whether more or less.
    [[nodiscard]] std::uint64_t distance() const noexcept { return before > now ? before - now : now - before; }
};

/// Returns all names whose bytes or count differ: the largest change first, ties by name. Cost: O(n log n).
[[nodiscard]] std::vector<block_change> changes_between(const memory_contents& before, const memory_contents& now);

/// Returns the largest changes as a table, with names at the ends of the lines; empty if there is none.
/// Cost: O(n log n).
[[nodiscard]] std::string changes_table(const memory_contents& before, const memory_contents& now);

/// Returns the answer to --before: a sentence on the total, one on the largest rise, and the table.
/// Cost: O(n log n).
[[nodiscard]] std::string changes_text(const memory_contents& before, const memory_contents& now);

/// Returns all changes as JSON, schema `hbm-before/1`. Cost: O(n log n).
[[nodiscard]] std::string changes_json(const memory_contents& before, const memory_contents& now);

}  // namespace hbm::compare
