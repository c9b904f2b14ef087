#pragma once

/// All calls of a manager with small arguments, and what each may change: the transitions of `explorer`.

#include <hbm/hbm.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "state_space/room.hpp"

namespace hbm::test {

/// What is explored. Sizes in quanta of one byte.
struct bounds {
    std::uint32_t capacity = 6;
    std::uint32_t buffers = 4;   ///< no more are live or about to be freed at the same time
    std::uint32_t longest = 99;  ///< buffer or output
    std::uint32_t most_alignment = 2;
    bool imports = false;
    bool pins = false;
    std::vector<program_spec> programs = {};  ///< of different code sizes, two at most
};

enum class call_kind : std::uint8_t {
    allocate,
    free,
    free_later,
    import,
    pin,
    unpin,
    retire,
    compact,
    load,
    load_again,
    evict,
    unload,
    unload_for_now,
    run
};

/// A call: what its arguments mean depends on its kind; buffers are meant by their rank in address order.
struct small_call {
    call_kind kind = call_kind::allocate;
    std::uint8_t first = 0, second = 0, third = 0, fourth = 0;
};

/// What a call returned.
struct small_result {
    error reason = error::none;
    buffer fresh = {};  ///< the buffer or output
    bool donated = false;
    bool reloaded = false;
    compaction work = {};
};

template <class Memory>
class small_memory {
public:
    using manager_type = Memory;
    using operation = small_call;
    using placement = typename Memory::placement_type;
    static constexpr std::uint8_t none = 255;
    static constexpr bool has_bytes = copies<std::remove_cvref_t<decltype(std::declval<Memory&>().device())>>;

    explicit small_memory(bounds limits) : limits_(std::move(limits)) {}

    [[nodiscard]] Memory empty() const {
        const memory_spec spec{
            .capacity = limits_.capacity, .quantum = 1, .runs_in_flight = limits_.programs.empty() ? 0u : 1u};
        if constexpr (has_bytes)
            return Memory(spec, {.device = host_device(limits_.capacity), .salt = 7});
        else
            return Memory(spec, {.salt = 7});
    }
    [[nodiscard]] static std::string key(const Memory& memory) { return canonical_form(memory); }

    [[nodiscard]] std::vector<small_call> operations(const Memory& memory) const {
        const picture now = picture_of(memory);
        std::vector<small_call> calls;
        const auto add = [&](call_kind kind, std::uint32_t first = 0, std::uint32_t second = 0, std::uint32_t third = 0,
                             std::uint32_t fourth = 0) {
            calls.push_back({kind, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second),
                             static_cast<std::uint8_t>(third), static_cast<std::uint8_t>(fourth)});
        };
        const std::uint32_t buffers = now.number_of(block_kind::data);
        const std::uint32_t used = buffers + now.number_of(block_kind::deferred);
        const std::uint32_t longest = std::min(limits_.capacity, limits_.longest);
        for (std::uint32_t size = 1; used < limits_.buffers && size <= longest; ++size) {
            for (std::uint32_t alignment = 1; alignment <= limits_.most_alignment; alignment *= 2)
                add(call_kind::allocate, size, alignment);
            if constexpr (heeds_lifetimes<placement>) add(call_kind::allocate, size, 1, 1);
            for (std::uint32_t at = 0; limits_.imports && at <= limits_.capacity; ++at)
                add(call_kind::import, at, size);
        }
        for (std::uint32_t rank = 0; rank < buffers; ++rank) {
            add(call_kind::free, rank);
            if (!limits_.programs.empty()) add(call_kind::free_later, rank);
            if (limits_.imports || limits_.pins) add(call_kind::unpin, rank);
            if (limits_.pins && now.buffer_at(rank)->pins == 0) add(call_kind::pin, rank);
        }
        if (limits_.imports || limits_.pins) add(call_kind::retire, 0), add(call_kind::retire, 1);
        if constexpr (compacts<placement>)
            for (const std::uint32_t budget : {1u, limits_.capacity}) add(call_kind::compact, budget);
        for (std::uint32_t which = 0; which < limits_.programs.size(); ++which) {
            bool known = false;
            for (const slot_picture& slot : now.slots) known |= slot.code == limits_.programs[which].code;
            if (!known) add(call_kind::load, which);
        }
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            if (!now.slots[slot].known) continue;
            for (const call_kind kind :
                 {call_kind::load_again, call_kind::evict, call_kind::unload, call_kind::unload_for_now})
                add(kind, slot);
            for (std::uint32_t argument = 0; argument <= 2 * buffers; ++argument) {
                const std::uint32_t input = argument < buffers ? argument : none;
                const std::uint32_t donor = argument >= buffers && argument < 2 * buffers ? argument - buffers : none;
                const bool room = used < limits_.buffers || donor != none;
                for (std::uint32_t size = 0; size <= (room ? longest : 0); ++size)
                    add(call_kind::run, slot, input, donor, size);
            }
            if (buffers != 0) add(call_kind::run, slot, 0, 0, 1);  // one that is both input and donated
        }
        return calls;
    }

    /// Does a call and checks what came of it. Returns the broken rule, or null.
    [[nodiscard]] const char* step(Memory& memory, const small_call& call) const {
        const picture was = picture_of(memory);
        if constexpr (has_bytes) write_bytes(memory, was);
        const Memory before = memory.copy();
        const small_result result = carry_out(memory, call, was);
        const picture now = picture_of(memory);
        if (now.broken != nullptr) return now.broken;
        if (result.reason != error::none)
            return memory == before ? broken_refusal(was, call, result.reason)
                                    : "a call that failed changed the memory";
        if (expected_error(was, call) != error::none) return "a call succeeds that should fail";
        const char* broken = broken_change(was, call, result, now);
        if constexpr (has_bytes)
            if (broken == nullptr) broken = broken_bytes(memory, was, now);
        return broken;
    }

    [[nodiscard]] std::string text(const small_call& call) const {
        static constexpr const char* names[] = {"allocate",
                                                "free",
                                                "free at the fence issued",
                                                "import",
                                                "pin",
                                                "unpin",
                                                "retire the fence issued +",
                                                "compact",
                                                "load",
                                                "load again",
                                                "evict",
                                                "unload",
                                                "unload for now",
                                                "run of program, input, donor, output size"};
        std::string text = names[static_cast<std::size_t>(call.kind)];
        for (const std::uint8_t number : {call.first, call.second, call.third, call.fourth})
            text += number == none ? " -" : " " + std::to_string(number);
        return text;
    }
    /// A letter for each quantum: R reservation, C code, D deferred, b to z buffers, capitals if pinned or held.
    [[nodiscard]] std::string text(const Memory& memory) const {
        const picture now = picture_of(memory);
        std::string text(now.capacity, '.');
        for (std::uint32_t at = 0; at < now.count; ++at) {
            const piece& block = now.blocks[at];
            const char letter = block.kind == block_kind::reservation ? 'R'
                                : block.kind == block_kind::code      ? 'C'
                                : block.kind == block_kind::deferred  ? 'D'
                                                                      : static_cast<char>('a' + at);
            for (std::uint32_t i = 0; i < block.size; ++i) text[block.offset + i] = letter;
        }
        return text;
    }

private:
    // -- doing -------------------------------------------------------------------------------------------------------

    [[nodiscard]] buffer handle(const Memory& memory, const piece* block) const {
        return block == nullptr ? buffer{} : buffer{block->index, block->generation, memory.state().salt};
    }
    small_result carry_out(Memory& memory, const small_call& call, const picture& was) const {
        const buffer held = handle(memory, was.buffer_at(call.first));
        small_result result;
        const auto note = [&](const auto& outcome) {
            if (!outcome) result.reason = outcome.error().reason;
            return outcome.has_value();
        };
        switch (call.kind) {
        case call_kind::allocate: {
            const auto made =
                memory.allocate(request{.bytes = call.first,
                                        .alignment = call.second,
                                        .expected = call.third != 0 ? lifetime::brief : lifetime::unknown});
            if (note(made)) result.fresh = *made;
            break;
        }
        case call_kind::import:
            if constexpr (imports<placement>) {
                const auto made = memory.import({call.first, call.second});
                if (note(made)) result.fresh = *made;
            }
            break;
        case call_kind::free:
            note(memory.free(held));
            break;
        case call_kind::free_later:
            note(memory.free(held, memory.issued()));
            break;
        case call_kind::pin:
            note(memory.pin(held));
            break;
        case call_kind::unpin:
            note(memory.unpin(held));
            break;
        case call_kind::retire:
            note(memory.retire({was.issued + call.first}));
            break;
        case call_kind::compact:
            if constexpr (compacts<placement>) result.work = memory.compact(call.first);
            result.reason = result.work.reason;
            break;
        case call_kind::load:
            note(memory.load(limits_.programs[call.first]));
            break;
        case call_kind::load_again:
            note(memory.load(was.slots[call.first].handle));
            break;
        case call_kind::evict:
            note(memory.evict(was.slots[call.first].handle));
            break;
        case call_kind::unload:
            note(memory.unload(was.slots[call.first].handle));
            break;
        case call_kind::unload_for_now:
            note(memory.unload_for_now(was.slots[call.first].handle));
            break;
        case call_kind::run: {
            std::vector<buffer> inputs, donated;
            std::vector<output> outputs;
            if (call.second != none) inputs.assign(2, handle(memory, was.buffer_at(call.second)));
            if (call.third != none) donated.push_back(handle(memory, was.buffer_at(call.third)));
            if (call.fourth != 0) outputs.emplace_back(call.fourth);
            const auto ran =
                memory.run(was.slots[call.first].handle, {.inputs = inputs, .donated = donated, .outputs = outputs});
            if (!note(ran)) break;
            result.donated = ran->donated != 0;
            result.reloaded = ran->reloaded;
            if (call.fourth != 0) result.fresh = ran->outputs[0];
            break;
        }
        }
        return result;
    }

    // -- what may happen
    // -----------------------------------------------------------------------------------------------

    /// Whether the output of a run takes over its donor.
    [[nodiscard]] bool takes_over(const picture& was, const small_call& call) const {
        if (call.third == none || call.fourth == 0) return false;
        const std::uint32_t granted = was.buffer_at(call.third)->granted;
        return std::string_view(Memory::full_name.c_str()).find("donate_fitting") != std::string_view::npos
                   ? granted >= call.fourth
                   : granted == call.fourth;
    }
    [[nodiscard]] bool needs_room(const picture& was, const small_call& call) const {
        return call.kind == call_kind::allocate || call.kind == call_kind::load ||
               (call.kind == call_kind::load_again && !was.slots[call.first].resident) || call.kind == call_kind::run;
    }
    /// The slot of the program that a call is for.
    [[nodiscard]] std::uint32_t slot_of(const picture& was, const small_call& call) const {
        if (call.kind < call_kind::load) return no_index;
        return call.kind != call_kind::load ? call.first : was.slots[0].known ? 1 : 0;
    }
    [[nodiscard]] demand demand_of(const picture& was, const small_call& call) const {
        demand wanted{.slot = slot_of(was, call)};
        const auto add = [&](std::uint64_t length, std::uint32_t alignment) {
            auto rounded = static_cast<std::uint32_t>(length);
            if (!placement::merges_neighbours) rounded = std::bit_ceil(rounded);  // buddy
            wanted.wishes.push_back({rounded, placement::merges_neighbours ? alignment : std::max(alignment, rounded)});
        };
        if (call.kind == call_kind::allocate) add(call.first, call.second);
        if (call.kind == call_kind::load) {
            add(limits_.programs[call.first].code, 1);
            wanted.scratch = static_cast<std::uint32_t>(limits_.programs[call.first].scratch);
        }
        if (call.kind == call_kind::load_again || call.kind == call_kind::run) {
            wanted.scratch = was.slots[call.first].scratch;
            if (!was.slots[call.first].resident) add(was.slots[call.first].code, 1);
        }
        if (call.kind != call_kind::run) return wanted;
        if (call.fourth != 0 && !takes_over(was, call)) add(call.fourth, 1);
        for (const std::uint8_t rank : {call.second, call.third})
            if (rank != none) wanted.walls.push_back(was.buffer_at(rank)->index);
        return wanted;
    }
    /// The error of a call that fails whatever room there is.
    [[nodiscard]] error expected_error(const picture& was, const small_call& call) const {
        const piece* block = was.buffer_at(call.first);
        if (call.kind == call_kind::unpin && block->pins == 0) return error::not_pinned;
        if (call.kind == call_kind::retire && call.first != 0) return error::unknown_fence;
        const std::uint32_t mask = ((1u << call.second) - 1) << call.first;
        if (call.kind == call_kind::import && (call.first + call.second > was.capacity || (was.taken() & mask) != 0))
            return error::range_is_taken;
        if (call.kind != call_kind::run || call.third == none) return error::none;
        if (call.second == call.third) return error::donated_and_used;
        return was.buffer_at(call.third)->pins != 0 ? error::donor_is_referenced : error::none;
    }
    [[nodiscard]] const char* broken_refusal(const picture& was, const small_call& call, error reason) const {
        if (const error expected = expected_error(was, call); expected != error::none)
            return reason == expected ? nullptr : "a call fails with another error than is documented";
        const bool about_room = reason == error::buffer_does_not_fit || reason == error::code_does_not_fit ||
                                reason == error::scratch_does_not_fit;
        if (!about_room || !needs_room(was, call)) return "a call fails that should succeed";
        if (call.kind == call_kind::allocate && reason != error::buffer_does_not_fit)
            return "a buffer was refused for another reason than room";
        return room_can_be_made(was, demand_of(was, call), compacts<placement>, !limits_.programs.empty())
                   ? "a call fails although there is a way to make room for it"
                   : nullptr;
    }

    // -- what has happened
    // -----------------------------------------------------------------------------------------------

    [[nodiscard]] const char* broken_change(const picture& was, const small_call& call, const small_result& result,
                                            const picture& now) const {
        const bool room = needs_room(was, call);
        const bool relieves = room && !fits_now(was, demand_of(was, call));
        const bool runs = call.kind == call_kind::run;
        const std::uint32_t slot = slot_of(was, call);
        const piece* ended = call.kind == call_kind::free || call.kind == call_kind::free_later
                                 ? was.buffer_at(call.first)
                             : runs && call.third != none ? was.buffer_at(call.third)
                                                          : nullptr;
        if (now.issued != was.issued + runs) return "a fence was issued without a run, or none by a run";
        if (now.reached < was.reached || now.issued > now.reached + 1) return "a wrong fence is reached";
        const bool waited = now.reached != was.reached;
        const bool may_wait = relieves || runs || call.kind >= call_kind::evict || call.kind == call_kind::retire;
        if (waited && !may_wait) return "a call waited that need not wait";
        if (call.kind == call_kind::retire && now.reached != now.issued) return "a fence was not reached";
        if (now.moving && call.kind != call_kind::compact && !(now.moving == was.moving)) return "a move was begun";

        for (const piece& block : was) {
            if (block.kind == block_kind::reservation) continue;
            const piece* later = now.find(block.index, block.generation);
            const bool in_use = block.holds != 0 && !waited;
            if (&block == ended) {
                if (later != nullptr) return "the handle of a buffer that ended is still good";
                const piece* left = nullptr;
                for (const piece& each : now)
                    if (each.index == block.index) left = &each;
                const bool taken_over = runs && takes_over(was, call);
                if (taken_over != result.donated) return "the donation policy would have decided otherwise";
                const bool waits = block.pins != 0 || in_use || runs ||
                                   (call.kind == call_kind::free_later && now.issued > now.reached);
                if (taken_over || waits) {
                    if (left == nullptr || left->kind != (taken_over ? block_kind::data : block_kind::deferred))
                        return "a buffer in use ended too early";
                    const bool arrives = runs && was.moving.block == block.index;  // a run finishes moving what it uses
                    if (left->offset != (arrives ? was.moving.to : block.offset) ||
                        left->size != (arrives ? was.moving.bytes : block.size))
                        return "a buffer in use changed";
                    if (left->granted != (taken_over ? call.fourth : block.granted)) return "a wrong size was granted";
                } else if (left != nullptr) {
                    return "a freed buffer is still there";
                }
                continue;
            }
            if (later == nullptr) {
                const bool due =
                    block.kind == block_kind::deferred && block.until <= now.reached && !in_use &&
                    (relieves || waited || call.kind == call_kind::retire || call.kind >= call_kind::evict);
                const bool leaves = block.kind == block_kind::code && !in_use &&
                                    (call.kind == call_kind::evict || call.kind == call_kind::unload ||
                                             call.kind == call_kind::unload_for_now
                                         ? block.owner == slot
                                         : relieves && block.owner != slot);
                if (!due && !leaves) return "a block is gone";
                continue;
            }
            const std::uint32_t pins =
                block.pins + (later->index == (call.kind == call_kind::pin || call.kind == call_kind::unpin
                                                   ? was.buffer_at(call.first)->index
                                                   : no_index)
                                  ? (call.kind == call_kind::pin ? 1u : ~0u)
                                  : 0u);
            if (later->kind != block.kind || later->granted != block.granted || later->alignment != block.alignment ||
                later->owner != block.owner || later->pins != pins)
                return "a block that the call is not about changed";
            if (later->offset == block.offset && later->size == block.size) continue;
            if (was.moving.block == block.index || now.moving.block == block.index) {
                if (!relieves && !runs && call.kind != call_kind::compact && call.kind != call_kind::pin)
                    return "the pending move went on";
                continue;
            }
            const bool trimmed = later->offset == block.offset && later->size == block.granted && waited;
            const bool movable = compacts<placement> && (relieves || call.kind == call_kind::compact) &&
                                 block.pins == 0 && !in_use && block.kind != block_kind::deferred;
            if (!trimmed && !movable) return "a wall moved, or a block without need";
            if (!trimmed && later->size != block.size && (!waited || later->size != block.granted))
                return "a block changed its size as it moved";
        }
        for (const piece& block : now) {
            if (block.kind == block_kind::reservation || was.find(block.index, block.generation) != nullptr) continue;
            const bool is_end = ended != nullptr && ended->index == block.index && block.kind == block_kind::deferred;
            const bool is_code = block.kind == block_kind::code && block.owner == slot && room;
            const bool is_fresh = block.kind == block_kind::data && block.index == result.fresh.index &&
                                  block.generation == result.fresh.generation;
            if (!is_end && !is_code && !is_fresh) return "there is a block that nobody requested";
            if (!is_fresh || result.donated) continue;
            const std::uint32_t size = runs ? call.fourth : call.kind == call_kind::import ? call.second : call.first;
            if (block.granted != size) return "a wrong size was granted";
            if (call.kind == call_kind::allocate && block.alignment < call.second) return "an alignment was forgotten";
            if (call.kind == call_kind::import && (block.offset != call.first || block.size != size || block.pins != 1))
                return "an import is elsewhere";
        }
        if (result.fresh && now.find(result.fresh.index, result.fresh.generation) == nullptr)
            return "the buffer that a call returned is not there";
        return broken_records_after(was, call, result, now);
    }

    /// Checks programs, deferred frees that are due, and what compaction promises.
    [[nodiscard]] const char* broken_records_after(const picture& was, const small_call& call,
                                                   const small_result& result, const picture& now) const {
        const std::uint32_t slot = slot_of(was, call);
        for (std::uint32_t at = 0; at < 2; ++at) {
            const slot_picture& before = was.slots[at];
            const slot_picture& after = now.slots[at];
            const bool begins = call.kind == call_kind::load && at == slot;
            const bool ends = call.kind == call_kind::unload && at == slot;
            if (after.known != ((before.known || begins) && !ends)) return "a program appeared or vanished";
            if (!begins && !ends && before.known && !(after.handle == before.handle))
                return "a program's handle changed";
            const bool used =
                at == slot && (begins || call.kind == call_kind::load_again || call.kind == call_kind::run);
            if (used && !after.resident) return "the program that a call is for is not in memory";
            if (!used && !before.resident && after.resident) return "a program came in unasked";
        }
        if (call.kind == call_kind::run && result.reloaded != (!was.slots[slot].resident && !was.slots[slot].unloaded))
            return "a run says wrongly whether the program came back from an eviction";
        if (call.kind == call_kind::retire)
            for (const piece& block : now)
                if (block.kind == block_kind::deferred || block.holds != 0) return "a free does not take effect";
        if (call.kind != call_kind::compact) return nullptr;
        if (result.work.moved > call.first) return "compact moved more than its budget";
        if (was.moving || now.moving || !result.work.done()) return nullptr;
        return now.largest < was.largest || now.holes > was.holes ? "compact left shorter or more holes" : nullptr;
    }

    // -- bytes
    // ---------------------------------------------------------------------------------------------------------

    /// Calls `with(byte, number)` for each byte that was granted to a block, wherever it is.
    template <class With>
    static void for_each_byte(Memory& memory, const piece& block, With with) {
        std::uint32_t number = 0;
        const auto look = [&](extent part) {
            for (std::byte& each : memory.device().bytes(part.offset, part.size))
                if (number++ < block.granted) with(each, number);
        };
        if (memory.moving().block != block.index) return look({block.offset, block.size});
        for (const extent& part : memory.moving().pieces(memory.spec())) look(part);
    }
    static std::byte pattern(const piece& block, std::uint32_t number) {
        return static_cast<std::byte>(block.index * 2 + number);
    }
    static void write_bytes(Memory& memory, const picture& now) {
        for (const piece& block : now)
            for_each_byte(memory, block, [&](std::byte& each, std::uint32_t number) { each = pattern(block, number); });
    }
    /// Checks that blocks have kept their bytes, wherever they went.
    static const char* broken_bytes(Memory& memory, const picture& was, const picture& now) {
        bool good = true;
        for (const piece& block : now) {
            const piece* before = was.find(block.index, block.generation);
            if (before == nullptr || block.kind == block_kind::reservation) continue;
            for_each_byte(memory, block,
                          [&](std::byte& each, std::uint32_t number) { good &= each == pattern(block, number); });
        }
        return good ? nullptr : "the bytes of a block changed";
    }

    bounds limits_;
};

}  // namespace hbm::test
