#pragma once
/// Reads the parts of a message. Each function starts after the key words of its part.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/message/message.hpp"
#include "compare/read/message/window.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Reader of the parts of messages in a window.
class message_parser {
public:
    /// Constructs a reader of `rest`. `bad_number` is set to the first size that cannot be read, unless it is set
    /// already. `of_message`: sizes below 10,000 bytes have units. `ends_text`: nothing follows the window, so the
    /// number at its end may be cut off.
    message_parser(std::string_view rest, const char*& bad_number, bool of_message = false,
                   bool ends_text = false) noexcept
        : text_(rest), bad_number_(bad_number), of_message_(of_message), ends_text_(of_message && ends_text) {}

    /// `hbm. Used 18.00G of 15.75G hbm.`, or `vmem. Estimated 201.33MB exceeds 64.00MB vmem capacity.`
    void compile(memory_message& target);

    /// `hbm capacity by 2.25G.`
    [[nodiscard]] bool is_excess_of_space() const;
    void excess_of_space(memory_message& target);
    /// Reads the last `Used 18.00G of 15.75G hbm.` of the window.
    void used(memory_message& target);

    /// ` 19.85M and limit 16.00M exceeded scoped vmem limit by 3.85M.`
    void scoped(memory_message& target);

    /// `100.13G) exceeds available HBM (94.74G). HLO module: jit_step.`
    void temporaries(memory_message& target);

    /// `140704 words) exceeds the legitimate user allocatable offset upper bound (131071 words) in memory space 201`
    void sparse_core(memory_message& target);

    /// `22.27GiB (23917347918 bytes) by rematerialization; only reduced to 37.90GiB (40693879420 bytes), ...`
    void rematerialization(memory_message& target);

    /// ` not usable: bfloat16[4,2737,32,128], float32[8]. ...`
    void donation(memory_message& target);

    /// Sizes of a compiled program, as JAX, PyTorch/XLA, MaxText and AXLearn print them.
    void program_sizes(memory_message& target);

    /// ` 'jit_step': `
    void program_name(memory_message& target);

    /// `allocate 8.00M. That was not possible. There are 6.43M free.; (0x0x1_HBM0)`, or
    /// `reserve 29.49G at the bottom of memory. ... There are 1G free, 0B reserved, and 1G reservable.`
    void attempt(memory_message& target);

    /// `10485760 bytes in memory 0x0x0_HBM0; 4374528 bytes allocatable, 14942208 bytes available`
    [[nodiscard]] bool is_old_buffer() const {
        const std::size_t end = text_.find(" bytes in memory ");
        return end < 40 && text_.find("space ", end) != end + 6;  // not of another space, such as the host's
    }
    void old_buffer(memory_message& target);

    /// `Requires 3.84T, has 90.96G available.`
    void early_abort(memory_message& target);

    /// `: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G`
    void cores(memory_message& target);

    /// `107374182400) would exceed memory (size=17179869184) :: #allocation7 [shape = '..', space=hbm, tag = '..']`
    [[nodiscard]] bool is_excess() const { return text_.find("would exceed memory ") < 60; }
    void excess(memory_message& target);

    /// ` >= 18.25G: reserved 256.00M program 10.00G arguments 8.00G`
    void usage(stated_usage& target);
    void usage_lines(stated_usage& target);

    /// Returns true if a size follows, or `unknown`.
    [[nodiscard]] bool is_stated() const;
    void output(stated_output& target);

    /// ` 10.00G: global 64.0K scoped 1.00M HLO temp 10.00G (96.5% utilization: Unpadded (9.60G) Padded (9.95G), 0.5%
    /// fragmentation (51.20M))`
    void requirement(stated_requirement& target);

    /// Returns true if the fields of a list's entry follow.
    [[nodiscard]] bool is_listed() const { return text_.find("Allocation type:") != nowhere; }

    /// Returns the memory space at the start of the window.
    [[nodiscard]] std::string space() const { return word_at(0); }

    /// Reads an entry of the list, without its number: ` 2.00G` and the lines of its fields.
    void item(listed_allocation& target, std::uint64_t rank);

    /// Returns true if the lines of a ledger follow, and not a sentence about a device.
    [[nodiscard]] bool is_ledger() const {
        return text_.find("reserved:") != nowhere || text_.find("allocated:") != nowhere;
    }

    /// `8.00G: Top-of-Memory reserved: 529.00M (554,696,704 bytes) Currently allocated: 6.08G (6,532,939,776 bytes)
    /// ...`
    void ledger(stated_ledger& target);

    /// ` 1.00G / 15.75G`
    void program_fits(stated_statistics& target);
    /// `: 76288, 'bytes_limit': 33014415360, ...`: the result of `memory_stats()`, as Python prints it.
    void statistics(stated_statistics& target);

    /// ` include some or all of: arguments 478.07M (89.4% utilization) output 5.06G ...`
    void persistent(stated_ledger& target);

    [[nodiscard]] std::optional<rounded_size> size_here() { return size_at(0); }

private:
    static constexpr std::size_t nowhere = window::nowhere;

    [[nodiscard]] std::optional<rounded_size> size_at(std::size_t at);
    /// Returns true if a number without a unit may be cut: it ends the text, or a line end splits it, as in `8` and
    /// `.00M`. Byte counts of more than four digits are whole: 9999 is the largest without a unit.
    [[nodiscard]] bool is_cut(std::string_view digits) const;
    [[nodiscard]] std::optional<rounded_size> size_after(std::string_view words, std::size_t from = 0);
    /// Returns the size behind a word that stands alone, such as the first of several parts called `program`.
    [[nodiscard]] std::optional<rounded_size> size_of(std::string_view word);
    /// Returns the exact bytes in brackets behind `label`, or else the rounded size in front of them.
    [[nodiscard]] std::optional<rounded_size> exact_after(std::string_view label, bool is_negative = false);

    [[nodiscard]] std::string word_at(std::size_t at) const;
    /// Returns the name of a module: to the next space or bracket, without a full stop at its end.
    [[nodiscard]] std::string name_at(std::size_t at) const;
    [[nodiscard]] std::string quoted_after(std::string_view words) const;
    /// Returns the value of a field: to the end of its line, or to the next field if lines run together.
    [[nodiscard]] std::string line_after(std::string_view field) const;
    /// `0x0x1_HBM0`
    [[nodiscard]] std::string device() const;
    /// `replica 0 and partition 34`
    [[nodiscard]] std::string replicas() const;

    window text_;
    const char*& bad_number_;
    bool of_message_;
    bool ends_text_;
};

/// Parts of messages; each begins with key words.
enum class message_part : std::uint8_t {
    compile,
    excess_of_space,
    scoped,
    temporaries,
    sparse_core,
    rematerialization,
    donation,
    program_sizes,
    list,
    usage,
    output,
    requirement,
    item,
    buffer,
    load,
    attempt,
    old_buffer,
    early_abort,
    cores,
    exceeds,
    ledger,
    free_chunk,
    persistent,
    program_fits,
    statistics,
};

/// Key words that begin a part.
struct key_words {
    std::string_view words;
    message_part part;
};

/// Key words of XLA's messages, from XLA's pages on errors E0100, E0101 and E1000, and from public reports.
inline constexpr key_words all_key_words[] = {
    {"Ran out of memory in memory space ", message_part::compile},
    {"Exceeded ", message_part::excess_of_space},
    {"Scoped allocation with size", message_part::scoped},
    {"HLO temporaries (", message_part::temporaries},
    {"allocation offset upper bound (", message_part::sparse_core},
    {"reduce memory use below", message_part::rematerialization},
    {"donated buffers were not usable:", message_part::donation},
    {"Largest program allocations in ", message_part::list},
    {"Graph input size:", message_part::program_sizes},
    {"CompiledMemoryStats(", message_part::program_sizes},
    {"argument_size_in_bytes", message_part::program_sizes},
    {"Input memory:", message_part::program_sizes},
    {"Total memory size:", message_part::program_sizes},
    {"Total hbm usage", message_part::usage},
    {"Output size ", message_part::output},
    {"Program hbm requirement", message_part::requirement},
    {"Size:", message_part::item},
    {"Error allocating device buffer", message_part::buffer},
    {"Error loading program", message_part::load},
    {"Attempting to ", message_part::attempt},
    {"Could not allocate ", message_part::old_buffer},
    {"Aborting compilation early", message_part::early_abort},
    {"TensorCore Hbm usage", message_part::cores},
    {"TC Hbm usage", message_part::cores},
    {"Allocation (size=", message_part::exceeds},
    {"HBM capacity ", message_part::ledger},
    {"Max free chunk ", message_part::free_chunk},
    {"Persistent allocations ", message_part::persistent},
    {"program HBM usage:", message_part::program_fits},
    {"bytes_in_use", message_part::statistics},
};

/// Place of key words in a text.
struct key_place {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< end of the key words
    message_part part = message_part::compile;
};

/// Returns all places of key words in a text, in its order. An entry of a list counts only with its number before
/// `Size:`.
/// Cost: O(length of the text), and O(n log n) for n places.
[[nodiscard]] std::vector<key_place> find_key_words(std::string_view text);

/// Returns the names of the program in a message. For a load this is the name of the program; otherwise the names come
/// from its largest arrays. Empty if the message has none.
/// Cost: O(listed allocations).
[[nodiscard]] std::vector<std::string> program_names(const memory_message& from);

/// Returns true if both names have the same letters and digits, without numbers such as that of `jit_step.12`.
/// Cost: O(length).
[[nodiscard]] bool is_called(std::string_view module, std::string_view program);

}  // namespace hbm::imported
