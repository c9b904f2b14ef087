#pragma once
// Finds the arguments of a program that could be donated and are not: outputs could use their memory instead of their
// own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

/// Argument or output of a program; one leaf of a tuple.
struct donation_array {
    std::uint64_t parameter = 0;  ///< the number of the argument in the compiled program; 0 for outputs
    index_path index;             ///< index in the tuple, if there is one
    std::uint64_t bytes = 0;      ///< size on the device, with padding
    std::optional<std::uint64_t> unpadded_bytes;
    std::optional<std::uint64_t> share_bytes;  ///< one device's part, if `bytes` is of an array over several devices
    std::uint64_t memory_space = 0;
    std::string shape;  ///< shape as printed; empty if unknown
    std::string label;  ///< the user's name for it; empty if unknown
};

/// Output that takes over the memory of an argument: positions in the lists of arrays.
struct donation_pair {
    std::size_t output = 0;
    std::size_t argument = 0;
    bool same_shape = true;  ///< true for the same element type and dimensions; false for the same size alone

    friend bool operator==(const donation_pair&, const donation_pair&) = default;
};

/// Arrays of a program that matter for donation.
struct donation_question {
    std::vector<donation_array> arguments;
    std::vector<donation_array> outputs;
    std::vector<donation_pair> aliases;  ///< aliases of the program
    std::vector<std::size_t> donors;     ///< positions of arguments that any output of their size may take over
    std::uint64_t devices = 1;           ///< number of devices that share the arrays, if `bytes` are of whole arrays
};

/// Arguments of a compiled program by number, from `first` to `last`.
struct argument_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    friend bool operator==(const argument_range&, const argument_range&) = default;
};

/// Adds the positions of the arguments with these numbers to `donors`, except for those that outputs take over already.
/// Throws `read_error` about `file` for a number that no argument has. Cost: O(ranges x arguments).
template <class Argument>
void add_donors(const std::vector<argument_range>& ranges, const std::vector<Argument>& arguments,
                std::vector<bool> is_taken, std::vector<std::size_t>& donors, const std::string& file) {
    for (const std::size_t donor : donors) is_taken[donor] = true;
    for (const argument_range& range : ranges) {
        bool has_last = false;
        for (std::size_t at = 0; at < arguments.size(); ++at) {
            const std::uint64_t number = arguments[at].parameter;
            has_last = has_last || number == range.last;
            if (is_taken[at] || number < range.first || number > range.last) continue;
            is_taken[at] = true;
            donors.push_back(at);
        }
        if (!has_last)
            throw trace::read_error(file, "no argument " + trace::decimal(range.last),
                                    arguments.empty() ? "a program with arguments for donate="
                                                      : "numbers for donate= from 0 to " +
                                                            trace::decimal(arguments.back().parameter));
    }
}

/// Donations that the program does not make yet.
struct donation_advice {
    std::vector<donation_pair> pairs;  ///< missing donations, the largest first, then in the order of the outputs
    std::uint64_t saved_bytes = 0;     ///< bytes by which arguments and fresh outputs together shrink
    std::optional<std::uint64_t> saved_share_bytes;  ///< saving on one device, if all shares are stated
    std::vector<std::size_t> alternatives;           ///< number of arguments of each pair's size that are not donated
    std::vector<std::size_t> donated_in_vain;        ///< positions of donors that no output can take over
};

/// Returns the donations that a program leaves out. Pairs follow JAX: arrays of the same element type and dimensions
/// first, in order, then the rest by size. Pairs satisfy XLA: the same size on the device, in the same memory. Their
/// number is the maximum. Only the caller can decide if an argument is used after the call, and so must not be donated.
/// Cost: O(n log n).
[[nodiscard]] donation_advice advise_donation(const donation_question& source);

/// Returns the program after following the advice. Cost: O(pairs).
[[nodiscard]] donation_question follow(donation_question program, const donation_advice& advice);

/// Returns the bytes in device memory of all arguments and of the outputs that do not take one over. Temporaries,
/// constants and code are not in it.
/// Cost: O(arguments + outputs).
[[nodiscard]] std::uint64_t held_bytes(const donation_question& program) noexcept;

/// Returns these pairs, at most `most` of them, as `input_output_alias={ {0}: (3, {}, may-alias) }`.
[[nodiscard]] std::string alias_text(const donation_question& source, const std::vector<donation_pair>& pairs,
                                     std::size_t most);

/// Returns true if donating saves enough to report: a thousandth of `held_bytes(in)`. Cost: O(n log n).
[[nodiscard]] bool is_worth_donating(const donation_question& source);

/// Returns advice in words: missing donations with their savings, and the cost of padding, the largest first. Items
/// below a thousandth of `held_bytes(in)` are left out. If pairs are left out and `file` is given, the text names the
/// --describe command that prints all. Empty if there is no advice.
/// Cost: O(n log n).
[[nodiscard]] std::string donation_text(const donation_question& source, std::string_view file = {});

/// Returns the advice of `donation_text()` as fields, with all pairs. Cost: O(n log n).
[[nodiscard]] described describe(const donation_question& source);

}  // namespace hbm::imported
