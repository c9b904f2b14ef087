#pragma once

/// A memory of a few quanta as plain numbers, read through what a manager shows, and the rules for one such picture.

#include <hbm/state/memory_view.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm::test {

/// A block, in quanta of one byte.
struct piece {
    block_kind kind = block_kind::hole;
    std::uint32_t offset = 0, size = 0, granted = 0, alignment = 1, pins = 0, holds = 0;
    std::uint32_t owner = 0;                  ///< the slot of a program, of its code or scratch
    std::uint32_t index = 0, generation = 0;  ///< its identity
    std::uint64_t until = 0;                  ///< the fence that a deferred free waits for

    [[nodiscard]] std::uint32_t mask() const { return ((1u << size) - 1) << offset; }
    [[nodiscard]] bool is_of_program() const { return kind == block_kind::code || kind == block_kind::scratch; }
};

/// A slot for a program.
struct slot_picture {
    bool known = false, resident = false, unloaded = false;
    std::uint32_t code = 0, scratch = 0;
    std::uint64_t last_use = 0;
    program handle = {};
};

struct picture {
    piece blocks[16];  // in address order, holes left out
    slot_picture slots[2];
    std::uint32_t count = 0, capacity = 0, reserved = 0, largest = 0, holes = 0;
    std::uint64_t issued = 0, reached = 0;
    pending_move moving = {};
    const char* broken = nullptr;  // the first rule that this memory breaks

    [[nodiscard]] const piece* begin() const { return blocks; }
    [[nodiscard]] const piece* end() const { return blocks + count; }
    [[nodiscard]] std::uint32_t taken() const {
        std::uint32_t mask = 0;
        for (const piece& block : *this) mask |= block.mask();
        return mask;
    }
    [[nodiscard]] const piece* find(std::uint32_t index, std::uint32_t generation) const {
        for (const piece& block : *this)
            if (block.index == index && block.generation == generation) return &block;
        return nullptr;
    }
    /// A letter for each quantum: R reservation, C code, S scratch, D deferred, A target of a move, and one for each
    /// buffer.
    [[nodiscard]] std::string shown() const {
        std::string text(capacity, '.');
        for (const piece& block : *this)
            for (std::uint32_t at = block.offset; at < block.offset + block.size; ++at)
                text[at] = block.kind == block_kind::data ? static_cast<char>('a' + (&block - blocks))
                                                          : ".-CSRDA"[static_cast<std::size_t>(block.kind)];
        return text;
    }
    [[nodiscard]] std::uint32_t number_of(block_kind kind) const {
        std::uint32_t number = 0;
        for (const piece& block : *this) number += block.kind == kind;
        return number;
    }
};

/// Checks the programs of a memory, what they reserve, and what runs in flight hold.
template <class Memory>
const char* broken_state(const Memory& memory, const picture& now) {
    constexpr bool shares = reserves<typename Memory::placement_type>;
    std::uint32_t level = 0, blocks = 0;
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        const slot_picture& program = now.slots[slot];
        if (!program.resident) continue;
        const auto has = [&](block_kind kind, std::uint32_t size) {
            ++blocks;
            return std::any_of(now.begin(), now.end(), [&](const piece& block) {
                return block.kind == kind && block.owner == slot && block.granted == size;
            });
        };
        if (!has(block_kind::code, program.code)) return "a program in memory has no code";
        if (shares)
            level = std::max(level, program.scratch);
        else if (program.scratch != 0 && !has(block_kind::scratch, program.scratch))
            return "a program in memory has no scratch";
    }
    if (now.number_of(block_kind::code) + now.number_of(block_kind::scratch) != blocks)
        return "there is code or scratch of a program that is not in memory";
    if (now.reserved != level) return "the reservation is not what the programs in memory need";
    const auto& state = memory.state();
    for (const piece& block : now) {
        if (std::count(state.held.begin(), state.held.end(), block.index) != block.holds)
            return "a block is held by another number of runs than use it";
        const bool waits = std::any_of(state.deferred.begin(), state.deferred.end(),
                                       [&](const deferred_free& each) { return each.block == block.index; });
        if (waits != (block.kind == block_kind::deferred)) return "deferred blocks and deferred frees differ";
    }
    return memory.flights().empty() != (now.issued == now.reached) ? "runs that are not over do not fly" : nullptr;
}

/// Reads a memory and checks what holds in every state: blocks and holes cover it once, and all sums are right.
template <class Memory>
picture picture_of(const Memory& memory) {
    using placement = typename Memory::placement_type;
    picture now;
    const auto& map = memory.state().blocks.map();
    now.capacity = static_cast<std::uint32_t>(memory.capacity_bytes());
    now.issued = memory.issued().number;
    now.reached = memory.reached().number;
    now.moving = memory.moving();
    std::uint64_t end = 0, free = 0, live = 0, run = 0;
    block_index at = map.first();
    for (const block_view& view : memory.blocks_and_holes()) {
        if (view.where.offset != end || view.where.size == 0) now.broken = "blocks overlap, or bytes are lost";
        end = view.where.end();
        if (view.kind == block_kind::hole) {
            if (run != 0 && placement::merges_neighbours) now.broken = "two holes touch";
            if (run == 0) ++now.holes;
            run += view.where.size, free += view.where.size;
            now.largest = std::max(now.largest, static_cast<std::uint32_t>(run));
        } else {
            run = 0, live += view.granted;
            piece& block = now.blocks[now.count++];
            block = {.kind = view.kind,
                     .offset = static_cast<std::uint32_t>(view.where.offset),
                     .size = static_cast<std::uint32_t>(view.where.size),
                     .granted = static_cast<std::uint32_t>(view.granted),
                     .alignment = map.alignment(at),
                     .pins = view.pins,
                     .holds = view.holds,
                     .owner = view.kind == block_kind::code || view.kind == block_kind::scratch ? view.owner : 0,
                     .index = at,
                     .generation = map.generation(at)};
            const bool may_be_longer = gives_more<placement> || !placement::merges_neighbours || block.holds != 0 ||
                                       now.moving.block == at || block.kind == block_kind::deferred;
            if (block.size < block.granted || (!may_be_longer && block.size != block.granted))
                now.broken = "a block has another size than it was granted";
            if (now.moving.block != at && block.offset % block.alignment != 0) now.broken = "a block is not aligned";
            if (block.kind == block_kind::reservation) now.reserved = block.size;
            if (block.kind == block_kind::reservation && block.offset != 0) now.broken = "scratch is not at the bottom";
        }
        at = map.next(at);
    }
    for (const deferred_free& waiting : memory.view().deferred())
        for (piece& block : now.blocks)
            if (block.index == waiting.block) block.until = waiting.until.number;
    for (std::uint32_t slot = 0; slot < memory.programs().size(); ++slot) {
        const program_record& record = memory.programs()[slot];
        if (record.generation % 2 == 0) continue;
        now.slots[slot] = {true,
                           record.resident,
                           record.unloaded,
                           static_cast<std::uint32_t>(record.code),
                           static_cast<std::uint32_t>(record.scratch),
                           record.last_use,
                           memory.handle_of(slot)};
    }
    if (end != now.capacity) now.broken = "blocks and holes do not end at the top";
    if (memory.free_bytes() != free) now.broken = "free_bytes is not the sum of the holes";
    if (memory.live_bytes() != live) now.broken = "live_bytes is not the sum of what was granted";
    if (memory.largest_free_bytes() != now.largest) now.broken = "largest_free_bytes is not the longest free run";
    if (now.broken == nullptr) now.broken = broken_state(memory, now);
    return now;
}

/// A text that is equal for states which behave alike from here on: everything but generations, numbers of nodes,
/// names, sums of what was done, the peak, and the numbers of fences and ticks, of which only the order counts. The
/// order of lists of holes shows in where blocks go that fill holes of equal sizes.
template <class Memory>
std::string canonical_form(const Memory& memory, const picture& now) {
    const auto& state = memory.state();
    std::string key;
    const auto add = [&](std::uint64_t number) { key += static_cast<char>(number); };
    const auto add_block = [&](block_index index) {
        for (const piece& block : now)
            if (block.index == index) add(block.offset);
    };
    std::uint32_t sizes = 0;
    bool equal_holes = false;
    for (const piece& block : now) {
        for (const std::uint32_t number : {static_cast<std::uint32_t>(block.kind), block.offset, block.size,
                                           block.granted, block.alignment, block.pins, block.holds, block.owner})
            add(number);
        add(block.until > now.reached ? block.until - now.reached : 0);
    }
    for (const slot_picture& slot : now.slots) {
        add(slot.known + 2u * slot.resident + 4u * slot.unloaded + 8u * (slot.last_use > now.slots[0].last_use));
        add(slot.code), add(slot.scratch);
    }
    add(now.issued - now.reached);
    for (const flight& run : state.flights) add(run.slot), add(run.holds);
    for (const block_index block : state.held) add_block(block);
    for (const deferred_free& waiting : state.deferred) add_block(waiting.block);
    add(now.moving ? 1 : 0);
    if (now.moving)
        add_block(now.moving.block), add(now.moving.from), add(now.moving.to), add(now.moving.moved),
            add(now.moving.bounced);
    const auto& map = state.blocks.map();
    add(map.size(map.far_hole));
    for (block_index at = map.first(); at != no_block; at = map.next(at)) {
        if (!map.is_hole(at)) continue;
        equal_holes |= (sizes >> map.size(at) & 1) != 0;
        sizes |= 1u << map.size(at);
    }
    if (!equal_holes) return key;
    auto trial = state.blocks;
    for (std::uint32_t size = 1; size <= now.capacity; ++size) {
        if ((sizes >> size & 1) == 0) continue;
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            if (!map.is_hole(at) || map.size(at) != size) continue;
            const block_index block = trial.place({.length = size});
            add(block == no_block ? 255 : trial.map().offset(block));
        }
    }
    return key;
}

}  // namespace hbm::test
