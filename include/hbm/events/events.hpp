#pragma once

/// The contract of an observer: being told what happened, as values.
///
/// | expression            | result         | meaning                                                                                            |
/// |-----------------------|----------------|----------------------------------------------------------------------------------------------------|
/// | `O::name`             | `fixed_string` | the type as a user would write it                                                                  |
/// | `o.on(event)`         | -              | optional: something happened                                                                       |
/// | `o.on(event, memory)` | -              | optional, instead: the same, with the manager as it stands afterwards, to be asked but not changed |
/// | `o.look_at(memory)`   | -              | optional: the manager was made with this observer, or extended; no event says so                   |
///
/// An observer without either hears nothing. It is called after the fact and cannot object.

#include <hbm/core/extent.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// What can happen. Words in brackets: what the event's fields mean.
enum class event_kind : std::uint8_t {
    allocated,  ///< a buffer came to be [where, subject = its index]
    freed,      ///< a buffer ended [where, subject]
    deferred,   ///< a pinned buffer was freed; its memory returns with `retired` [where, subject]
    retired,    ///< a deferred free took effect [where, subject]
    donated,    ///< an output took over an input [where = the output, subject, from = bytes given back]
    loaded,     ///< a program came into memory [where = its code, subject = its slot, from = its scratch]
    reloaded,   ///< an evicted program came back [the same]
    evicted,    ///< a program was evicted [the same]
    unloaded,   ///< a program ended [the same; where is empty if it was evicted before]
    reserved,   ///< the reservation at the bottom changed [where = the reservation, from = its size before]
    moved,      ///< a block moved [where, subject, from = its offset before]
    parted,     ///< a move stopped in the middle: the block owns both places until it has `moved`, or ends [where =
                ///< both, subject, from = its offset before]
    ran,        ///< a program ran [subject, from = its fence]
    reached,    ///< runs in flight are over [from = the last one's fence]
    thrashing,  ///< two programs push each other out again and again [subject = the one that came, from = the other]
    failed,     ///< a call that asks for memory failed: allocate, import, load or run, whatever the reason; nothing
                ///< changed. What fails in other calls is only returned [where.size = bytes asked for, reason]
};

/// Something that happened. Offsets and sizes in bytes.
struct event {
    event_kind what = event_kind::allocated;
    error reason = error::none;
    tag label = tag::none;
    std::uint32_t subject = no_index;
    extent where = {};
    std::uint64_t from = 0;

    friend constexpr bool operator==(const event&, const event&) = default;
};

/// Facet: it has a name.
template <class O>
concept observer_names_itself = requires {
    { O::name.c_str() } -> std::same_as<const char*>;
};
/// Ability: it hears events.
template <class O>
concept hears_events = requires(O observer, const event e) {
    observer.on(e);
};
/// Ability: it hears events and sees the manager.
template <class O, class Memory>
concept hears_events_of = requires(O observer, const event e, const Memory& memory) {
    observer.on(e, memory);
};

/// Ability: it takes in how a manager is before anything happens.
template <class O, class Memory>
concept looks_at = requires(O observer, const Memory& memory) {
    observer.look_at(memory);
};

/// An observer.
template <class O>
concept observer = std::regular<O> && observer_names_itself<O>;

/// Words every miss of the contract.
template <class O>
consteval bool check_observer() {
    static_assert(std::regular<O>, "an observer is a regular value: default-made, copied, compared with ==");
    static_assert(observer_names_itself<O>,
                  "an observer has a name: static constexpr hbm::fixed_string name{\"my_observer\"};");
    return observer<O>;
}

}  // namespace hbm
