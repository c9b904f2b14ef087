#pragma once
/// Out-of-memory message of the TPU's compiler or runtime, as values. Sizes that a message does not state are empty,
/// never 0.

#include <cstddef>
#include <cstdint>
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
    report,             ///< a list of a program's memory, without the line that names the failure
    temporaries,        ///< the compiler found that the temporaries alone exceed the device's memory
    rematerialization,  ///< a warning: recomputing instead of storing did not make the program small enough
    donation,           ///< a warning: donated arguments that no output could take over
};

/// The lines under `Total hbm usage >=`.
struct stated_usage {
    std::optional<rounded_size> total = {};
    std::optional<rounded_size> reserved = {};
    std::optional<rounded_size> program = {};
    std::optional<rounded_size> arguments = {};

    friend bool operator==(const stated_usage&, const stated_usage&) = default;
};

/// The line `Output size 6.00G; shares 5.00G with arguments.`
struct stated_output {
    std::optional<rounded_size> size = {};
    std::optional<rounded_size> shared = {};

    friend bool operator==(const stated_output&, const stated_output&) = default;
};

/// The lines under `Program hbm requirement`.
struct stated_requirement {
    std::optional<rounded_size> total = {};
    std::optional<rounded_size> reserved = {};
    std::optional<rounded_size> global = {};  ///< constants and other data of the whole program
    std::optional<rounded_size> scoped = {};
    std::optional<rounded_size> temporaries = {};    ///< temporaries without padding
    std::optional<rounded_size> unpadded = {};       ///< temporaries with padding
    std::optional<rounded_size> padded = {};         ///< bytes lost between temporaries
    std::optional<rounded_size> fragmentation = {};  ///< bytes lost between temporaries

    friend bool operator==(const stated_requirement&, const stated_requirement&) = default;
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

/// The ledger of a failed load, under `HBM capacity`.
struct stated_ledger {
    std::optional<rounded_size> capacity = {};
    std::optional<rounded_size> top_reserved = {};
    std::optional<rounded_size> allocated = {};
    std::optional<rounded_size> required = {};
    std::optional<rounded_size> free = {};       ///< required bytes less the missing ones; only if both are exact
    std::optional<rounded_size> largest = {};    ///< `Max free chunk`
    std::optional<rounded_size> arguments = {};  ///< arguments among the persistent allocations
    std::optional<rounded_size> outputs = {};    ///< outputs among the persistent allocations

    friend bool operator==(const stated_ledger&, const stated_ledger&) = default;
};

/// Facts of a log about the device on which a message failed. Others than the message's own words.
struct stated_surroundings {
    std::optional<rounded_size> in_use = {};  ///< of the fullest device at the last measurement before the message
    std::optional<rounded_size> memory = {};  ///< all memory of that device
    bool has_pool = false;                    ///< true if a server with a KV pool wrote the log

    friend bool operator==(const stated_surroundings&, const stated_surroundings&) = default;
};

/// Message of the compiler or runtime. The sizes that are present depend on `kind`, and on how much was pasted.
struct memory_message {
    message_kind kind = message_kind::report;
    std::size_t line = 0;       ///< line at which the message begins, from 1
    std::size_t column = 0;     ///< byte in that line, from 1
    std::uint64_t times = 1;    ///< number of occurrences with the same sizes, on any devices
    std::string program = {};   ///< name of the program of a load
    std::string space = {};     ///< memory space: `hbm`, `vmem`, ...; empty if not stated
    std::string device = {};    ///< device, such as `0x0x1_HBM0`; empty if not stated
    std::string shape = {};     ///< shape of the single allocation that exceeds the memory
    std::string owner = {};     ///< tag of that allocation, in the compiler's words
    std::string replicas = {};  ///< replica, such as `replica 0 and partition 34`; empty if not stated
    bool is_setting = false;    ///< true if `capacity` is a limit that can be set, not all of a memory

    std::optional<rounded_size> asked = {};       ///< bytes requested, or used by the program
    std::optional<rounded_size> free = {};        ///< free bytes at the time of the failure
    std::optional<rounded_size> largest = {};     ///< the longest free piece; only stated if fragmentation is the cause
    std::optional<rounded_size> reserved = {};    ///< already reserved at the bottom of memory
    std::optional<rounded_size> reservable = {};  ///< free in one piece, directly above that
    std::optional<rounded_size> capacity = {};    ///< bytes of the device
    std::optional<rounded_size> exceeded = {};    ///< excess that the compiler states: `asked - capacity`
    std::optional<rounded_size> tensor_core = {};
    std::optional<rounded_size> sparse_core = {};

    std::optional<stated_usage> usage = {};
    std::optional<stated_output> output = {};
    std::optional<stated_requirement> requirement = {};
    std::optional<stated_ledger> ledger = {};
    std::vector<listed_allocation> listed = {};  ///< allocations in the order of the message, largest first
    std::vector<std::string> shapes = {};        ///< shapes of donated arguments that no output took over
    stated_surroundings around = {};

    friend bool operator==(const memory_message&, const memory_message&) = default;

    /// Returns true if the compiler reports it: the program never ran.
    [[nodiscard]] bool of_compiler() const noexcept {
        return kind == message_kind::compile || kind == message_kind::early_abort || kind == message_kind::cores ||
               kind == message_kind::exceeds || is_statement() || kind == message_kind::temporaries;
    }
    /// Returns true for a list or a warning, which alone is no failure.
    [[nodiscard]] bool is_statement() const noexcept {
        return kind == message_kind::report || kind == message_kind::rematerialization ||
               kind == message_kind::donation;
    }
    /// Returns true if it is about the device's memory, not about a small memory on the chip.
    [[nodiscard]] bool of_device_memory() const noexcept { return space.empty() || space == "hbm"; }
};

/// Measurement without a failure: `memory_stats()`, or a line of the compiler about a program that fits.
struct stated_statistics {
    std::size_t line = 0;
    std::optional<rounded_size> in_use = {};
    std::optional<rounded_size> peak = {};
    std::optional<rounded_size> limit = {};
    std::optional<rounded_size> largest = {};   ///< the longest free piece
    std::optional<rounded_size> reserved = {};  ///< bytes at the bottom, for programs
    std::optional<rounded_size> program = {};   ///< bytes used by a program that fits

    friend bool operator==(const stated_statistics&, const stated_statistics&) = default;
};

/// Messages and measurements in a text.
struct found_messages {
    std::vector<memory_message> messages = {};  ///< distinct messages in order; above the limit, the last too
    std::vector<stated_statistics> samples = {};
    std::string unread = {};     ///< first figure that is not a size, with its place; empty without one
    std::uint64_t left_out = 0;  ///< number of messages beyond the limit, before the last of them

    friend bool operator==(const found_messages&, const found_messages&) = default;
};

/// Reads all messages in `text`, amid anything else: prefixes, stamps of logs, Markdown, escaped line ends, other
/// lines. Equal messages are kept once, with a count; of more than 64 distinct messages the first 63 and the last.
/// `portion`: bytes read at once, at least 64 KiB.
/// A figure that is not a size is left out; `unread` names the first.
/// Fails: for a text without any message; `file` is for errors.
/// Cost: O(length of the text).
[[nodiscard]] reading<found_messages> read_messages(std::string_view file, std::string_view text,
                                                    std::size_t portion = std::size_t{4} << 20);

/// Origin of a message about memory that is not of the TPU's compiler or runtime: of a GPU or CPU, or of a server.
enum class foreign_message : std::uint8_t { none, of_pytorch, of_xla, of_server };

/// Returns the origin of such a message in a text. Cost: O(length of the text).
[[nodiscard]] foreign_message find_foreign_message(std::string_view text) noexcept;

/// Returns the kind of such a text in words, for an error. Cost: O(1).
[[nodiscard]] std::string found_of(foreign_message which);

/// Returns the text to provide instead, for an error. Cost: O(1).
[[nodiscard]] std::string expected_of(foreign_message which);

/// Describes the messages of a text: the sums of the first message that states them, as rounded in the text, and all
/// messages in order. Constants are the compiler's `global`.
/// Cost: O(messages).
[[nodiscard]] description describe(const found_messages& match);

/// Reads and describes a text. `file` is for errors. Cost: O(length of the text).
[[nodiscard]] reading<description> describe_message(std::string_view text, const std::string& file);

}  // namespace hbm::imported
