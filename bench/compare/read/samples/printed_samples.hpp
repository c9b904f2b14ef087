#pragma once
/// Samples as other programs print them in logs: tpu-info's tables, MaxText, tpu-inference, Reactant.

#include <string_view>
#include <vector>

#include "compare/read/samples/samples_log.hpp"

namespace hbm::imported {

/// Returns the samples of a line, one for each device in it:
///
/// | line                                                          | written by                    |
/// |---------------------------------------------------------------|-------------------------------|
/// | `│ 8 │ 18.45 GiB / 31.25 GiB │ 100.00% │`                      | tpu-info, also under `watch`  |
/// | `Using (GB) 1.59 / 30.75 (5.170732%) on TPU_4(process=1,...)` | MaxText                       |
/// | `hbm=[(3.74, 31.25), (3.74, 31.25)]Gb`                        | tpu-inference                 |
/// | `In Use: 2.648 GiB`                                           | Reactant                      |
///
/// Units are binary. Empty for any other line.
/// Cost: O(length of the line).
[[nodiscard]] std::vector<sample> printed_samples_in(std::string_view line);

}  // namespace hbm::imported
