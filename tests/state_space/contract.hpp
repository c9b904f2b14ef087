#pragma once

/// The changes that a call may make, and the check that it made no others, in plain numbers.

#include <hbm/compact.hpp>

#include <vector>

#include "state_space/picture.hpp"

namespace hbm::test {

/// The effect of a call on its program.
enum class program_fate : std::uint8_t { stays, begins, comes, leaves, ends };

struct contract {
    std::string text = {};           ///< the call
    error fails_with = error::none;  ///< whatever room there is
    bool needs_room = false;         ///< it waits, moves and evicts if it does not fit as it is
    std::vector<need<std::uint32_t>> needs = {};
    std::vector<const piece*> used = {};  ///< walls for the call, unless arguments may move
    bool arguments_may_move = false;
    std::uint32_t slot = no_index, code = 0, scratch = 0;  ///< of the program that it is for
    program_fate fate = program_fate::stays;
    const piece* ended = nullptr;  ///< a buffer
    bool taken_over = false;       ///< by an output
    bool ends_later = false;       ///< at the latest fence, if that is not reached
    const piece* pinned = nullptr;
    std::uint32_t pins = 0;                    ///< of `pinned`, afterwards
    std::uint32_t granted = 0, alignment = 1;  ///< of the buffer that it returns
    bool runs = false, waits = false, moves = false, retires = false;
    bool failed = false;  ///< a copy failed: the call changed nothing except by relief, or by moves that go on

    /// Returns true if the call holds a block in its place.
    [[nodiscard]] bool is_wall(const piece& block) const {
        return !arguments_may_move && std::find(used.begin(), used.end(), &block) != used.end();
    }
    /// True for a call whose parts are placed in order: frees that are due take effect before another order is tried.
    [[nodiscard]] bool has_parts() const { return needs_room && needs.size() + (scratch != 0) > 1; }
    /// Returns true if the call moves blocks, or finishes the pending move.
    [[nodiscard]] bool may_copy() const { return needs_room || moves || (pinned != nullptr && pins > pinned->pins); }
    /// Returns the changes that the call may make if a copy fails.
    [[nodiscard]] contract after_failure() const {
        contract rest = *this;
        rest.failed = true;
        rest.fate = program_fate::stays;
        rest.ended = nullptr;
        rest.pins = pinned == nullptr ? 0 : pinned->pins;
        rest.granted = 0;
        rest.runs = rest.waits = rest.taken_over = false;
        return rest;
    }
};

struct outcome {
    error reason = error::none;
    buffer fresh = {};
    bool donated = false, reloaded = false;
    compaction work = {};
    bool copy_failed = false;
};

/// Returns true if all needs fit in any order, and the scratch, although nothing gives way.
inline bool fits_now(const picture& now, const contract& due, std::uint32_t taken = 0, std::size_t first = 0) {
    if (first == 0) {
        const std::uint32_t level = std::max(now.reserved, due.scratch);
        for (const piece& block : now)
            if (block.kind != block_kind::reservation) taken |= block.mask();
        const std::uint32_t bottom = (1u << level) - 1;
        if (level > now.capacity || (taken & bottom) != 0) return false;
        taken |= bottom;
    }
    if (first == due.needs.size()) return true;
    const need<std::uint32_t>& wish = due.needs[first];
    for (std::uint32_t at = 0; at + wish.length <= now.capacity; at += wish.alignment) {
        const std::uint32_t mask = ((1u << wish.length) - 1) << at;
        if ((taken & mask) == 0 && (first + 1 == due.needs.size() || fits_now(now, due, taken | mask, first + 1)))
            return true;
    }
    return false;
}

/// Checks the buffer that a call ends: it is gone, its output's, or a deferred free until its last user is done.
inline const char* broken_end(const picture& was, const contract& due, const picture& now, bool relieves, bool waited) {
    const piece& block = *due.ended;
    if (now.find(block.index, block.generation) != nullptr) return "the handle of a buffer that ended is still good";
    const bool waits =
        block.pins != 0 || (block.holds != 0 && !waited) || due.runs || (due.ends_later && now.issued > now.reached);
    const piece* left =
        std::find_if(now.begin(), now.end(), [&](const piece& each) { return each.index == block.index; });
    if (!due.taken_over && !waits) return left == now.end() ? nullptr : "a freed buffer is still there";
    const bool arrives = due.runs && was.moving.block == block.index;  // a run finishes moving what it uses
    if (left == now.end() || left->kind != (due.taken_over ? block_kind::data : block_kind::deferred))
        return "a buffer in use ended too early";
    const bool is_cut = relieves && waited && left->size == block.granted;  // by the wait, before the run uses it
    const bool may_move = due.arguments_may_move && relieves && block.pins == 0 && (block.holds == 0 || waited);
    return (may_move || left->offset == (arrives ? was.moving.to : block.offset)) &&
                   (is_cut || left->size == (arrives ? was.moving.bytes : block.size)) &&
                   left->granted == (due.taken_over ? due.granted : block.granted)
               ? nullptr
               : "a buffer in use changed";
}

/// Checks a block that the call does not end: it stays as it is, moves or leaves only where that may be.
inline const char* broken_stay(const picture& was, const contract& due, const picture& now, const piece& block,
                               bool relieves, bool waited) {
    const piece* later = now.find(block.index, block.generation);
    const bool in_use = block.holds != 0 && !waited;
    if (later == nullptr) {
        const bool goes = due.fate == program_fate::leaves || due.fate == program_fate::ends;
        const bool due_free = block.kind == block_kind::deferred && block.until <= now.reached && !in_use &&
                              (relieves || waited || due.retires || goes || due.has_parts());
        const bool evicted = block.is_of_program() && (goes ? !in_use && block.owner == due.slot
                                                            : !in_use && relieves && block.owner != due.slot);
        return due_free || evicted ? nullptr : "a block is gone";
    }
    if (later->kind != block.kind || later->granted != block.granted || later->alignment != block.alignment ||
        later->owner != block.owner || later->pins != (due.pinned == &block ? due.pins : block.pins))
        return "a block that the call is not about changed";
    if (later->offset == block.offset && later->size == block.size) return nullptr;
    if (was.moving.block == block.index || now.moving.block == block.index)
        return relieves || due.runs || due.failed || due.moves || due.pinned != nullptr ? nullptr
                                                                                        : "the pending move went on";
    if (later->size != block.size && (!waited || later->size != block.granted)) return "a block has another size";
    const bool may_move = (relieves || due.moves) && block.pins == 0 && !in_use && !due.is_wall(block) &&
                          block.kind != block_kind::deferred;
    return later->offset == block.offset || may_move ? nullptr : "a wall moved, or a block without need";
}

/// Checks programs and fences.
inline const char* broken_records(const picture& was, const contract& due, const outcome& result, const picture& now,
                                  bool relieves) {
    if (now.issued != was.issued + due.runs) return "a fence was issued without a run, or none by a run";
    if (now.reached < was.reached || now.issued > now.reached + 1) return "a wrong fence is reached";
    if (now.reached != was.reached && !relieves && !due.waits) return "a call waited that need not wait";
    for (const piece& block : now)
        if (due.retires && block.kind == block_kind::deferred) return "a free was forgotten";
    if (due.retires && now.reached != now.issued) return "a fence was forgotten";
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        const slot_picture& before = was.slots[slot];
        const slot_picture& after = now.slots[slot];
        const program_fate fate = slot == due.slot ? due.fate : program_fate::stays;
        const bool begins = fate == program_fate::begins, ends = fate == program_fate::ends;
        if (after.known != ((before.known || begins) && !ends)) return "a program appeared or vanished";
        if (after.known && !begins && !(before.handle == after.handle)) return "a program's handle changed";
        const bool comes = begins || fate == program_fate::comes;
        if (comes ? !after.resident : after.resident && !before.resident)
            return "a program is in memory, or not, wrongly";
    }
    if (!due.runs) return nullptr;
    const slot_picture& ran = was.slots[due.slot];
    if (result.donated != due.taken_over) return "the donation policy would have decided otherwise";
    return result.reloaded == (!ran.resident && !ran.unloaded) ? nullptr : "a reload was not reported, or none was";
}

/// Checks what the run in flight holds: all that it uses and its code, and nothing else.
inline const char* broken_holds(const picture& was, const contract& due, const outcome& result, const picture& now) {
    for (const piece& block : now) {
        const piece* before = was.find(block.index, block.generation);
        std::uint32_t holds = before == nullptr || now.reached != was.reached ? 0 : before->holds;
        if (due.runs) {
            holds = block.index == result.fresh.index || (block.is_of_program() && block.owner == due.slot);
            for (const piece* used : due.used) holds |= used->index == block.index;
        } else if (due.ended != nullptr && due.ended->index == block.index && now.reached == was.reached) {
            holds = due.ended->holds;
        }
        if (block.holds != holds) return "a run holds too much or too little";
    }
    return nullptr;
}

/// Checks all that a call changed that did not fail. Returns the broken rule, or null.
inline const char* broken_change(const picture& was, const contract& due, const outcome& result, const picture& now) {
    const bool relieves = due.needs_room && !fits_now(was, due), waited = now.reached != was.reached;
    const char* broken = broken_records(was, due, result, now, relieves);
    if (broken == nullptr && due.ended != nullptr) broken = broken_end(was, due, now, relieves, waited);
    for (const piece& block : was)
        if (broken == nullptr && block.kind != block_kind::reservation && &block != due.ended)
            broken = broken_stay(was, due, now, block, relieves, waited);
    if (broken == nullptr) broken = broken_holds(was, due, result, now);
    if (broken != nullptr) return broken;
    for (const piece& block : now) {
        if (block.kind == block_kind::reservation || was.find(block.index, block.generation) != nullptr) continue;
        const bool fresh = block.index == result.fresh.index && block.generation == result.fresh.generation;
        if (fresh && (block.granted != due.granted || block.offset % due.alignment != 0))
            return "a buffer is not as requested";
        const bool deferred = due.ended != nullptr && due.ended->index == block.index && !due.taken_over;
        if (!fresh && !deferred && (!block.is_of_program() || block.owner != due.slot))
            return "there is a block that nobody requested";
    }
    if (due.granted != 0 && now.find(result.fresh.index, result.fresh.generation) == nullptr)
        return "the buffer that a call returned is not there";
    const bool goes_on = due.failed && (relieves || now.moving.block == was.moving.block);
    if (now.moving && !due.moves && !goes_on && !(now.moving == was.moving)) return "a move was begun";
    if (due.failed && !relieves && !due.moves && !was.moving) return "a call copies that need not";
    if (!due.moves || was.moving || now.moving || !result.work.done()) return nullptr;
    return now.largest < was.largest || now.holes > was.holes ? "compact left a shorter longest hole, or more holes"
                                                              : nullptr;
}

}  // namespace hbm::test
