#pragma once

/// Options that exclude each other. Each function returns the error, or an empty text.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Checks the options next to --shard: a part of the rows is not enough for outputs that need all of them.
[[nodiscard]] std::string find_beside_shard(const options& asked);

/// Checks the options next to `merge`, which takes shards and options of the output: the comparison is decided already.
[[nodiscard]] std::string find_beside_merge(const options& asked);

/// Checks the options next to --growth, which compares nothing.
[[nodiscard]] std::string find_beside_growth(const options& asked);

/// Checks the options next to --message, whose answer is text about the message alone.
[[nodiscard]] std::string find_beside_message(const options& asked);

/// Returns a sentence for each given option without effect next to --growth, --message or --recommend.
[[nodiscard]] std::vector<std::string> without_effect(const options& asked);

/// Returns a sentence for each given option without effect on the compared scenarios.
[[nodiscard]] std::vector<std::string> without_effect(const options& asked, const std::vector<scenario>& all);

/// Checks the options next to --recommend, which writes sentences.
[[nodiscard]] std::string find_beside_recommend(const options& asked);

}  // namespace hbm::compare
