#pragma once
/// Out-of-memory messages of the TPU's compiler or runtime, as values. What a message does not state is empty, never 0.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Subject of a message.
enum class message_kind : std::uint8_t {
    buffer,             ///< a buffer could not be allocated (E0100)
    reservation,        ///< a program could not be loaded: no room for its scratch at the bottom of memory (E0101)
    load,               ///< a program could not be loaded: no room for its code and constants (E0101)
    compile,            ///< the compiler needs more than the device has (E1000)
    early_abort,        ///< the compiler gave up before it had finished, because far too much is needed
    cores,              ///< TensorCore and SparseCore together need more than the device has
    exceeds,            ///< a single allocation of a program is larger than the memory
    temporaries,        ///< the compiler found that the temporaries alone exceed the device's memory
    list,               ///< a list of a program's memory, without the line that names the failure
    sizes,              ///< the sizes of a whole program, as `memory_analysis()` has them
    fits,               ///< a program that fits: what it uses, and what the device has
    rematerialization,  ///< a warning: recomputing instead of storing did not make the program small enough
    donation,           ///< a warning: donated arguments that no output could take over
};

/// A size in a message.
enum class figure : std::uint8_t {
    asked,        ///< requested, or used by the program
    free,         ///< free at the time of the failure
    largest,      ///< longest free piece; only stated if fragmentation is the cause
    reserved,     ///< already reserved at the bottom of memory
    reservable,   ///< free in one piece, directly above that
    obstacle_at,  ///< distance of the nearest obstacle from the bottom
    obstacle,     ///< size of that obstacle
    capacity,     ///< memory of the device, or the limit
    exceeded,     ///< excess that the compiler states: `asked - capacity`
    tensor_core,
    sparse_core,
    total,            ///< `Total hbm usage`, or the total of a program's sizes
    system_reserved,  ///< in that total: what the system reserves
    program,          ///< in that total: the program itself
    arguments,        ///< in that total
    output,           ///< `Output size`
    shared,           ///< outputs that take over arguments
    requirement,      ///< `Program hbm requirement`
    held_back,        ///< in that requirement: reserved
    global,           ///< in that requirement: constants and other data of the whole program
    scoped,           ///< in that requirement
    temporaries,      ///< in that requirement: `HLO temp`, or the temporaries of a program's sizes
    unpadded,         ///< temporaries without padding
    padded,           ///< temporaries with padding
    fragmentation,    ///< lost between temporaries
    memory,           ///< ledger of a failed load: `HBM capacity`
    top_reserved,     ///< ledger: reserved at the top, for the system
    allocated,        ///< ledger: in use
    required,         ///< ledger: the program
    lacking,          ///< ledger: what is missing after the request
    free_chunk,       ///< ledger: longest free piece
    held_arguments,   ///< ledger: arguments among what is in use
    held_outputs,     ///< ledger: outputs among what is in use
    count,
};

/// An entry of `Largest program allocations in hbm`. Texts that are missing are empty.
struct listed_allocation {
    std::uint64_t rank = 0;
    std::optional<rounded_size> size = {};
    std::optional<rounded_size> unpadded = {};
    std::optional<rounded_size> padding = {};
    std::string origin = {};  ///< the line `Operator`: the operation and its place in the source
    std::string shape = {};
    std::string label = {};
    std::string type = {};  ///< `HLO temp`, `arguments`, ...

    friend bool operator==(const listed_allocation&, const listed_allocation&) = default;
};

/// The framework whose words a log has.
enum class framework : std::uint8_t { jax, pytorch, tensorflow };

/// Facts of a log around a message.
struct stated_surroundings {
    std::optional<rounded_size> in_use = {};  ///< of the fullest device at the last measurement before the message
    std::optional<rounded_size> memory = {};  ///< all memory of that device
    bool has_pool = false;                    ///< true if a server with a KV pool wrote the log
    framework by = framework::jax;
    std::uint64_t steps = 0;  ///< number of the last step before the message; 0 if none is stated

    friend bool operator==(const stated_surroundings&, const stated_surroundings&) = default;
};

/// Message of the compiler or runtime. The sizes that are present depend on `kind`, and on how much was pasted.
struct memory_message {
    message_kind kind = message_kind::list;
    std::size_t line = 0;       ///< line at which the message begins, from 1
    std::uint64_t times = 1;    ///< number of occurrences with the same sizes, on any devices
    std::string program = {};   ///< name of the program of a load
    std::string space = {};     ///< memory space: `hbm`, `vmem`, ...; empty if not stated
    std::string device = {};    ///< device, such as `0x0x1_HBM0`; empty if not stated
    std::string shape = {};     ///< shape of the single allocation that exceeds the memory
    std::string owner = {};     ///< tag of that allocation, or the operation or kernel that needs it
    std::string replicas = {};  ///< replica, such as `replica 0 and partition 34`; empty if not stated
    bool is_setting = false;    ///< true if the capacity is a limit that can be set, not all of a memory
    std::array<std::optional<rounded_size>, static_cast<std::size_t>(figure::count)> sizes = {};
    std::vector<listed_allocation> listed = {};  ///< allocations in the order of the message, largest first
    std::vector<std::string> shapes = {};        ///< shapes of donated arguments that no output took over
    stated_surroundings around = {};

    friend bool operator==(const memory_message&, const memory_message&) = default;

    [[nodiscard]] std::optional<rounded_size>& operator[](figure which) {
        return sizes[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] const std::optional<rounded_size>& operator[](figure which) const {
        return sizes[static_cast<std::size_t>(which)];
    }
    /// Returns true if one of these is stated.
    [[nodiscard]] bool has_any(std::initializer_list<figure> all) const {
        for (const figure each : all)
            if ((*this)[each]) return true;
        return false;
    }
    /// Returns true for a list or a warning, which alone is no failure.
    [[nodiscard]] bool is_statement() const noexcept { return kind >= message_kind::list; }
    /// Returns true if the compiler reports it: the program never ran.
    [[nodiscard]] bool of_compiler() const noexcept { return kind >= message_kind::compile; }
    /// Returns true if it is about the device's memory, not about a small memory on the chip.
    [[nodiscard]] bool of_device_memory() const noexcept { return space.empty() || space == "hbm"; }
};

/// Messages in a text.
struct found_messages {
    std::vector<memory_message> messages = {};  ///< failures, then statements, each in order; see `read_messages`
    std::string unread = {};                    ///< first figure that cannot be read, with its line; empty without one
    std::uint64_t left_out = 0;                 ///< number of messages beyond the limit, before the last of them

    friend bool operator==(const found_messages&, const found_messages&) = default;
};

/// Reads all messages in `text`, amid anything else: prefixes, stamps of logs, Markdown, escaped line ends, other
/// lines. Their wordings are the rows of `wordings.hpp`. Equal messages are kept once, with a count; of more than 64
/// distinct messages the first 63 and the last. A figure that cannot be read is left out; `unread` names the first.
/// Cost: O(length of the text).
[[nodiscard]] found_messages read_messages(std::string_view text);

/// A message about memory that is not of the TPU's compiler or runtime: what it is, and what to bring instead. Those of
/// servers and tools have an answer nevertheless: what it means, and what to do.
struct foreign_message {
    std::string_view found;
    std::string_view expected;
    std::string_view meaning = {};
    std::string_view remedy = {};
};

/// Returns such a message in a text, of a GPU, of another accelerator, of a server or a tool; null without one.
/// Cost: O(length of the text).
[[nodiscard]] const foreign_message* find_foreign_message(std::string_view text);

/// Returns the error for a text without messages. Cost: O(length of the text).
[[nodiscard]] trace::read_error no_message_in(std::string_view text, const std::string& file);

/// Returns the names of the program in a message. For a load this is the name of the program; otherwise the names come
/// from its largest arrays. Empty if the message has none. Cost: O(listed allocations).
[[nodiscard]] std::vector<std::string> program_names(const memory_message& from);

/// Returns true if both names have the same letters and digits, without numbers such as that of `jit_step.12`.
/// Cost: O(length).
[[nodiscard]] bool is_called(std::string_view module, std::string_view program);

/// Describes the messages of a text: the sums of the first message that states them, as rounded in the text, and all
/// messages in order. Constants are the compiler's `global`. Cost: O(messages).
[[nodiscard]] description describe(const found_messages& match);

}  // namespace hbm::imported
