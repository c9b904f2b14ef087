#pragma once

/// Options that cannot stand beside each other. Each function returns what is wrong, or an empty text.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// --shard makes a part of the rows; what needs all of them cannot be made of it.
[[nodiscard]] std::string find_beside_shard(const options& asked);

/// `merge` takes shards and options of what comes out: what is compared is decided already.
[[nodiscard]] std::string find_beside_merge(const options& asked);

/// --growth compares nothing.
[[nodiscard]] std::string find_beside_growth(const options& asked);

/// The answer to --message is text about the message alone.
[[nodiscard]] std::string find_beside_message(const options& asked);

/// A sentence for each option given that has no effect beside --growth, --message or --recommend.
[[nodiscard]] std::vector<std::string> without_effect(const options& asked);

/// The same for each option given that has none on what is compared.
[[nodiscard]] std::vector<std::string> without_effect(const options& asked, const std::vector<scenario>& all);

/// --recommend writes sentences.
[[nodiscard]] std::string find_beside_recommend(const options& asked);

}  // namespace hbm::compare
