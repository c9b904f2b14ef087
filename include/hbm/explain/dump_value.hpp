#pragma once

/// The allocation dump, which describes memory after a failed request, as values. Offsets and sizes in bytes.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/result.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/donation_audit.hpp>
#include <hbm/explain/ledger.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbm {

/// The first items of a list, and the number of all items.
template <class Item>
struct shown_items {
    std::vector<Item> items;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< of all items, shown or not

    friend bool operator==(const shown_items&, const shown_items&) = default;
};

/// A block in memory.
struct dumped_block {
    std::string name = {};  ///< of its tag or program; empty if it has none
    block_kind kind = block_kind::data;
    extent where = {};
    std::uint32_t pins = 0;   ///< how often it is pinned from outside
    std::uint32_t runs = 0;   ///< how many runs in flight use it
    fence until = {};         ///< the fence of the last of these runs, or the fence its free waits for
    bool wall = false;        ///< this manager can neither move nor evict it now
    bool half_moved = false;  ///< a move of it has stopped in the middle: `where` is both places; relief finishes the
                              ///< move before anything else
    std::optional<allocation_age> age = {};  ///< only if the manager has the observer `allocation_ages`

    friend bool operator==(const dumped_block&, const dumped_block&) = default;
};

/// A maximal free run and its neighbours; a neighbour is empty at an end of memory.
struct dumped_hole {
    extent where = {};
    std::optional<dumped_block> below = {};
    std::optional<dumped_block> above = {};

    friend bool operator==(const dumped_hole&, const dumped_hole&) = default;
};

/// A program, loaded or evicted.
struct dumped_program {
    std::string name = {};
    bool loaded = false;
    bool running = false;    ///< a run of it is in flight
    std::uint64_t idle = 0;  ///< loads and runs of other programs since its latest use, as far as present programs tell
    std::uint64_t uses = 0;  ///< loads and runs
    std::uint64_t code = 0;
    std::uint64_t scratch = 0;
    std::uint64_t spilled = 0;  ///< scratch beyond the limit of the spec
    std::uint64_t reload_nanoseconds = 0;

    friend bool operator==(const dumped_program&, const dumped_program&) = default;
};

/// A run in flight.
struct dumped_run {
    std::string name = {};  ///< of its program
    fence over = {};
    std::uint32_t holds = 0;  ///< how many blocks it uses
    std::uint64_t nanoseconds = 0;

    friend bool operator==(const dumped_run&, const dumped_run&) = default;
};

/// A donated input that no output took over.
struct dumped_offer {
    std::string name = {};
    refused_offer offer;

    friend bool operator==(const dumped_offer&, const dumped_offer&) = default;
};

/// Counts of donated inputs so far: offered = taken + kept + not taken.
struct dumped_donations {
    std::uint64_t offered = 0;
    std::uint64_t taken = 0;
    std::uint64_t kept = 0;                  ///< only read: their runs kept them
    std::uint64_t not_taken = 0;             ///< freed: no output had their size, or the policy took none
    bool audited = false;                    ///< the manager has the observer `donation_audit`, from which `refused` is
    std::vector<dumped_offer> refused = {};  ///< oldest first

    friend bool operator==(const dumped_donations&, const dumped_donations&) = default;
};

/// The live buffers of a tag, or the code of all programs.
struct dumped_tag {
    std::string name = {};     ///< empty: buffers without a tag, or the programs
    bool is_programs = false;  ///< the code of programs
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::optional<std::uint64_t> oldest_steps = {};        ///< the age of the oldest block, in runs or steps
    std::optional<std::uint64_t> micro_bytes_a_step = {};  ///< steady growth in millionths of a byte a step; 0: none;
                                                           ///< only if the manager has the observer `growth_by_tag`
    std::uint64_t since_step = 0;                          ///< since when it grows

    friend bool operator==(const dumped_tag&, const dumped_tag&) = default;
};

/// The allocation dump. `to_text` and `to_json` print it.
struct allocation_dump {
    std::string message;  ///< the message of the runtime
    failure why;
    std::string name = {};  ///< of the buffer or program that was requested
    std::string device;
    std::string manager;
    std::uint64_t quantum = 0;
    memory_ledger ledger;
    std::uint64_t managed = 0;  ///< what the map shows: the capacity less what is reserved at the top
    std::string map;            ///< 100 cells, see `dump_map.hpp`
    std::uint64_t reserved = 0;
    std::uint64_t reservable = 0;
    bool blocks_move = false;                 ///< whether this manager may move blocks
    bool programs_leave = false;              ///< whether this manager may evict programs
    shown_items<dumped_block> allocations;    ///< all but the reservation, largest first
    shown_items<dumped_tag> tags;             ///< those that grow first, then the largest; the count is that of tags
    shown_items<dumped_hole> holes;           ///< largest first
    shown_items<dumped_program> programs;     ///< loaded programs first, the least recently used first; bytes are code
    shown_items<dumped_block> walls;          ///< in use, pinned, freed but waiting, or the reservation; largest first
    shown_items<dumped_block> pending_frees;  ///< in the order of the frees
    shown_items<dumped_run> runs;             ///< oldest first; bytes are 0
    dumped_donations donations;

    friend bool operator==(const allocation_dump&, const allocation_dump&) = default;
};

}  // namespace hbm
