#pragma once
// What lay where during a replay, as values: the blocks, the places in which each of them lay, and what relief did.

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// The `recorded_block::subject` of a reservation, which belongs to no row.
inline constexpr id no_subject = ~id{0};

/// A block from its beginning to its end. Row `n` is the time after row `n` was applied; rows count from 0.
struct recorded_block {
    id subject = no_subject;  ///< the buffer or program
    std::uint32_t tag = 0;    ///< index into `workload::tags`, of the row that began it
    block_kind kind = block_kind::data;
    std::uint64_t granted = 0;  ///< its bytes at its beginning, rounded up to the quantum
    std::size_t begin = 0;      ///< the row that began it
    std::size_t end = 0;  ///< the row after which it was gone; the number of replayed rows if it was there at the end

    friend bool operator==(const recorded_block&, const recorded_block&) = default;
};

/// A block in a place. A block that was moved, and a reservation that grew, has several.
struct recorded_place {
    std::uint32_t block = 0;  ///< index into `history::blocks`
    extent where;             ///< bytes
    std::size_t begin = 0;    ///< the row after which it lay there
    std::size_t end = 0;      ///< the row after which it no longer did

    friend bool operator==(const recorded_place&, const recorded_place&) = default;
};

/// What relief did to a block.
enum class relief_kind : std::uint8_t { moved, evicted, reloaded };

/// A block that was moved, evicted or brought back.
struct recorded_relief {
    relief_kind kind = relief_kind::moved;
    std::size_t row = 0;
    std::uint32_t block = 0;  ///< index into `history::blocks`; for a reload the block that came back

    friend bool operator==(const recorded_relief&, const recorded_relief&) = default;
};

/// Memory after a row. Bytes.
struct recorded_reading {
    std::uint64_t used = 0;  ///< all that is not free, rounding of a placement such as buddy included
    std::uint64_t free = 0;
    std::uint64_t largest_free = 0;
    std::uint64_t highest_end = 0;

    friend bool operator==(const recorded_reading&, const recorded_reading&) = default;
};

/// A replay as it happened.
struct history {
    std::uint64_t capacity = 0;              ///< bytes
    std::vector<recorded_block> blocks;      ///< in the order in which they began
    std::vector<recorded_place> places;      ///< in the order in which they began; places of different blocks that are
                                             ///< there after the same row never overlap
    std::vector<recorded_relief> reliefs;    ///< in the order of rows
    std::vector<recorded_reading> readings;  ///< one for each row that succeeded
    std::optional<std::size_t> failed_row;   ///< the row at which the replay stopped
    std::string error;                       ///< the message of the runtime for that row; empty if no row failed

    friend bool operator==(const history&, const history&) = default;
};

}  // namespace hbm::trace
