#pragma once

/// All calls of a manager with small arguments, each with its contract: the transitions of `explore_all`.

#include <hbm/compact.hpp>
#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "state_space/contract.hpp"
#include "support/memory_brute_force.hpp"

namespace hbm::test {

/// The bounds of an exploration. Sizes in quanta of one byte.
struct bounds {
    std::uint32_t capacity = 6;
    std::uint32_t buffers = 3;  ///< no more are live or about to be freed when one is allocated
    std::uint32_t longest = 6;  ///< buffer or output
    std::uint32_t most_alignment = 2;
    bool imports = false, pins = false;
    std::vector<program_spec> programs = {};  ///< of different code sizes, two at most; one run may be in flight
    std::uint32_t failing_copies = 0;         ///< each of the first copies of a call may fail, with `failing_device`
    std::uint32_t bounce = 0;                 ///< a region for copies above the capacity
};

/// Managers with bytes also have to keep all of them.
template <class Memory>
class small_memory {
    using placement = typename Memory::placement_type;
    static constexpr bool has_bytes = requires(Memory memory) { memory.device().bytes(0, 0); };
    static constexpr bool may_fail = requires(Memory memory) { memory.device().copies_until_failure; };

protected:
    struct call : contract {
        std::function<outcome(Memory&)> act;
    };

public:
    using memory = Memory;

    explicit small_memory(bounds limits) : limits_(std::move(limits)) {}

    [[nodiscard]] Memory empty() const {
        typename Memory::options options{.salt = 7};
        const std::uint32_t all = limits_.capacity + limits_.bounce;
        if constexpr (has_bytes) options.device = decltype(options.device)(all);
        return Memory({.capacity = all,
                       .quantum = 1,
                       .top_reserved = limits_.bounce,
                       .runs_in_flight = !limits_.programs.empty(),
                       .bounce = limits_.bounce},
                      options);
    }
    /// Reads a memory, and gives each block bytes of its own.
    [[nodiscard]] static picture look(Memory& here) {
        const picture now = picture_of(here);
        write(here, now);
        return now;
    }
    static void write(Memory& here, const picture& now) {
        for (const piece& block : now)
            for_each_byte(here, block, [&](std::byte& byte, std::uint32_t number) { byte = pattern(block, number); });
    }
    [[nodiscard]] static bool has_bytes_of(Memory& here, const piece& block) {
        bool good = true;
        for_each_byte(here, block,
                      [&](std::byte& byte, std::uint32_t number) { good &= byte == pattern(block, number); });
        return good || block.kind == block_kind::reservation;
    }
    [[nodiscard]] static std::string key(const Memory& here, const picture& now) { return canonical_form(here, now); }

    [[nodiscard]] std::vector<call> calls(const Memory& here, const picture& now) const {
        std::vector<call> all;
        const auto add = [&](contract due, std::initializer_list<std::uint32_t> arguments, auto act) {
            for (const std::uint32_t number : arguments) due.text += " " + std::to_string(number);
            all.push_back({std::move(due), [act](Memory& later) { return outcome_of(act(later)); }});
        };
        std::vector<const piece*> buffers;
        for (const piece& block : now)
            if (block.kind == block_kind::data) buffers.push_back(&block);
        const bool has_room = buffers.size() + now.number_of(block_kind::deferred) < limits_.buffers;
        const auto handle = [&](const piece& block) {
            return buffer{block.index, block.generation, here.state().salt};
        };
        for (std::uint32_t size = 1; has_room && size <= limits_.longest; ++size) {
            for (std::uint32_t alignment = 1; alignment <= limits_.most_alignment; alignment *= 2)
                for (const lifetime hint : {lifetime::unknown, lifetime::brief})
                    if (hint == lifetime::unknown || heeds_lifetimes<placement>)
                        add({.text = "allocate",
                             .needs_room = true,
                             .needs = {needed(size, alignment)},
                             .granted = size,
                             .alignment = alignment},
                            {size, alignment}, [=](Memory& m) {
                                return m.allocate({.bytes = size, .alignment = alignment, .expected = hint});
                            });
            for (std::uint32_t at = 0; limits_.imports && at <= limits_.capacity; ++at) {
                const bool is_free =
                    at + size <= now.capacity && (now.taken() & piece{.offset = at, .size = size}.mask()) == 0;
                if constexpr (imports<placement>)
                    add({.text = "import",
                         .fails_with = is_free ? error::none : error::range_is_taken,
                         .granted = size},
                        {at, size}, [=](Memory& m) {
                            return m.import({at, size});
                        });
            }
        }
        for (const piece* block : buffers) {
            const buffer held = handle(*block);
            add({.text = "free", .ended = block}, {block->offset}, [=](Memory& m) { return m.free(held); });
            if (!limits_.programs.empty())
                add({.text = "free as of the latest fence", .ended = block, .ends_later = true}, {block->offset},
                    [=](Memory& m) { return m.free(held, m.issued()); });
            if (limits_.pins && block->pins == 0)
                add({.text = "pin", .pinned = block, .pins = 1}, {block->offset},
                    [=](Memory& m) { return m.pin(held); });
            if (limits_.pins || limits_.imports)
                add({.text = "unpin",
                     .fails_with = block->pins == 0 ? error::not_pinned : error::none,
                     .pinned = block},
                    {block->offset}, [=](Memory& m) { return m.unpin(held); });
        }
        if (limits_.pins || limits_.imports) {
            add({.text = "retire the latest fence", .waits = true, .retires = true}, {},
                [](Memory& m) { return m.retire(m.issued()); });
            add({.text = "retire the next fence", .fails_with = error::unknown_fence}, {},
                [](Memory& m) { return m.retire({m.issued().number + 1}); });
        }
        if constexpr (compacts<placement>)
            for (const std::uint32_t budget : {1u, limits_.capacity})
                add({.text = "compact", .moves = true}, {budget}, [=](Memory& m) { return m.compact(budget); });
        for (const program_spec& spec : limits_.programs) {
            if (now.slots[0].code == spec.code || now.slots[1].code == spec.code) continue;
            const auto code = static_cast<std::uint32_t>(spec.code);
            contract due{.text = "load",
                         .needs_room = true,
                         .slot = now.slots[0].known,
                         .code = code,
                         .fate = program_fate::begins};
            add_program(due, code, static_cast<std::uint32_t>(spec.scratch));
            add(due, {code}, [=](Memory& m) { return m.load(spec); });
        }
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            const slot_picture& subject = now.slots[slot];
            if (!subject.known) continue;
            const program held = subject.handle;
            contract due{.needs_room = true,
                         .slot = slot,
                         .scratch = reserves<placement> ? subject.scratch : 0,
                         .fate = program_fate::comes};
            if (!subject.resident) add_program(due, subject.code, subject.scratch);
            due.text = "load again";
            add(due, {slot}, [=](Memory& m) { return m.load(held); });
            add({.text = "evict", .slot = slot, .fate = program_fate::leaves, .waits = true}, {slot},
                [=](Memory& m) { return m.evict(held); });
            add({.text = "unload", .slot = slot, .fate = program_fate::ends, .waits = true}, {slot},
                [=](Memory& m) { return m.unload(held); });
            add({.text = "unload for now", .slot = slot, .fate = program_fate::leaves, .waits = true}, {slot},
                [=](Memory& m) { return m.unload_for_now(held); });
            due.runs = due.waits = true;
            // Each buffer as input, as donor, and as both; and none.
            for (std::size_t argument = 0; argument <= 3 * buffers.size(); ++argument) {
                const piece* block = argument == 3 * buffers.size() ? nullptr : buffers[argument / 3];
                const bool donates = block != nullptr && argument % 3 != 0,
                           reads = block != nullptr && argument % 3 != 1;
                const bool returns = !(reads && donates) && (has_room || donates);
                for (std::uint32_t size = 0; size <= (returns ? limits_.longest : 0); ++size) {
                    contract run = due;
                    run.text = std::string("run") + (reads ? " with input" : "") + (donates ? " with donor" : "") +
                               ", output size";
                    run.granted = size;
                    run.ended = donates ? block : nullptr;
                    run.taken_over =
                        donates && size != 0 && (takes_shorter ? size <= block->granted : size == block->granted);
                    if (block != nullptr) run.used.push_back(block);
                    if (size != 0 && !run.taken_over) run.needs.push_back(needed(size, 1));
                    if (donates)
                        run.fails_with = reads              ? error::donated_and_used
                                         : block->pins != 0 ? error::donor_is_referenced
                                                            : error::none;
                    const buffer argument_handle = block == nullptr ? buffer{} : handle(*block);
                    for (const bool may_move : {false, true}) {
                        if (may_move && run.used.empty()) continue;
                        if (may_move) run.text += ", arguments may move";
                        run.arguments_may_move = may_move;
                        add(run, {slot, block == nullptr ? 0 : block->offset, size}, [=](Memory& m) {
                            const output fresh(size);
                            return m.run(held, {.inputs = {&argument_handle, reads},
                                                .donated = {&argument_handle, donates},
                                                .outputs = {&fresh, size != 0},
                                                .arguments_may_move = may_move});
                        });
                    }
                }
            }
        }
        if constexpr (may_fail) add_failures(here, all);
        return all;
    }

    /// Does a call to `later`, a copy of `before`, and checks what came of it. Returns the broken rule, or null.
    [[nodiscard]] const char* step(const Memory& before, const picture& was, const call& due, Memory& later,
                                   picture& now) const {
        const outcome result = due.act(later);
        now = picture_of(later);
        if (now.broken != nullptr) return now.broken;
        if constexpr (may_fail)
            if (later.device().overlaps != 0) return "a copy overlaps itself";
        if (result.reason == error::device_failed) {
            if (!result.copy_failed) return "a call fails as if the device had, which did not";
            ++failures_, bounced_ += now.moving.bounced != 0;
            if (!due.may_copy() || due.fails_with != error::none) return "a call fails with a wrong error";
            const char* broken = broken_change(was, due.after_failure(), result, now);
            return broken == nullptr ? lost_bytes(was, now, later) : broken;
        }
        if (result.reason != error::none) {
            if (!(later == before)) return "a call that failed changed the memory";
            if (due.fails_with != error::none)
                return result.reason == due.fails_with ? nullptr : "a call fails with a wrong error";
            const bool no_room = result.reason == error::buffer_does_not_fit ||
                                 (due.fate != program_fate::stays && (result.reason == error::code_does_not_fit ||
                                                                      result.reason == error::scratch_does_not_fit));
            if (!due.needs_room || !no_room) return "a call fails that should succeed";
            return can_make_room(before, due) ? "a call fails although there is a way to make room" : nullptr;
        }
        if (due.fails_with != error::none) return "a call succeeds that should fail";
        if (const char* broken = broken_change(was, due, result, now); broken != nullptr) return broken;
        return lost_bytes(was, now, later);
    }
    /// Returns how many calls failed so far because the device did, and how many of them left bytes in the bounce
    /// region.
    [[nodiscard]] std::size_t failures() const { return failures_; }
    [[nodiscard]] std::size_t bounced() const { return bounced_; }

protected:
    template <class Result>
    static outcome outcome_of(const Result& made) {
        if constexpr (std::is_same_v<Result, compaction>) {
            return {.reason = made.reason, .work = made};
        } else {
            if (!made) return {.reason = made.error().reason};
            if constexpr (std::is_same_v<Result, result<buffer>>) return {.fresh = *made};
            if constexpr (std::is_same_v<Result, result<run_result>>)
                return {.fresh = made->outputs.empty() ? buffer{} : made->outputs[0],
                        .donated = made->donated != 0,
                        .reloaded = made->reloaded};
            return {};
        }
    }
    /// The run that a block needs, which under buddy is an aligned power of two.
    static need<std::uint32_t> needed(std::uint32_t length, std::uint32_t alignment) {
        while (!placement::merges_neighbours && (length & (length - 1)) != 0) ++length;
        return {.length = length, .alignment = placement::merges_neighbours ? alignment : std::max(alignment, length)};
    }

private:
    /// Adds the needs of a program that comes into memory.
    static void add_program(contract& due, std::uint32_t code, std::uint32_t scratch) {
        if constexpr (reserves<placement>)
            due.scratch = scratch;
        else if (scratch != 0)
            due.needs.push_back(needed(scratch, 1));
        due.needs.push_back(needed(code, 1));
    }
    static const char* lost_bytes(const picture& was, const picture& now, Memory& later) {
        bool good = true;
        for (const piece& block : now)
            good &= was.find(block.index, block.generation) == nullptr || has_bytes_of(later, block);
        return good ? nullptr : "the bytes of a block changed";
    }
    /// Adds each call again for each of its first copies, which fails.
    void add_failures(const Memory& here, std::vector<call>& all) const {
        for (std::size_t at = 0, count = all.size(); limits_.failing_copies != 0 && at < count; ++at) {
            if (!all[at].may_copy()) continue;
            Memory trial = here.copy();
            const std::uint64_t before = trial.device().copied;
            static_cast<void>(all[at].act(trial));
            const std::uint64_t copies = trial.device().copied - before;
            for (std::uint32_t k = 0; k < copies && k < limits_.failing_copies; ++k) {
                call failing = all[at];
                failing.text += ", copy " + std::to_string(k) + " fails";
                failing.act = [act = all[at].act, k](Memory& later) {
                    later.device().copies_until_failure = k;
                    outcome result = act(later);
                    result.copy_failed = later.device().copies_until_failure == 0;
                    later.device().copies_until_failure = later.device().never;
                    return result;
                };
                all.push_back(std::move(failing));
            }
        }
    }

    static constexpr bool takes_shorter =
        std::string_view(Memory::full_name.c_str()).find("donate_fitting") != std::string_view::npos;

    /// Looks at everything that waiting, moves and evictions can lead to.
    static bool can_make_room(const Memory& before, const contract& due) {
        auto state = before.state();
        state.finish_moving();
        for (const piece* block : due.used)
            if (due.is_wall(*block)) state.blocks.map().pin(block->index);
        if (due.fate == program_fate::begins && due.slot == state.programs.size()) state.programs.emplace_back();
        if (due.fate == program_fate::begins)
            state.programs[due.slot] = {.code = due.code, .scratch = due.scratch, .generation = 1};
        if (due.fate != program_fate::stays) state.programs[due.slot].resident = true;
        return cheapest_after_waits<placement>(state, due.needs, state.programs.size() != 0, due.slot) !=
               brute_force<placement>::impossible;
    }

    /// Calls `with(byte, number)` for each byte that was granted to a block, wherever it is.
    template <class With>
    static void for_each_byte(Memory& here, const piece& block, With with) {
        if constexpr (has_bytes) {
            buffer_pieces parts = here.moving().pieces(here.spec());
            if (here.moving().block != block.index) parts = {.parts = {{block.offset, block.size}}, .count = 1};
            std::uint32_t number = 0;
            for (const extent& part : parts)
                for (std::byte& byte : here.device().bytes(part.offset, part.size))
                    if (number++ < block.granted) with(byte, number);
        }
    }
    static std::byte pattern(const piece& block, std::uint32_t number) {
        return static_cast<std::byte>(block.index * 2 + number);
    }

    bounds limits_;
    mutable std::size_t failures_ = 0, bounced_ = 0;
};

}  // namespace hbm::test
