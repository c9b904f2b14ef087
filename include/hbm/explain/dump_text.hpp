#pragma once

/// The allocation dump: what was in memory when a request failed, as a value and as text. Sizes and offsets in bytes.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/result.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/explain/error_table.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/ledger.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

namespace detail {

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
        // Blocks come in address order, so the pen only moves up. A block ends in the middle of a cell mostly: the cell
        // stays current, and the next block either has the same kind or makes it mixed. A memory of fewer than 100
        // bytes has cells without bytes of their own; each shows at least the byte where it begins.
        while (at_ < width && begin(at_) < where.end()) {
            char& cell = cells_[at_];
            cell = cell == ' ' || cell == kind ? kind : map_cell::mixed;
            if (std::max(begin(at_ + 1), begin(at_) + 1) > where.end()) return;  // the next block shares this cell
            ++at_;
        }
    }

    [[nodiscard]] const std::string& cells() const noexcept { return cells_; }

private:
    // In two parts, for `bytes_ * cell` may be beyond 64 bits.
    [[nodiscard]] std::uint64_t begin(std::size_t cell) const noexcept {
        return bytes_ / width * cell + bytes_ % width * cell / width;
    }

    std::uint64_t bytes_;
    std::string cells_;
    std::size_t at_ = 0;  // first cell that may still change
};

}  // namespace detail

/// The first items of a list, and the size of the whole list.
template <class Item>
struct shown_items {
    std::vector<Item> items;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< total of all items, shown or not
};

struct dumped_block {
    std::string name = {};  ///< name of its tag or program, or ""
    block_kind kind = block_kind::data;
    extent where = {};
    std::uint32_t pins = 0;
    std::uint32_t runs = 0;   ///< runs in flight that use it
    fence until = {};         ///< fence of the last of these runs, or fence that its free waits for
    bool wall = false;        ///< the manager can neither move nor evict it now
    bool half_moved = false;  ///< an interrupted move: `where` spans both places; relief finishes it first
    std::optional<allocation_age> age = {};  ///< empty without the observer `allocation_ages`
};

/// A maximal free run and its neighbours; an empty neighbour is an end of memory.
struct dumped_hole {
    extent where = {};
    std::optional<dumped_block> below = {};
    std::optional<dumped_block> above = {};
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
};

struct dumped_run {
    std::string name = {};  ///< name of its program, or that it is work of the user's own
    fence over = {};
    std::uint32_t holds = 0;  ///< blocks that it uses
    std::uint64_t nanoseconds = 0;
};

/// Donated inputs so far: offered = taken + kept + not taken.
struct dumped_donations {
    std::uint64_t offered = 0;
    std::uint64_t taken = 0;
    std::uint64_t kept = 0;       ///< only read: kept by their runs
    std::uint64_t not_taken = 0;  ///< freed: no output had their size, or the policy took none
};

/// The live buffers of a tag, or the code of all programs.
struct dumped_tag {
    std::string name = {};  ///< empty for buffers without a tag, and for programs
    bool is_programs = false;
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< age of the oldest block, in runs or steps
    /// Steady growth in millionths of a byte a step; 0: none; empty without `growth_by_tag`, or if unknown.
    std::optional<std::uint64_t> micro_bytes_a_step = {};
    std::uint64_t since_step = 0;  ///< step at which the growth began
};

struct allocation_dump {
    std::string message = {};  ///< message of the runtime
    failure why = {};
    std::string name = {};  ///< name of the requested buffer or program
    std::string device = {};
    std::string manager = {};
    std::uint64_t quantum = 0;
    memory_ledger ledger = {};
    std::uint64_t managed = 0;  ///< size of the range in the map: the capacity without the reserve at the top
    std::string map = {};       ///< 100 cells
    std::uint64_t reserved = 0;
    std::uint64_t reservable = 0;
    bool blocks_move = false;                    ///< the manager may move blocks
    bool programs_leave = false;                 ///< the manager may evict programs
    shown_items<dumped_block> allocations = {};  ///< all except the reservation, largest first
    shown_items<dumped_tag> tags = {};           ///< growing tags first, then the largest; `count` counts tags
    shown_items<dumped_hole> holes = {};         ///< largest first
    shown_items<dumped_program> programs = {};   ///< loaded ones first, the least recently used first; `bytes` is code
    shown_items<dumped_block> walls = {};  ///< in use, pinned or waiting to be freed, the reservation; largest first
    shown_items<dumped_block> pending_frees = {};  ///< in the order of the frees
    shown_items<dumped_run> runs = {};             ///< oldest first; `bytes` is 0
    dumped_donations donations = {};
};

/// Returns the first `most` tags: growing tags first, the fastest first, then by bytes, then by name.
[[nodiscard]] inline shown_items<dumped_tag> shown_tags(std::vector<dumped_tag> tags, std::size_t most) {
    shown_items<dumped_tag> list;
    list.count = tags.size();
    for (const dumped_tag& entry : tags) list.bytes += entry.bytes;
    std::sort(tags.begin(), tags.end(), [](const dumped_tag& a, const dumped_tag& b) {
        // Growth comes before size: the tag that leaks is seldom the largest one when the memory is full, and it is the
        // one to look at. Names break ties, so that equal memories have equal dumps.
        const std::uint64_t rates[] = {a.micro_bytes_a_step.value_or(0), b.micro_bytes_a_step.value_or(0)};
        if (rates[0] != rates[1]) return rates[0] > rates[1];
        if (a.bytes != b.bytes) return a.bytes > b.bytes;
        return std::pair{!a.is_programs, a.name} < std::pair{!b.is_programs, b.name};
    });
    tags.resize(std::min(tags.size(), most));
    list.items = std::move(tags);
    return list;
}

/// Returns `buffer`, `code`, `scratch`, `reservation`, `hole`, or `freed buffer` if the free is not in effect yet.
[[nodiscard]] constexpr std::string_view kind_in_words(block_kind kind) noexcept {
    switch (kind) {
    case block_kind::hole: return "hole";
    case block_kind::data: return "buffer";
    case block_kind::code: return "code";
    case block_kind::scratch: return "scratch";
    case block_kind::reservation: return "reservation";
    case block_kind::deferred: return "freed buffer";
    }
    return "block";
}

namespace detail {

// The text of a dump is made of lists: a heading, and a line for each item. Sizes and offsets stand in columns, so they
// are filled with spaces before they are put in.

/// Returns a block as text: `buffer 'x'`, `code 'step'`, `reservation`.
[[nodiscard]] inline std::string block_in_words(block_kind kind, const std::string& name) {
    const std::string noun(kind_in_words(kind));
    if (kind == block_kind::reservation) return noun;
    return name.empty() ? noun + " without a name" : noun + " '" + name + "'";
}

/// Returns the reasons why a block can be neither moved nor evicted, a comma before each; "" if there are none.
[[nodiscard]] inline std::string wall_in_words(const dumped_block& block) {
    // A block may have several reasons at once, and each has to go before it can move; so all are listed. That of the
    // policy comes only if there is no other.
    std::string text;
    if (block.pins == 1) text += ", pinned once";
    if (block.pins > 1) text += ", pinned " + counted(block.pins, "time");
    if (block.runs != 0)
        text += filled(", used by {runs} in flight until fence {fence}",
                       {{"runs", counted(block.runs, "run")}, {"fence", block.until.number}});
    if (block.half_moved) text += ", half moved";
    if (block.kind == block_kind::deferred) text += ", freed but waiting";
    if (block.kind == block_kind::reservation) text += ", holds the scratch of programs";
    if (block.wall && text.empty()) text += ", may not be moved";
    return text;
}

/// Returns a line of a list of blocks: size and offset in columns, the block, and what is said of it.
[[nodiscard]] inline std::string block_line(const extent& where, const std::string& block, const std::string& notes) {
    return filled("{size} at {offset}  {block}{notes}\n", {{"size", right_aligned(size_in_words(where.size), 9)},
                                                           {"offset", right_aligned(grouped_digits(where.offset), 16)},
                                                           {"block", block},
                                                           {"notes", notes}});
}

/// Returns a heading: `Largest holes (10 of 34, 1.22G in all):`.
template <class Item>
[[nodiscard]] std::string heading(const std::string& name, const shown_items<Item>& list, bool with_bytes = true) {
    if (list.count == 0) return "\n" + name + " (none)\n";
    std::string count = grouped_digits(list.count);
    if (list.items.size() != list.count) count = std::to_string(list.items.size()) + " of " + count;
    if (with_bytes) count += ", " + size_in_words(list.bytes) + " in all";
    return "\n" + name + " (" + count + "):\n";
}

[[nodiscard]] inline std::string head_in_words(const allocation_dump& dumped) {
    const std::string code = runtime_code(dumped.why.reason);
    return filled("{message}\n{code}device {device}, manager {manager}, quantum {quantum}\n\n",
                  {{"message", dumped.message},
                   {"code", code.empty() ? code : code + " on "},
                   {"device", dumped.device},
                   {"manager", dumped.manager},
                   {"quantum", size_in_words(dumped.quantum)}});
}

[[nodiscard]] inline std::string map_in_words(const allocation_dump& dumped) {
    return filled(
        "\nMemory from 0 to {size}, {cell} a character:\n{map}\n"
        "= reservation, b buffer, p program, # pinned or in use, d freed but waiting, . free, + several of these\n"
        "Reserved at the bottom: {reserved}, reservable: {reservable}\n",
        {{"size", size_in_words(dumped.managed)},
         {"cell", size_in_words(dumped.managed / memory_map::width)},
         {"map", dumped.map},
         {"reserved", size_in_words(dumped.reserved)},
         {"reservable", size_in_words(dumped.reservable)}});
}

[[nodiscard]] inline std::string allocations_in_words(const allocation_dump& dumped) {
    std::string text = heading("Largest allocations", dumped.allocations);
    for (const dumped_block& block : dumped.allocations.items) {
        std::string age;
        if (block.age && block.age->runs != 0) age += ", " + counted(block.age->runs, "run") + " and ";
        if (block.age) age += (age.empty() ? ", " : "") + counted(block.age->events, "event") + " old";
        text += block_line(block.where, block_in_words(block.kind, block.name), age);
    }
    return text;
}

[[nodiscard]] inline std::string tags_in_words(const allocation_dump& dumped) {
    std::string text = heading("By tag", dumped.tags);
    for (const dumped_tag& entry : dumped.tags.items) {
        std::string name = "tag '" + entry.name + "'";
        if (entry.name.empty()) name = entry.is_programs ? "code of programs" : "buffers without a tag";
        text += right_aligned(size_in_words(entry.bytes), 9) + " in " +
                right_aligned(counted(entry.blocks, "block"), 16) + "  " + name;
        const std::uint64_t steps = entry.oldest_steps.value_or(0);
        if (steps != 0) text += ", the oldest " + counted(steps, "step") + " old";
        const std::string start = entry.since_step == 0 ? "the start" : "step " + grouped_digits(entry.since_step);
        if (const std::uint64_t rate = entry.micro_bytes_a_step.value_or(0); rate != 0)
            text += ", grows by " + rate_in_words(rate) + " a step since " + start;
        text += "\n";
    }
    return text;
}

[[nodiscard]] inline std::string neighbour_in_words(const std::optional<dumped_block>& block, const char* end) {
    if (!block) return end;
    const std::string text = block_in_words(block->kind, block->name) + " of " + size_in_words(block->where.size);
    return block->wall ? text + " (a wall: " + wall_in_words(*block).substr(2) + ")" : text;
}
[[nodiscard]] inline std::string holes_in_words(const allocation_dump& dumped) {
    std::string text = heading("Largest holes", dumped.holes);
    for (const dumped_hole& hole : dumped.holes.items)
        text += block_line(hole.where, "between " + neighbour_in_words(hole.below, "the bottom of memory"),
                           " and " + neighbour_in_words(hole.above, "the top of memory"));
    return text;
}

[[nodiscard]] inline std::string programs_in_words(const allocation_dump& dumped) {
    // If all programs are evicted, the bytes in the heading are of no memory at all, so the heading says what they
    // would take. The judgement needs all programs: a list that is cut off may hide a loaded one.
    if (dumped.programs.count == 0) return {};
    std::string lines;
    bool all_are_evicted = dumped.programs.items.size() == dumped.programs.count;
    for (const dumped_program& program : dumped.programs.items) {
        all_are_evicted = all_are_evicted && !program.loaded;
        std::string scratch = size_in_words(program.scratch);
        if (program.spilled != 0) scratch += " and " + size_in_words(program.spilled) + " spilled";
        std::string use = "never run";
        if (program.uses != 0) use = counted(program.uses, "use") + ", the ";
        if (program.uses != 0 && program.idle == 0) use += "latest of all";
        if (program.uses != 0 && program.idle != 0) use += "last " + counted(program.idle, "call") + " ago";
        lines += filled("  {state}  '{name}', code {code}, scratch {scratch}, {use}, reloads in {time}\n",
                        {{"state", program.running  ? "running"
                                   : program.loaded ? "loaded "
                                                    : "evicted"},
                         {"name", program.name},
                         {"code", size_in_words(program.code)},
                         {"scratch", scratch},
                         {"use", use},
                         {"time", time_in_words(program.reload_nanoseconds)}});
    }
    if (!all_are_evicted) return heading("Programs", dumped.programs) + lines;
    return filled("\nPrograms ({count}, all evicted; their code would take {bytes}):\n",
                  {{"count", grouped_digits(dumped.programs.count)}, {"bytes", size_in_words(dumped.programs.bytes)}}) +
           lines;
}

[[nodiscard]] inline std::string walls_in_words(const allocation_dump& dumped) {
    std::string text = heading("Pinned, in use or reserved", dumped.walls);
    for (const dumped_block& wall : dumped.walls.items)
        text += block_line(wall.where, block_in_words(wall.kind, wall.name), wall_in_words(wall));
    if (!dumped.blocks_move) text += "  Nothing moves under this manager: every buffer is a wall.\n";
    if (!dumped.programs_leave) text += "  No program is evicted under this manager.\n";
    return text;
}

[[nodiscard]] inline std::string frees_in_words(const allocation_dump& dumped) {
    if (dumped.pending_frees.count == 0) return {};
    std::string text = heading("Frees that wait", dumped.pending_frees);
    for (const dumped_block& block : dumped.pending_frees.items)
        text += block_line(block.where, block_in_words(block.kind, block.name),
                           block.until.number == 0 ? " waits for the next time frees take effect"
                                                   : " waits for fence " + std::to_string(block.until.number));
    return text;
}

[[nodiscard]] inline std::string runs_in_words(const allocation_dump& dumped) {
    if (dumped.runs.count == 0) return {};
    std::string text = heading("Runs in flight", dumped.runs, false);
    for (const dumped_run& run : dumped.runs.items)
        text += filled("  fence {fence}: '{name}', uses {blocks}, takes {time}\n",
                       {{"fence", run.over.number},
                        {"name", run.name},
                        {"blocks", counted(run.holds, "block")},
                        {"time", time_in_words(run.nanoseconds)}});
    return text;
}

[[nodiscard]] inline std::string donations_in_words(const dumped_donations& donations) {
    if (donations.offered == 0) return {};
    return filled("\nDonated inputs so far: {offered} offered, {taken} taken over, {kept} kept by their calls, {left} "
                  "not taken, for want of an output of their size or by policy\n",
                  {{"offered", grouped_digits(donations.offered)},
                   {"taken", grouped_digits(donations.taken)},
                   {"kept", grouped_digits(donations.kept)},
                   {"left", grouped_digits(donations.not_taken)}});
}

}  // namespace detail

/// Returns the dump as text: message, ledger, map in a line of 100 characters, the lists that are not empty.
[[nodiscard]] inline std::string to_text(const allocation_dump& dumped) {
    using namespace detail;
    return head_in_words(dumped) + to_text(dumped.ledger) + map_in_words(dumped) + allocations_in_words(dumped) +
           tags_in_words(dumped) + holes_in_words(dumped) + programs_in_words(dumped) + walls_in_words(dumped) +
           frees_in_words(dumped) + runs_in_words(dumped) + donations_in_words(dumped.donations);
}

}  // namespace hbm::inline v0
