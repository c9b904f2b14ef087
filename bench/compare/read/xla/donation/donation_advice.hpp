#pragma once
// Which arguments of a program could be donated and are not: their memory could hold outputs that now get memory of
// their own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/description.hpp"

namespace hbm::imported {

/// An argument or output of a program: a leaf, if it is a tuple.
struct donation_array {
    std::uint64_t parameter = 0;  ///< the number of the argument in the compiled program; 0 for outputs
    index_path index;             ///< in the tuple, if there is one
    std::uint64_t bytes = 0;      ///< on the device, with padding
    std::optional<std::uint64_t> unpadded_bytes;
    std::optional<std::uint64_t> share_bytes;  ///< one device's part, where `bytes` is of an array of several devices
    std::uint64_t memory_space = 0;
    std::string shape;  ///< as printed; empty if unknown
    std::string label;  ///< what the user calls it; empty if unknown
};

/// An output that takes over the memory of an argument: positions in the lists of arrays.
struct donation_pair {
    std::size_t output = 0;
    std::size_t argument = 0;
    bool same_shape = true;  ///< same element type and dimensions; otherwise only the same size

    friend bool operator==(const donation_pair&, const donation_pair&) = default;
};

/// A program, as far as donation is about it.
struct donation_question {
    std::vector<donation_array> arguments;
    std::vector<donation_array> outputs;
    std::vector<donation_pair> aliases;  ///< that the program has
    std::vector<std::size_t> donors;     ///< positions of arguments that any output of their size may take over
    std::uint64_t devices = 1;           ///< that share the arrays, if `bytes` are of whole arrays
};

/// What is left to donate.
struct donation_advice {
    std::vector<donation_pair> pairs;  ///< the largest first, then in the order of the outputs
    std::uint64_t saved_bytes = 0;     ///< by which arguments and fresh outputs together shrink
    std::optional<std::uint64_t>
        saved_share_bytes;                     ///< the same on one device, if the arrays are whole and all is known
    std::vector<std::size_t> alternatives;     ///< for each pair, how many arguments not donated have its size
    std::vector<std::size_t> donated_in_vain;  ///< positions of donors that no output can take over
};

/// The donations that a program leaves out. As JAX pairs donated arguments and outputs: those of the same element type
/// and dimensions first, each in their order, then what is left by size; and as XLA allows it: sizes on the device are
/// the same, in the same memory. The pairs are as many as can be. Whether an argument is used after the call, and so
/// must not be donated, only its caller knows. O(n log n).
[[nodiscard]] donation_advice advise_donation(const donation_question& in);

/// The program, had the advice been followed. O(pairs).
[[nodiscard]] donation_question follow(donation_question program, const donation_advice& advice);

/// Bytes in device memory of all arguments and of those outputs that do not take over an argument: what a run holds,
/// apart from temporaries, constants and code. O(arguments + outputs).
[[nodiscard]] std::uint64_t held_bytes(const donation_question& program) noexcept;

/// Arrays of the same shape that are padded.
struct padded_group {
    std::string shape;
    std::size_t count = 0;
    std::uint64_t bytes = 0;           ///< of one of them on the device
    std::uint64_t unpadded_bytes = 0;  ///< of its elements alone

    /// The padding of all of them, in bytes.
    [[nodiscard]] std::uint64_t waste() const noexcept { return (bytes - unpadded_bytes) * count; }
};

/// What padding costs a program.
struct padding_waste {
    std::vector<padded_group> groups;  ///< the largest waste first
    std::uint64_t bytes = 0;           ///< of padding in all
};

/// The padding of arguments and of outputs that do not take over an argument, in device memory. Arrays whose sizes
/// without padding are unknown count as not padded. O(n log n).
[[nodiscard]] padding_waste find_padding(const donation_question& in);

}  // namespace hbm::imported
