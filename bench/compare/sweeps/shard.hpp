#pragma once

/// A part of a result, made by itself. The rows of a command are numbered, point by point and manager by manager; the
/// I-th of N shards has the rows from (I - 1) / N to I / N of all, and makes only the workloads that they need.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/sweep.hpp"
#include "compare/managers/selection.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

/// The head of a shard: its result, and its part of it. Shards of a result differ in `index`, `first_row` and `rows`.
struct shard_head {
    std::uint64_t index = 0;                                  ///< from 1
    std::uint64_t count = 0;                                  ///< how many shards there are
    std::uint64_t first_row = 0;                              ///< its first row, from 0
    std::uint64_t rows = 0;                                   ///< how many rows it has
    std::uint64_t all_rows = 0;                               ///< of all shards
    std::string version;                                      ///< of the program that made it
    std::vector<std::string> arguments;                       ///< the options that decide what the rows are
    std::string managers;                                     ///< digest of the names of the managers
    std::vector<std::pair<std::string, std::string>> inputs;  ///< files that were read, and their digests
};

/// The command that makes the whole result, as a shell reads it.
[[nodiscard]] std::string command_of(const shard_head& of);

/// The command that makes a shard of the same result.
[[nodiscard]] std::string command_of(const shard_head& of, std::uint64_t index);

/// Describes the shard that was asked for. Reads all input files, for their digests. Returns an error message, or an
/// empty text.
[[nodiscard]] std::string describe_shard(const options& asked, const selection& who,
                                         const std::vector<sweep_point>& points, shard_head& into);

/// Replays the rows of a shard and writes them as JSON. Returns an error message, or an empty text.
[[nodiscard]] std::string write_shard(const options& asked, const selection& who, bool shows_progress,
                                      std::string& into, std::vector<std::string>& warnings);

/// Shards put together, whatever their order.
struct merged_shards {
    shard_head head;           ///< of the first shard
    std::vector<record> rows;  ///< of all shards, in the order of a single run
};

/// Reads shards and checks that they are all of a single result. Returns an error message, with the command that mends
/// it, or an empty text.
[[nodiscard]] std::string read_shards(const std::vector<std::string>& files, merged_shards& into);

}  // namespace hbm::compare
