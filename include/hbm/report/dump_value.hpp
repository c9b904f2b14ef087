#pragma once

/// What is in memory when a request has failed, as values. Offsets and sizes in bytes.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/result.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/donation_audit.hpp>
#include <hbm/report/ledger.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbm {

/// The items of a list that are shown, and how many there are in all.
template <class Item>
struct shown_items {
    std::vector<Item> items;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< of all of them, also of those not shown

    friend bool operator==(const shown_items&, const shown_items&) = default;
};

/// A block that is in memory.
struct dumped_block {
    std::string name = {};  ///< of its tag or program; empty where it has none
    block_kind kind = block_kind::data;
    extent where = {};
    std::uint32_t pins = 0;   ///< references from outside
    std::uint32_t runs = 0;   ///< runs in flight that use it
    fence until = {};         ///< with the last of which it is over; or the fence its free waits for
    bool wall = false;        ///< nothing that this manager may do clears it away now
    bool half_moved = false;  ///< a move of it has stopped in the middle: `where` is both places, and relief
                              ///< finishes it before it does anything else
    std::optional<allocation_age> age = {};  ///< if `allocation_ages` listened

    friend bool operator==(const dumped_block&, const dumped_block&) = default;
};

/// A maximal free run and what it lies between; nothing stands for an end of memory.
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
    std::uint64_t idle = 0;  ///< loads and runs since its latest, as far as the other programs here tell
    std::uint64_t uses = 0;  ///< loads and runs
    std::uint64_t code = 0;
    std::uint64_t scratch = 0;
    std::uint64_t spilled = 0;  ///< scratch that it does without
    std::uint64_t reload_nanoseconds = 0;

    friend bool operator==(const dumped_program&, const dumped_program&) = default;
};

/// A run that is not over.
struct dumped_run {
    std::string name = {};  ///< of its program
    fence over = {};
    std::uint32_t holds = 0;  ///< blocks that it uses
    std::uint64_t nanoseconds = 0;

    friend bool operator==(const dumped_run&, const dumped_run&) = default;
};

/// A donated input that no output took over.
struct dumped_offer {
    std::string name = {};
    refused_offer offer;

    friend bool operator==(const dumped_offer&, const dumped_offer&) = default;
};

/// What became of donated inputs so far: offered = taken + kept + not taken.
struct dumped_donations {
    std::uint64_t offered = 0;
    std::uint64_t taken = 0;
    std::uint64_t kept = 0;                  ///< only read, as their calls asked
    std::uint64_t not_taken = 0;             ///< freed, for want of an output of their size or by policy
    bool audited = false;                    ///< `donation_audit` listened: the latest that were not taken are below
    std::vector<dumped_offer> refused = {};  ///< oldest first

    friend bool operator==(const dumped_donations&, const dumped_donations&) = default;
};

/// Everything at once. `to_text` is for people, `to_json` for machines.
struct allocation_dump {
    std::string message;  ///< the runtime's
    failure why;
    std::string name = {};  ///< of what was asked for
    std::string device;
    std::string manager;
    std::uint64_t quantum = 0;
    memory_ledger ledger;
    std::uint64_t managed = 0;  ///< what the map shows: the capacity less what is reserved at the top
    std::string map;            ///< one hundred cells, see `dump_map.hpp`
    std::uint64_t reserved = 0;
    std::uint64_t reservable = 0;
    bool blocks_move = false;                 ///< whether this manager may move blocks
    bool programs_leave = false;              ///< and evict programs
    shown_items<dumped_block> allocations;    ///< all but the reservation, largest first
    shown_items<dumped_hole> holes;           ///< largest first
    shown_items<dumped_program> programs;     ///< loaded ones first, the least recently used first; bytes are code
    shown_items<dumped_block> walls;          ///< in use, pinned, freed but waiting, or the reservation; largest first
    shown_items<dumped_block> pending_frees;  ///< in the order of the frees
    shown_items<dumped_run> runs;             ///< oldest first; bytes are 0
    dumped_donations donations;

    friend bool operator==(const allocation_dump&, const allocation_dump&) = default;
};

}  // namespace hbm
