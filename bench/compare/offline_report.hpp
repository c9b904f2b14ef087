#pragma once

/// Packs what was compared with everything known beforehand, and says what managers lose by not knowing.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/folded.hpp"
#include "compare/grid.hpp"
#include "compare/options.hpp"

namespace hbm::compare {

/// Whether workloads are to be packed: `--offline` asks for it, or a single workload of few rows is shown as text. A
/// large trace takes seconds.
[[nodiscard]] bool wants_offline(const options& asked, const std::vector<comparison>& all);

/// Packs each workload, on `jobs` cores (0: all).
void pack_offline(std::vector<comparison>& all, std::size_t jobs);

/// What the packing needs, whether that is fate, and what managers need beyond it, where that was measured; empty
/// without buffers, and for a workload that was not packed.
[[nodiscard]] std::string offline_words(const comparison& of, const std::vector<folded_row>& rows);

}  // namespace hbm::compare
