#pragma once

#include <hbm/blocks/block_node.hpp>
#include <hbm/c.h>
#include <hbm/core/error.hpp>
#include <hbm/core/language.hpp>
#include <hbm/events/events.hpp>
#include <hbm/state/plan.hpp>

namespace hbm::inline v0::c_face {

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
/// Returns the number of a library's error. A new error does not compile without a number.
constexpr hbm_error number_of(hbm::error why) noexcept {
    using hbm::error;
    switch (why) {
    case error::none: return HBM_OK;
    case error::buffer_does_not_fit: return HBM_ERROR_BUFFER_DOES_NOT_FIT;
    case error::code_does_not_fit: return HBM_ERROR_CODE_DOES_NOT_FIT;
    case error::scratch_does_not_fit: return HBM_ERROR_SCRATCH_DOES_NOT_FIT;
    case error::range_is_taken: return HBM_ERROR_RANGE_IS_TAKEN;
    case error::size_too_large: return HBM_ERROR_SIZE_TOO_LARGE;
    case error::negative_size: return HBM_ERROR_NEGATIVE_SIZE;
    case error::bad_alignment: return HBM_ERROR_BAD_ALIGNMENT;
    case error::bad_quantum: return HBM_ERROR_BAD_QUANTUM;
    case error::bounce_too_large: return HBM_ERROR_BOUNCE_TOO_LARGE;
    case error::too_many_quanta: return HBM_ERROR_TOO_MANY_QUANTA;
    case error::top_too_large: return HBM_ERROR_TOP_TOO_LARGE;
    case error::no_devices: return HBM_ERROR_NO_DEVICES;
    case error::wrong_shares: return HBM_ERROR_WRONG_SHARES;
    case error::stale_handle: return HBM_ERROR_STALE_HANDLE;
    case error::foreign_handle: return HBM_ERROR_FOREIGN_HANDLE;
    case error::wrong_kind: return HBM_ERROR_WRONG_KIND;
    case error::not_pinned: return HBM_ERROR_NOT_PINNED;
    case error::too_many_pins: return HBM_ERROR_TOO_MANY_PINS;
    case error::donated_twice: return HBM_ERROR_DONATED_TWICE;
    case error::donated_and_used: return HBM_ERROR_DONATED_AND_USED;
    case error::bad_argument: return HBM_ERROR_BAD_ARGUMENT;
    case error::kept_twice: return HBM_ERROR_KEPT_TWICE;
    case error::donor_is_referenced: return HBM_ERROR_DONOR_IS_REFERENCED;
    case error::alias_not_donated: return HBM_ERROR_ALIAS_NOT_DONATED;
    case error::alias_twice: return HBM_ERROR_ALIAS_TWICE;
    case error::alias_never_taken: return HBM_ERROR_ALIAS_NEVER_TAKEN;
    case error::alias_of_other_size: return HBM_ERROR_ALIAS_OF_OTHER_SIZE;
    case error::unknown_fence: return HBM_ERROR_UNKNOWN_FENCE;
    case error::device_failed: return HBM_ERROR_DEVICE_FAILED;
    case error::unknown_stream: return HBM_ERROR_UNKNOWN_STREAM;
    }
    hbm::detail::trap();
}

/// Returns the number of a library's event. A new event does not compile without a number.
constexpr hbm_event_kind number_of(hbm::event_kind kind) noexcept {
    using hbm::event_kind;
    switch (kind) {
    case event_kind::allocated: return HBM_EVENT_ALLOCATED;
    case event_kind::freed: return HBM_EVENT_FREED;
    case event_kind::deferred: return HBM_EVENT_DEFERRED;
    case event_kind::retired: return HBM_EVENT_RETIRED;
    case event_kind::donated: return HBM_EVENT_DONATED;
    case event_kind::loaded: return HBM_EVENT_LOADED;
    case event_kind::reloaded: return HBM_EVENT_RELOADED;
    case event_kind::evicted: return HBM_EVENT_EVICTED;
    case event_kind::unloaded: return HBM_EVENT_UNLOADED;
    case event_kind::reserved: return HBM_EVENT_RESERVED;
    case event_kind::moved: return HBM_EVENT_MOVED;
    case event_kind::parted: return HBM_EVENT_PARTED;
    case event_kind::ran: return HBM_EVENT_RAN;
    case event_kind::reached: return HBM_EVENT_REACHED;
    case event_kind::thrashing: return HBM_EVENT_THRASHING;
    case event_kind::failed: return HBM_EVENT_FAILED;
    case event_kind::trimmed: return HBM_EVENT_TRIMMED;
    case event_kind::begun: return HBM_EVENT_BEGUN;
    case event_kind::stayed: return HBM_EVENT_STAYED;
    }
    hbm::detail::trap();
}

constexpr hbm_block_kind number_of(hbm::block_kind kind) noexcept {
    using hbm::block_kind;
    switch (kind) {
    case block_kind::hole: return HBM_BLOCK_HOLE;
    case block_kind::data: return HBM_BLOCK_BUFFER;
    case block_kind::code: return HBM_BLOCK_CODE;
    case block_kind::scratch: return HBM_BLOCK_SCRATCH;
    case block_kind::reservation: return HBM_BLOCK_RESERVATION;
    case block_kind::deferred: return HBM_BLOCK_DEFERRED;
    case block_kind::arriving: return HBM_BLOCK_ARRIVING;
    }
    hbm::detail::trap();
}

constexpr hbm_step_kind number_of(hbm::step_kind kind) noexcept {
    using hbm::step_kind;
    switch (kind) {
    case step_kind::wait: return HBM_STEP_WAIT;
    case step_kind::evict: return HBM_STEP_EVICT;
    case step_kind::move: return HBM_STEP_MOVE;
    }
    hbm::detail::trap();
}
#pragma GCC diagnostic pop

struct described_error {
    hbm_error number;
    const char* name;
    const char* message;
};

inline constexpr described_error errors[] = {
    {HBM_OK, "HBM_OK", "no error"},
    {HBM_ERROR_BUFFER_DOES_NOT_FIT, "HBM_ERROR_BUFFER_DOES_NOT_FIT",
     "there is no room for a buffer, or for an output of a run; hbm_explain says what would help"},
    {HBM_ERROR_CODE_DOES_NOT_FIT, "HBM_ERROR_CODE_DOES_NOT_FIT",
     "there is no room for the code of a program; hbm_explain says what would help"},
    {HBM_ERROR_SCRATCH_DOES_NOT_FIT, "HBM_ERROR_SCRATCH_DOES_NOT_FIT",
     "there is no room for the scratch of a program; hbm_explain says what would help"},
    {HBM_ERROR_RANGE_IS_TAKEN, "HBM_ERROR_RANGE_IS_TAKEN", "not all of the range is free"},
    {HBM_ERROR_SIZE_TOO_LARGE, "HBM_ERROR_SIZE_TOO_LARGE", "the size is more quanta than 64 bits can count"},
    {HBM_ERROR_NEGATIVE_SIZE, "HBM_ERROR_NEGATIVE_SIZE", "the size is negative"},
    {HBM_ERROR_BAD_ALIGNMENT, "HBM_ERROR_BAD_ALIGNMENT", "an alignment is 0 or a power of two"},
    {HBM_ERROR_BAD_QUANTUM, "HBM_ERROR_BAD_QUANTUM", "the quantum of a memory is a power of two"},
    {HBM_ERROR_BOUNCE_TOO_LARGE, "HBM_ERROR_BOUNCE_TOO_LARGE",
     "the bounce region is larger than what is reserved at the top of the memory"},
    {HBM_ERROR_TOO_MANY_QUANTA, "HBM_ERROR_TOO_MANY_QUANTA",
     "the memory has more quanta than the manager can count; take a larger quantum"},
    {HBM_ERROR_TOP_TOO_LARGE, "HBM_ERROR_TOP_TOO_LARGE", "more is reserved at the top of the memory than it has"},
    {HBM_ERROR_NO_DEVICES, "HBM_ERROR_NO_DEVICES", "a mesh has no devices"},
    {HBM_ERROR_WRONG_SHARES, "HBM_ERROR_WRONG_SHARES", "a mesh was given a wrong number of shares"},
    {HBM_ERROR_STALE_HANDLE, "HBM_ERROR_STALE_HANDLE",
     "the handle names nothing: its buffer or program was freed, donated or unloaded"},
    {HBM_ERROR_FOREIGN_HANDLE, "HBM_ERROR_FOREIGN_HANDLE", "the handle was given out by another manager"},
    {HBM_ERROR_WRONG_KIND, "HBM_ERROR_WRONG_KIND", "the handle is not of the kind that the call is for"},
    {HBM_ERROR_NOT_PINNED, "HBM_ERROR_NOT_PINNED", "the buffer is not pinned"},
    {HBM_ERROR_TOO_MANY_PINS, "HBM_ERROR_TOO_MANY_PINS", "the buffer is pinned too often"},
    {HBM_ERROR_DONATED_TWICE, "HBM_ERROR_DONATED_TWICE", "a run donates the same buffer twice"},
    {HBM_ERROR_DONATED_AND_USED, "HBM_ERROR_DONATED_AND_USED", "a run donates a buffer that is also its input"},
    {HBM_ERROR_BAD_ARGUMENT, "HBM_ERROR_BAD_ARGUMENT", "an index is not that of a donated buffer of the run"},
    {HBM_ERROR_KEPT_TWICE, "HBM_ERROR_KEPT_TWICE", "a run keeps the same donated buffer twice"},
    {HBM_ERROR_DONOR_IS_REFERENCED, "HBM_ERROR_DONOR_IS_REFERENCED",
     "a donated buffer is pinned; unpin it, or keep it this time"},
    {HBM_ERROR_ALIAS_NOT_DONATED, "HBM_ERROR_ALIAS_NOT_DONATED",
     "an output must take over a buffer that the run keeps"},
    {HBM_ERROR_ALIAS_TWICE, "HBM_ERROR_ALIAS_TWICE", "an output must take over a buffer that another is bound to"},
    {HBM_ERROR_ALIAS_NEVER_TAKEN, "HBM_ERROR_ALIAS_NEVER_TAKEN",
     "an output must take over a buffer, but the manager's donation policy takes none over"},
    {HBM_ERROR_ALIAS_OF_OTHER_SIZE, "HBM_ERROR_ALIAS_OF_OTHER_SIZE",
     "an output must take over a buffer of another size on the device"},
    {HBM_ERROR_UNKNOWN_FENCE, "HBM_ERROR_UNKNOWN_FENCE", "the fence was not given out by this manager"},
    {HBM_ERROR_DEVICE_FAILED, "HBM_ERROR_DEVICE_FAILED",
     "a copy on the device failed; what had moved before stays moved and nothing is lost"},
    {HBM_ERROR_UNKNOWN_STREAM, "HBM_ERROR_UNKNOWN_STREAM", "the manager has no stream of this number"},
    {HBM_ERROR_NULL_POINTER, "HBM_ERROR_NULL_POINTER", "a pointer that is needed is null"},
    {HBM_ERROR_BAD_MANAGER, "HBM_ERROR_BAD_MANAGER", "the manager is null, was destroyed, or is none"},
    {HBM_ERROR_BAD_STRUCT, "HBM_ERROR_BAD_STRUCT",
     "the struct_size is wrong: set it to the sizeof the struct, or link a library as new as the header"},
    {HBM_ERROR_UNKNOWN_NAME, "HBM_ERROR_UNKNOWN_NAME",
     "the name is unknown; hbm_manager_name and hbm_generation_name list the names"},
    {HBM_ERROR_BAD_VALUE, "HBM_ERROR_BAD_VALUE",
     "a number is none of its enumeration, or a capacity by which the memory does not grow"},
    {HBM_ERROR_TOO_MANY, "HBM_ERROR_TOO_MANY", "a list of a run is longer than HBM_MAX_ARGUMENTS"},
    {HBM_ERROR_IN_CALLBACK, "HBM_ERROR_IN_CALLBACK",
     "the manager was called from its own callback; note what happened and call it afterwards"},
    {HBM_ERROR_NOT_SUPPORTED, "HBM_ERROR_NOT_SUPPORTED", "this manager cannot do that"},
    {HBM_ERROR_NO_CAPACITY, "HBM_ERROR_NO_CAPACITY",
     "the memory has no capacity, or all of it is reserved at the top: set the capacity of the hbm_spec, in bytes"},
};

inline const described_error* find_error(unsigned number) noexcept {
    for (const described_error& entry : errors)
        if (static_cast<unsigned>(entry.number) == number) return &entry;
    return nullptr;
}

}  // namespace hbm::inline v0::c_face
