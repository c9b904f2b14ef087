#pragma once

/// Single operations under patterns that are hard for an index of holes.

namespace hbm::micro {

/// Prints the median, 99.99 % and worst of single operations for each placement, pattern and number of blocks: 1,000 to
/// 100,000, and 1,000,000 if `full`.
void report_worst(bool full);

}  // namespace hbm::micro
