#pragma once

#include <hbm/blocks/block_node.hpp>
#include <hbm/c.h>
#include <hbm/core/error.hpp>
#include <hbm/events/events.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <string_view>

namespace hbm::inline v0::c_face {

constexpr hbm_error number_of(hbm::error why) noexcept {
    return static_cast<hbm_error>(why);
}
constexpr hbm_event_kind number_of(hbm::event_kind kind) noexcept {
    return static_cast<hbm_event_kind>(static_cast<int>(kind) + 1);
}
constexpr hbm_block_kind number_of(hbm::block_kind kind) noexcept {
    return static_cast<hbm_block_kind>(kind);
}
constexpr hbm_step_kind number_of(hbm::step_kind kind) noexcept {
    return static_cast<hbm_step_kind>(kind);
}
// Numbers of C follow the enumerations: an enumerator is added at their ends.
static_assert(number_of(hbm::event_kind::donated) == HBM_EVENT_DONATED &&
              number_of(hbm::event_kind::unloaded) == HBM_EVENT_UNLOADED &&
              number_of(hbm::event_kind::reached) == HBM_EVENT_REACHED &&
              number_of(hbm::event_kind::failed) == HBM_EVENT_FAILED &&
              number_of(hbm::event_kind::stayed) == HBM_EVENT_STAYED);
static_assert(number_of(hbm::block_kind::data) == HBM_BLOCK_BUFFER &&
              number_of(hbm::block_kind::reservation) == HBM_BLOCK_RESERVATION &&
              number_of(hbm::block_kind::arriving) == HBM_BLOCK_ARRIVING);
static_assert(number_of(hbm::step_kind::wait) == HBM_STEP_WAIT && number_of(hbm::step_kind::move) == HBM_STEP_MOVE);

struct described_error {
    const char* name;
    const char* message;
};
/// The errors of the library, in the order of their numbers.
inline constexpr described_error errors[] = {
    {"HBM_OK", "no error"},
    {"HBM_ERROR_BUFFER_DOES_NOT_FIT",
     "there is no room for a buffer, or for an output of a run; hbm_explain says what would help"},
    {"HBM_ERROR_CODE_DOES_NOT_FIT", "there is no room for the code of a program; hbm_explain says what would help"},
    {"HBM_ERROR_SCRATCH_DOES_NOT_FIT",
     "there is no room for the scratch of a program; hbm_explain says what would help"},
    {"HBM_ERROR_RANGE_IS_TAKEN", "not all of the range is free"},
    {"HBM_ERROR_SIZE_TOO_LARGE", "the size is more quanta than 64 bits can count"},
    {"HBM_ERROR_NEGATIVE_SIZE", "the size is negative"},
    {"HBM_ERROR_BAD_ALIGNMENT", "an alignment is 0 or a power of two"},
    {"HBM_ERROR_BAD_QUANTUM", "the quantum of a memory is a power of two"},
    {"HBM_ERROR_BOUNCE_TOO_LARGE", "the bounce region is larger than what is reserved at the top of the memory"},
    {"HBM_ERROR_TOO_MANY_QUANTA", "the memory has more quanta than the manager can count; take a larger quantum"},
    {"HBM_ERROR_TOP_TOO_LARGE", "more is reserved at the top of the memory than it has"},
    {"HBM_ERROR_NO_DEVICES", "a mesh has no devices"},
    {"HBM_ERROR_WRONG_SHARES", "a mesh was given a wrong number of shares"},
    {"HBM_ERROR_STALE_HANDLE", "the handle names nothing: its buffer or program was freed, donated or unloaded"},
    {"HBM_ERROR_FOREIGN_HANDLE", "the handle was given out by another manager"},
    {"HBM_ERROR_WRONG_KIND", "the handle is not of the kind that the call is for"},
    {"HBM_ERROR_NOT_PINNED", "the buffer is not pinned"},
    {"HBM_ERROR_TOO_MANY_PINS", "the buffer is pinned too often"},
    {"HBM_ERROR_DONATED_TWICE", "a run donates the same buffer twice"},
    {"HBM_ERROR_DONATED_AND_USED", "a run donates a buffer that is also its input"},
    {"HBM_ERROR_BAD_ARGUMENT", "an index is not that of a donated buffer of the run"},
    {"HBM_ERROR_KEPT_TWICE", "a run keeps the same donated buffer twice"},
    {"HBM_ERROR_DONOR_IS_REFERENCED", "a donated buffer is pinned; unpin it, or keep it this time"},
    {"HBM_ERROR_ALIAS_NOT_DONATED", "an output must take over a buffer that the run keeps"},
    {"HBM_ERROR_ALIAS_TWICE", "an output must take over a buffer that another is bound to"},
    {"HBM_ERROR_ALIAS_NEVER_TAKEN",
     "an output must take over a buffer, but the manager's donation policy takes none over"},
    {"HBM_ERROR_ALIAS_OF_OTHER_SIZE", "an output must take over a buffer of another size on the device"},
    {"HBM_ERROR_UNKNOWN_FENCE", "the manager has not issued a fence of this number yet"},
    {"HBM_ERROR_DEVICE_FAILED", "a copy on the device failed; what had moved before stays moved and nothing is lost"},
    {"HBM_ERROR_UNKNOWN_STREAM", "the manager has no stream of this number"},
};
/// The errors of the C interface alone, from `HBM_ERROR_NULL_POINTER` on.
inline constexpr described_error errors_of_c[] = {
    {"HBM_ERROR_NULL_POINTER", "a pointer that is needed is null"},
    {"HBM_ERROR_BAD_MANAGER", "the manager is null, was destroyed, or is none"},
    {"HBM_ERROR_BAD_STRUCT",
     "the struct_size is wrong: set it to the sizeof the struct, or link a library as new as the header"},
    {"HBM_ERROR_UNKNOWN_NAME", "the name is unknown; hbm_manager_name and hbm_generation_name list the names"},
    {"HBM_ERROR_BAD_VALUE", "a number is none of its enumeration, or a capacity by which the memory does not grow"},
    {"HBM_ERROR_TOO_MANY", "a list of a run is longer than HBM_MAX_ARGUMENTS"},
    {"HBM_ERROR_IN_CALLBACK",
     "the manager was called from its own callback; note what happened and call it afterwards"},
    {"HBM_ERROR_NOT_SUPPORTED", "this manager cannot do that"},
    {"HBM_ERROR_NO_CAPACITY",
     "the memory has no capacity, or all of it is reserved at the top: set the capacity of the hbm_spec, in bytes"},
};

/// Returns true if row n has the name of the library's error n, and no error lacks a row.
consteval bool has_each_error() {
    constexpr std::string_view prefix = "HBM_ERROR_";
    std::size_t at = 1;
    for (; std::string_view(hbm::error_name(hbm::error(at))) != "unknown"; ++at) {
        const std::string_view name = hbm::error_name(hbm::error(at)), row = errors[at].name;
        bool same = row.starts_with(prefix);
        for (std::size_t letter = 0; letter < name.size(); ++letter)
            same = same && row[prefix.size() + letter] == (name[letter] == '_' ? '_' : name[letter] - 'a' + 'A');
        if (!same || row.size() != prefix.size() + name.size()) return false;
    }
    return at == std::size(errors) && HBM_ERROR_NULL_POINTER + std::size(errors_of_c) == HBM_ERROR_NO_CAPACITY + 1;
}
static_assert(has_each_error(), "every error has a row, in the order of the enumeration");

inline const described_error* find_error(unsigned number) noexcept {
    if (number < std::size(errors)) return &errors[number];
    const unsigned own = number - HBM_ERROR_NULL_POINTER;
    return own < std::size(errors_of_c) ? &errors_of_c[own] : nullptr;
}

}  // namespace hbm::inline v0::c_face
