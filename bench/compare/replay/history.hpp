#pragma once
// Recording of a replay: the blocks, their places, and the actions of relief. Pictures and files for viewers use it.

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Value of `recorded_block::subject` for a reservation, which belongs to no row.
inline constexpr id no_subject = ~id{0};

/// Block from its beginning to its end. Row `n` is the time after row `n` was applied; rows count from 0.
struct recorded_block {
    id subject = no_subject;  ///< buffer or program
    std::uint32_t tag = 0;    ///< index into `workload::tags`, of the row that began it
    block_kind kind = block_kind::data;
    std::uint64_t granted = 0;  ///< bytes at the beginning, rounded up to the quantum
    std::size_t begin = 0;      ///< row that began it
    std::size_t end = 0;        ///< row after which it was gone; the number of replayed rows if it was there at the end

    friend bool operator==(const recorded_block&, const recorded_block&) = default;
};

/// Block in a place. A block that was moved, and a reservation that grew, has several.
struct recorded_place {
    std::uint32_t block = 0;  ///< index into `history::blocks`
    extent where;             ///< range in bytes
    std::size_t begin = 0;    ///< row after which it was in this place
    std::size_t end = 0;      ///< row after which it was no longer in this place

    friend bool operator==(const recorded_place&, const recorded_place&) = default;
};

/// Action of relief on a block.
enum class relief_kind : std::uint8_t { moved, evicted, reloaded };

/// Block that was moved, evicted or reloaded.
struct recorded_relief {
    relief_kind kind = relief_kind::moved;
    std::size_t row = 0;
    std::uint32_t block = 0;  ///< index into `history::blocks`; for a reload the block that came back

    friend bool operator==(const recorded_relief&, const recorded_relief&) = default;
};

/// Memory after a row, in bytes.
struct recorded_reading {
    std::uint64_t used = 0;  ///< bytes that are not free, including rounding of a placement such as buddy
    std::uint64_t free = 0;
    std::uint64_t largest_free = 0;
    std::uint64_t highest_end = 0;

    friend bool operator==(const recorded_reading&, const recorded_reading&) = default;
};

/// Recording of a replay.
struct history {
    std::uint64_t capacity = 0;            ///< bytes
    std::vector<recorded_block> blocks;    ///< blocks in the order of their beginnings
    std::vector<recorded_place> places;    ///< places in the order of their beginnings, without overlaps after any row
    std::vector<recorded_relief> reliefs;  ///< actions of relief in the order of rows
    std::vector<recorded_reading> readings;  ///< readings of the rows that succeeded
    std::optional<std::size_t> failed_row;   ///< row at which the replay stopped
    std::string error;                       ///< message of the runtime for that row; empty if no row failed

    friend bool operator==(const history&, const history&) = default;
};

/// Replays all rows of `trace`, or as many as succeed, and records each. Requires: `memory` is new and has quanta of
/// `quantum` bytes.
/// Cost: O(1) for an allocation or free without relief, O(blocks) for other rows; in addition the manager's.
[[nodiscard]] history record_history(const workload& trace, replayed_memory& memory, std::uint64_t quantum);

}  // namespace hbm::trace
