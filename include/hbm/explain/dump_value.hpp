#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/result.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/explain/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbm::inline v0 {

namespace map_cell {

inline constexpr char reservation = '=';
inline constexpr char buffer = 'b';
inline constexpr char program = 'p';
inline constexpr char wall = '#';  ///< a buffer or a program that is pinned or in use, or half moved
inline constexpr char freed = 'd';
inline constexpr char hole = '.';
inline constexpr char mixed = '+';

}  // namespace map_cell

/// Draws blocks and holes, given in address order without gaps, into 100 cells.
/// Cell n shows the bytes from n/100 to (n+1)/100 of the memory, at least 1 byte.
class memory_map {
public:
    static constexpr std::size_t width = 100;

    explicit memory_map(std::uint64_t bytes) : bytes_(bytes), cells_(width, ' ') {}

    /// Draws a block or hole at `where` as the character `kind`.
    void draw(char kind, const extent& where) {
        while (at_ < width && begin(at_) < where.end()) {
            char& cell = cells_[at_];
            cell = cell == ' ' || cell == kind ? kind : map_cell::mixed;
            if (end(at_) > where.end()) return;  // the next block shares this cell
            ++at_;
        }
    }

    [[nodiscard]] const std::string& cells() const noexcept { return cells_; }

private:
    [[nodiscard]] std::uint64_t begin(std::size_t cell) const noexcept {
        return bytes_ / width * cell + bytes_ % width * cell / width;
    }
    [[nodiscard]] std::uint64_t end(std::size_t cell) const noexcept {
        const std::uint64_t next = begin(cell + 1);
        return next > begin(cell) ? next : begin(cell) + 1;
    }

    std::uint64_t bytes_;
    std::string cells_;
    std::size_t at_ = 0;  // first cell that may still change
};

/// The first items of a list, and the size of the whole list.
template <class Item>
struct shown_items {
    std::vector<Item> items;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< total of all items, shown or not

    friend bool operator==(const shown_items&, const shown_items&) = default;
};

struct dumped_block {
    std::string name = {};  ///< name of its tag or program, or ""
    block_kind kind = block_kind::data;
    extent where = {};
    std::uint32_t pins = 0;   ///< count of pins
    std::uint32_t runs = 0;   ///< count of runs in flight that use it
    fence until = {};         ///< fence of the last of these runs, or fence that its free waits for
    bool wall = false;        ///< the manager can neither move nor evict it now
    bool half_moved = false;  ///< an interrupted move: `where` spans both places; relief finishes it first
    std::optional<allocation_age> age = {};  ///< empty without the observer `allocation_ages`

    friend bool operator==(const dumped_block&, const dumped_block&) = default;
};

/// A maximal free run and its neighbours; an empty neighbour is an end of memory.
struct dumped_hole {
    extent where = {};
    std::optional<dumped_block> below = {};
    std::optional<dumped_block> above = {};

    friend bool operator==(const dumped_hole&, const dumped_hole&) = default;
};

struct dumped_program {
    std::string name = {};
    bool loaded = false;
    bool running = false;    ///< a run of it is in flight
    std::uint64_t idle = 0;  ///< loads and runs of other present programs since its latest use
    std::uint64_t uses = 0;  ///< loads and runs
    std::uint64_t code = 0;
    std::uint64_t scratch = 0;
    std::uint64_t spilled = 0;  ///< scratch beyond the limit of the spec
    std::uint64_t reload_nanoseconds = 0;

    friend bool operator==(const dumped_program&, const dumped_program&) = default;
};

struct dumped_run {
    std::string name = {};  ///< name of its program, or that it is work of the user's own
    fence over = {};
    std::uint32_t holds = 0;  ///< count of blocks that it uses
    std::uint64_t nanoseconds = 0;

    friend bool operator==(const dumped_run&, const dumped_run&) = default;
};

/// Counts of donated inputs so far: offered = taken + kept + not taken.
struct dumped_donations {
    std::uint64_t offered = 0;
    std::uint64_t taken = 0;
    std::uint64_t kept = 0;       ///< only read: kept by their runs
    std::uint64_t not_taken = 0;  ///< freed: no output had their size, or the policy took none

    friend bool operator==(const dumped_donations&, const dumped_donations&) = default;
};

/// The live buffers of a tag, or the code of all programs.
struct dumped_tag {
    std::string name = {};  ///< empty for buffers without a tag, and for programs
    bool is_programs = false;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< age of the oldest block, in runs or steps
    std::optional<std::uint64_t> micro_bytes_a_step =
        {};  ///< steady growth in millionths of a byte a step; 0: none; empty without `growth_by_tag`, or if unknown
    std::uint64_t since_step = 0;  ///< step at which the growth began

    friend bool operator==(const dumped_tag&, const dumped_tag&) = default;
};

/// The allocation dump: the memory after a failed request; see `to_text`. Offsets and sizes in bytes.
struct allocation_dump {
    std::string message;  ///< message of the runtime
    failure why;
    std::string name = {};  ///< name of the requested buffer or program
    std::string device;
    std::string manager;
    std::uint64_t quantum = 0;
    memory_ledger ledger;
    std::uint64_t managed = 0;  ///< size of the range in the map: the capacity without the reserve at the top
    std::string map;            ///< 100 cells, see `memory_map`
    std::uint64_t reserved = 0;
    std::uint64_t reservable = 0;
    bool blocks_move = false;               ///< the manager may move blocks
    bool programs_leave = false;            ///< the manager may evict programs
    shown_items<dumped_block> allocations;  ///< all except the reservation, largest first
    shown_items<dumped_tag> tags;           ///< growing tags first, then the largest; `count` counts tags
    shown_items<dumped_hole> holes;         ///< largest first
    shown_items<dumped_program> programs;   ///< loaded programs first, the least recently used first; `bytes` is code
    shown_items<dumped_block>
        walls;  ///< blocks in use, pinned or waiting to be freed, and the reservation; largest first
    shown_items<dumped_block> pending_frees;  ///< in the order of the frees
    shown_items<dumped_run> runs;             ///< oldest first; `bytes` is 0
    dumped_donations donations;

    friend bool operator==(const allocation_dump&, const allocation_dump&) = default;
};

}  // namespace hbm::inline v0
