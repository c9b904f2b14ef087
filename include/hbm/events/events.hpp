#pragma once

/// The contract of an observer, which receives the events of a manager.
///
/// | expression            | result         | meaning                                                                      |
/// |-----------------------|----------------|------------------------------------------------------------------------------|
/// | `O::name`             | `fixed_string` | the type as a user would write it                                            |
/// | `o.on(event)`         | -              | optional: receives an event; without `on`, the observer receives nothing     |
/// | `o.on(event, memory)` | -              | optional, instead: also receives the manager after the event, read-only      |
/// | `o.look_at(memory)`   | -              | optional: called without an event when the manager is constructed with the   |
/// |                       |                | observer, by `under` as well, or extended                                    |
///
/// Calls come after the event and cannot prevent it; with several events in a call, later ones may have happened, too.
/// While a call makes room, the program that it brings in is not in memory, and its arguments have no more pins.
/// An observer may throw. The manager completes its call, and reports its remaining events. Then the first exception
/// leaves the call; the call's result is lost, but `blocks` and `programs` list its effects.
/// Requires: it calls no function that changes its manager; such a call terminates with a message.

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/result.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The kinds of events. In brackets: the meaning of the event's fields.
enum class event_kind : std::uint8_t {
    allocated,  ///< a buffer was allocated [where, subject = its index]
    freed,      ///< a buffer was freed [where, subject]
    deferred,   ///< a pinned buffer was freed; its memory returns with `retired` [where, subject]
    retired,    ///< a deferred free took effect [where, subject]
    donated,    ///< an output took over an input [where = the output's block, subject, from = bytes returned at once;
                ///< bytes that runs in flight use return with `trimmed`]
    loaded,     ///< a program was loaded [where = its code, subject = its slot, from = its scratch]
    reloaded,   ///< an evicted program was loaded again [fields as for `loaded`]
    evicted,    ///< a program was evicted [fields as for `loaded`]
    unloaded,   ///< a program was unloaded [fields as for `loaded`; where is empty if it had been evicted]
    reserved,   ///< the reservation at the bottom changed [where = the reservation, from = its size before]
    moved,      ///< a block moved [where, subject, kind, from = its offset before]
    parted,     ///< a move stopped in the middle: the block owns both places until it has `moved`, or is freed
                ///< [where = both, subject, kind, from = its offset before]
    ran,        ///< a program ran [subject, from = its fence]
    reached,    ///< runs in flight are over [from = the fence of the last of them]; unless the caller retired it, the
                ///< observer blocks here until the device reaches the fence: their memory is used next
    thrashing,  ///< two programs evict each other repeatedly [subject = the loaded program, from = the evicted one]
    failed,     ///< allocate, import, load or run failed, and nothing changed; other calls only return failures
                ///< [where.size = bytes requested, reason]
    trimmed,    ///< a donated block returned what its output does not need [where = the output, subject, from = bytes]
};

/// An event of a manager. Offsets and sizes in bytes.
struct event {
    event_kind what = event_kind::allocated;
    error reason = error::none;
    block_kind kind = block_kind::data;  ///< kind of a block that moved: a buffer, or a program's code or scratch
    tag label = tag::none;
    std::uint32_t subject = no_index;
    extent where = {};
    std::uint64_t from = 0;

    friend constexpr bool operator==(const event&, const event&) = default;
};

/// Ability: it receives events.
template <class O>
concept hears_events = requires(O observer, const event e) {
    observer.on(e);
};
/// Ability: it receives events with the manager.
template <class O, class Memory>
concept hears_events_of = requires(O observer, const event e, const Memory& memory) {
    observer.on(e, memory);
};

/// Ability: it reads the state of a manager before the first event.
template <class O, class Memory>
concept looks_at = requires(O observer, const Memory& memory) {
    observer.look_at(memory);
};

/// Near miss: an `on` with other parameters.
template <class O, class Memory>
inline constexpr bool hears_wrongly = detail::has_on<O> && !hears_events<O> && !hears_events_of<O, Memory>;

template <class O>
concept observer = regular_value<O> && names_itself<O>;

/// Fails to compile with a message for every part of the contract that `O` misses.
template <class O>
consteval bool check_observer() {
    static_assert(regular_value<O>, "an observer is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<O>, "an observer has a name: static constexpr hbm::fixed_string name{\"my_observer\"};");
    return observer<O>;
}

/// The null observer: no state, no cost.
struct no_events {
    static constexpr fixed_string name{"no_events"};

    friend constexpr bool operator==(const no_events&, const no_events&) = default;
};

static_assert(observer<no_events> && !hears_events<no_events>);

}  // namespace hbm::inline v0
