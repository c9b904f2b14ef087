#pragma once

/// Part of a result, made by itself. The rows of a command are numbered, point by point and manager by manager. Shard I
/// of N has the rows from (I - 1) / N to I / N of all. It makes only the workloads that they need.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/sweep.hpp"
#include "compare/managers/selection.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

/// Head of a shard: its result, and its part of it. Shards of a result differ in `index`, `first_row` and `rows`.
struct shard_head {
    std::uint64_t index = 0;                                  ///< number of the shard, from 1
    std::uint64_t count = 0;                                  ///< number of shards
    std::uint64_t first_row = 0;                              ///< first row of the shard, from 0
    std::uint64_t rows = 0;                                   ///< number of rows in the shard
    std::uint64_t all_rows = 0;                               ///< number of rows in all shards
    std::string version;                                      ///< version of the program that made it
    std::vector<std::string> arguments;                       ///< options that decide the rows
    std::string managers;                                     ///< digest of the names of the managers
    std::vector<std::pair<std::string, std::string>> inputs;  ///< input files, and their digests
};

/// Returns the command that makes the whole result, quoted for a shell.
[[nodiscard]] std::string command_of(const shard_head& head);

/// Returns the command that makes a shard of the same result.
[[nodiscard]] std::string command_of(const shard_head& head, std::uint64_t index);

/// Describes the requested shard. Reads all input files, for their digests. Returns an error message, or an empty text.
[[nodiscard]] std::string describe_shard(const options& settings, const selection& chosen,
                                         const std::vector<sweep_point>& points, shard_head& head);

/// Replays the rows of a shard and writes them as JSON. Returns an error message, or an empty text.
[[nodiscard]] std::string write_shard(const options& settings, const selection& chosen, bool shows_progress,
                                      std::string& target, std::vector<std::string>& warnings);

/// Joined shards, in any order of the files.
struct merged_shards {
    shard_head head;           ///< head of the first shard
    std::vector<record> rows;  ///< rows of all shards, in the order of a single run
};

/// Reads shards and checks that they are all of a single result. Returns an error message with the command that repairs
/// it, or an empty text.
[[nodiscard]] std::string read_shards(const std::vector<std::string>& files, merged_shards& target);

}  // namespace hbm::compare
