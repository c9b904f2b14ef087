#pragma once

/// What a failure is to the code that called: the status of an RPC, and the number that the runtime gives its errors.

#include <hbm/core/error.hpp>

#include <cstdint>

namespace hbm {

/// The canonical status codes that a manager's failures become, with the numbers that absl, gRPC and PJRT give them.
enum class status : std::uint8_t {
    ok = 0,
    unknown = 2,              ///< an error that this version does not know
    invalid_argument = 3,     ///< the call is wrong, whatever is in memory
    resource_exhausted = 8,   ///< there is no room, or a count ran out; the same call may succeed later
    failed_precondition = 9,  ///< the call is in order, and what it is about is not in the state for it
    internal = 13,            ///< the device failed
};

/// The status of a failure. Those for want of room and of the argument mistakes are as the runtime and open PJRT
/// clients have them; the others follow from what the canonical codes mean. O(1).
[[nodiscard]] constexpr status status_of(error why) noexcept {
    switch (why) {
    case error::none:
        return status::ok;
    case error::buffer_does_not_fit:
    case error::code_does_not_fit:
    case error::scratch_does_not_fit:
    case error::size_too_large:
    case error::too_many_pins:
        return status::resource_exhausted;
    case error::bad_alignment:
    case error::bad_capacity:
    case error::top_too_large:
    case error::wrong_shares:
    case error::stale_handle:
    case error::foreign_handle:
    case error::wrong_kind:
    case error::donated_twice:
    case error::donated_and_used:
    case error::bad_argument:
    case error::kept_twice:
    case error::donor_is_referenced:
    case error::alias_not_donated:
    case error::alias_twice:
    case error::alias_never_taken:
    case error::alias_of_other_size:
    case error::unknown_fence:
        return status::invalid_argument;
    case error::range_is_taken:
    case error::not_pinned:
    case error::no_devices:
        return status::failed_precondition;
    case error::device_failed:
        return status::internal;
    }
    return status::unknown;
}

/// A status as messages begin with it. O(1).
[[nodiscard]] constexpr const char* status_name(status code) noexcept {
    switch (code) {
    case status::ok:
        return "OK";
    case status::invalid_argument:
        return "INVALID_ARGUMENT";
    case status::resource_exhausted:
        return "RESOURCE_EXHAUSTED";
    case status::failed_precondition:
        return "FAILED_PRECONDITION";
    case status::internal:
        return "INTERNAL";
    case status::unknown:
        break;
    }
    return "UNKNOWN";
}

/// The number of the runtime's error (the xla docs' list of errors), or "" where it has none: E0100 when a buffer or a
/// run's output finds no room, E0101 when a program cannot be loaded, E0102 when an argument is not as long as the
/// program expects; a must-alias output is as long as its parameter, so that a donor of another length is such an
/// argument. E1000, a program that alone needs more than the device has, is found by the compiler and never gets here.
/// O(1).
[[nodiscard]] constexpr const char* runtime_code(error why) noexcept {
    if (why == error::buffer_does_not_fit) return "E0100";
    if (why == error::code_does_not_fit || why == error::scratch_does_not_fit) return "E0101";
    if (why == error::alias_of_other_size) return "E0102";
    return "";
}

/// An error as it is called in code, for machines. O(1).
[[nodiscard]] constexpr const char* error_name(error why) noexcept {
    switch (why) {
    case error::none:
        return "none";
    case error::buffer_does_not_fit:
        return "buffer_does_not_fit";
    case error::code_does_not_fit:
        return "code_does_not_fit";
    case error::scratch_does_not_fit:
        return "scratch_does_not_fit";
    case error::range_is_taken:
        return "range_is_taken";
    case error::size_too_large:
        return "size_too_large";
    case error::bad_alignment:
        return "bad_alignment";
    case error::bad_capacity:
        return "bad_capacity";
    case error::top_too_large:
        return "top_too_large";
    case error::no_devices:
        return "no_devices";
    case error::wrong_shares:
        return "wrong_shares";
    case error::stale_handle:
        return "stale_handle";
    case error::foreign_handle:
        return "foreign_handle";
    case error::wrong_kind:
        return "wrong_kind";
    case error::not_pinned:
        return "not_pinned";
    case error::too_many_pins:
        return "too_many_pins";
    case error::donated_twice:
        return "donated_twice";
    case error::donated_and_used:
        return "donated_and_used";
    case error::bad_argument:
        return "bad_argument";
    case error::kept_twice:
        return "kept_twice";
    case error::donor_is_referenced:
        return "donor_is_referenced";
    case error::alias_not_donated:
        return "alias_not_donated";
    case error::alias_twice:
        return "alias_twice";
    case error::alias_never_taken:
        return "alias_never_taken";
    case error::alias_of_other_size:
        return "alias_of_other_size";
    case error::unknown_fence:
        return "unknown_fence";
    case error::device_failed:
        return "device_failed";
    }
    return "unknown";
}

}  // namespace hbm
