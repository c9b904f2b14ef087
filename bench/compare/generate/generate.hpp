#pragma once
// Generators by name: workloads like those of real programs, from a few parameters and a seed.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"
#include "compare/read/value_or_error.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// A generator and its parameters.
struct generator {
    std::string_view name;                                   ///< its name in `NAME[:key=value,...]`
    std::string_view summary;                                ///< a line for --help
    std::string_view device;                                 ///< the generation it is sized for; empty: any
    std::span<const parameter> parameters;                   ///< keys with their usual values
    void (*write)(const settings&, trace_draft&) = nullptr;  ///< writes the rows
    std::string (*refuse)(const settings&) = nullptr;        ///< what is wrong with values together; null: nothing is
    bool is_for_unlimited = false;                           ///< made for memory without a limit
};

/// All generators, in the order of this list.
std::span<const generator> generators();

/// The result of a generator: a workload, or a message that says what is wrong and what is valid.
using generate_result = value_or_error<workload, std::string>;

/// The message for an unknown generator: a similar name, if there is one, and all names.
std::string unknown_generator_words(std::string_view name);

/// Generates the workload `NAME[:key=value,...]`, whose name is the text as given. Sizes may have a binary unit:
/// "4K", "2MiB", "29.49G". The same text and seed give the same workload on every compiler and machine. O(rows).
generate_result generate(std::string_view spec, std::uint64_t seed);

}  // namespace hbm::trace
