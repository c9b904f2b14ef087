#pragma once
/// Memory of a server: weights, programs, and the largest pool for its KV cache that leaves room for them.

#include <hbm/core/memory_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/answers/answer.hpp"

namespace hbm::compare {

/// Program of a server, in bytes on the device.
struct served_program {
    std::string name;
    std::uint64_t code = 0;           ///< code and constants, which stay while the program is loaded
    std::uint64_t scratch = 0;        ///< scratch at the bottom of memory, which programs share
    std::uint64_t kept = 0;           ///< arguments that the program does not donate
    std::uint64_t donated = 0;        ///< arguments that outputs take over
    std::uint64_t fresh_outputs = 0;  ///< outputs in new memory
    std::uint64_t output_room = 0;    ///< memory for these, each in whole quanta
    bool has_failed = false;          ///< from the message of a failed load, which states only what was missing
    std::uint64_t missing = 0;        ///< bytes that the failed load lacked; 0 if unknown
};

/// Contents of the device's memory next to the pool. `weights` are empty if unknown.
struct served_memory {
    std::optional<std::uint64_t> weights;
    std::vector<served_program> programs;
    std::optional<std::uint64_t> failed_use = {};  ///< of weights and pool together, at most: a log shows more to fail
};

/// Largest pool of a device. All sizes are whole quanta.
struct largest_pool {
    std::uint64_t weights = 0;
    std::uint64_t code = 0;     ///< code of all programs
    std::uint64_t scratch = 0;  ///< scratch of the program that needs the most
    std::uint64_t outputs = 0;  ///< most bytes that a run returns in new memory
    std::uint64_t missing = 0;  ///< bytes by which weights and programs exceed the device; the pool is then 0
    std::uint64_t pool = 0;     ///< largest pool with which all programs are loaded at once
    std::uint64_t running = 0;  ///< largest pool with which they also run, one at a time
};

/// Returns the memory that takes `bytes`, in whole quanta. Cost: O(1).
[[nodiscard]] std::uint64_t in_quanta(std::uint64_t bytes, std::uint64_t quantum) noexcept;

/// Returns the largest pool of a device. Runs that return more than they take make arrays of the server, weights or
/// pool, and do not count as outputs.
/// Requires: the weights are known. Cost: O(programs).
[[nodiscard]] largest_pool pool_in(const memory_spec& device, const served_memory& memory);

/// Returns the share of the device for weights and pool that leaves the pool at `pool` bytes or less, in thousandths
/// and rounded down. Servers are configured with it. Cost: O(1).
[[nodiscard]] std::uint64_t share_in_thousandths(const memory_spec& device, std::uint64_t weights, std::uint64_t pool);

/// Returns the positions of the programs in the order in which to load them: the one with the most scratch comes first,
/// so that a start that cannot succeed fails at its first load. Cost: O(n log n).
[[nodiscard]] std::vector<std::size_t> load_order(const std::vector<served_program>& programs);

/// Returns the smallest TPU generation with more memory than `device`; null if there is none. Cost: O(generations).
[[nodiscard]] const memory_spec* next_larger(const memory_spec& device) noexcept;

/// A server, as its dump and its logs have it.
struct server {
    memory_spec device;
    served_memory memory;
    std::string weights_source;           ///< origin of the weights, in words
    std::string weights_program = {};     ///< program whose arguments are taken as weights; empty if they are given
    bool is_assumed = false;              ///< true if no device was given
    std::uint64_t log_capacity = 0;       ///< memory of the device of the failed starts; 0 if unknown
    std::vector<std::string> notes = {};  ///< sentences about what the files do not say
};

/// Returns the bytes by which the pool of the failed starts is too large on the device of the server; 0 if it is not.
/// Cost: O(programs).
[[nodiscard]] std::uint64_t excess_on_device(const server& of) noexcept;

/// Returns the largest pool, or how much too large that of a failed start was, and what to set. Cost: O(n log n) for n
/// programs.
[[nodiscard]] answer serving_answer(const server& of);

}  // namespace hbm::compare
