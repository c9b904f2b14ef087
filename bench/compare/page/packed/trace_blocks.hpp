#pragma once
/// Buffers of a workload, from its rows alone: they are the same for all managers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/replay/history.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Appends `number` in groups of seven bits, the lowest first. The top bit of a byte is set if another byte follows.
void add_number(std::string& bytes, std::uint64_t number);

/// Appends the four bytes of `number`, the highest first.
void add_big_endian(std::string& bytes, std::uint32_t number);

/// Returns base64 with padding (RFC 4648), on a single line. Cost: O(bytes).
[[nodiscard]] std::string base64(std::string_view bytes);

/// Returns `bytes`, not compressed, as a zlib stream (RFC 1950). Cost: O(bytes).
[[nodiscard]] std::string stored_stream(std::string_view bytes);

/// Returns `bytes` as a zlib stream, for `DecompressionStream("deflate")` of a browser and for PNG. Without zlib at
/// build time the stream is a stored one, which is longer.
[[nodiscard]] std::string zlib_stream(std::string_view bytes);

/// Limit of the numbers that a double, and so the page, represents exactly.
inline constexpr std::uint64_t max_exact_number = std::uint64_t{1} << 53;

/// A buffer from the row that makes it to the row that frees or donates it.
struct trace_block {
    trace::id subject = 0;
    std::uint32_t tag = 0;    ///< index into `workload::tags`
    std::uint64_t bytes = 0;  ///< rounded up to the quantum
    std::size_t begin = 0;
    std::size_t end = 0;  ///< the number of rows if nothing ends it

    friend bool operator==(const trace_block&, const trace_block&) = default;
};

/// Returns the buffers in the order in which they begin. Cost: O(rows and their operands).
[[nodiscard]] std::vector<trace_block> trace_blocks(const trace::workload& load, std::uint64_t quantum);

/// Returns the data that all managers share of a workload: the buffers with their names, and the lines of the rows.
/// bench/README.md describes the format. Cost: O(rows and their operands).
[[nodiscard]] std::string packed_trace(const trace::workload& load, const std::vector<trace_block>& blocks,
                                       std::uint64_t quantum);

/// Returns the microseconds from the first row to the end of the last, which lasts the mean of the others, and at least
/// one. Empty if the trace has no times, or if they are beyond `max_exact_number`.
[[nodiscard]] std::optional<std::uint64_t> duration_of(const trace::workload& load);

/// A guess at the place of a block; its value is its number in the page.
enum class guess : std::uint8_t {
    low_end_of_best,   ///< the low end of the smallest hole that is long enough; ties go to the lowest
    high_end_of_best,  ///< the high end of the smallest hole that is long enough; ties go to the highest
    lowest,            ///< the low end of the lowest hole that is long enough
    highest,           ///< the high end of the highest hole that is long enough
};
inline constexpr std::uint8_t guesses = 4;

/// The free ranges of a memory, in quanta. Cost: O(holes) for each call.
class free_ranges {
public:
    explicit free_ranges(std::uint64_t capacity);

    /// Returns the place of a block of `size` under `rule`; empty if no hole is long enough.
    [[nodiscard]] std::optional<std::uint64_t> place(guess rule, std::uint64_t size) const;

    /// Removes the range from the free ranges. Requires: all of it is free.
    void take(std::uint64_t offset, std::uint64_t size);

    /// Adds the range to the free ranges. Requires: none of it is free.
    void leave(std::uint64_t offset, std::uint64_t size);

private:
    struct hole {
        std::uint64_t begin;
        std::uint64_t end;
    };

    /// Returns the first hole that begins at `offset` or above.
    [[nodiscard]] std::vector<hole>::iterator at_or_above(std::uint64_t offset);

    std::vector<hole> holes_;  // holes by address; never empty, never adjacent
};

/// Returns the replay in the format that bench/README.md describes; empty if its addresses are beyond
/// `max_exact_number` quanta. `blocks` are those of `load`. Cost: O(places x holes).
[[nodiscard]] std::optional<std::string> packed_history(const trace::history& made, const trace::workload& load,
                                                        const std::vector<trace_block>& blocks, std::uint64_t quantum);

}  // namespace hbm::compare
