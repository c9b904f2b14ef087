#pragma once

/// Luck in needs of memory: the range over variants of a workload that a user would call the same.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::compare {

/// Needs of a manager for a workload and its variants, in bytes.
struct luck {
    std::uint64_t least = 0;
    std::uint64_t median = 0;
    std::uint64_t most = 0;
    std::uint64_t workloads = 0;  ///< number of needs that the range covers

    friend bool operator==(const luck&, const luck&) = default;
};

/// Returns the range and the median of `needs`; the lower of two medians.
/// Requires: there is one.
[[nodiscard]] luck luck_of(std::vector<std::uint64_t> needs);

/// Returns true if the ranges overlap by more than half of the shorter one, or a range without a width lies in the
/// other: the difference between the managers is luck.
[[nodiscard]] bool are_equal_within_luck(const luck& a, const luck& b) noexcept;

/// Puts needs that are equal within luck into groups: by median, each joins the first group to whose least need it is
/// equal. Returns the number of the group of each need, from 0 and by median; empty for needs that differ from no other
/// by luck.
/// Cost: O(needs^2).
[[nodiscard]] std::vector<std::optional<std::size_t>> groups_within_luck(const std::vector<std::optional<luck>>& needs);

}  // namespace hbm::compare
