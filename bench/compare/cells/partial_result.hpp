#pragma once

/// A result that an interrupt cut short, in words.

#include <cstddef>
#include <string>

#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// How much of what was asked for a result is about, after an interrupt.
struct partial_result {
    std::size_t finished = 0;
    std::size_t all = 0;
    bool is_sweep = false;  ///< these are points of a sweep
};

/// Whether `count` workloads are points of a sweep, by the first of them: they may differ in parameters, memory or seed
/// alone. O(1).
[[nodiscard]] bool are_points_of_a_sweep(std::size_t count, const scenario& first);

/// `1 workload`, `4 workloads`, or `4 points of the sweep`.
[[nodiscard]] std::string workloads_in_words(std::size_t count, bool is_sweep);

/// `4 of 8 workloads`
[[nodiscard]] std::string extent_in_words(const partial_result& of);

/// The sentence that stands before everything else in the result.
[[nodiscard]] std::string interruption_words(const partial_result& of);

/// The same as a JSON object.
[[nodiscard]] std::string interruption_json(const partial_result& of);

}  // namespace hbm::compare
