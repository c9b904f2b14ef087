#pragma once

/// Codes for a failure: the canonical status code of RPC frameworks, and the error number of the TPU runtime.

#include <hbm/core/error.hpp>

#include <cstdint>

namespace hbm {

/// The canonical status codes for a manager's failures, with the numbers of absl, gRPC and PJRT.
enum class status : std::uint8_t {
    ok = 0,
    unknown = 2,              ///< an error that this version of the library does not know
    invalid_argument = 3,     ///< the call is wrong, whatever is in memory
    resource_exhausted = 8,   ///< no room in memory, or a counter is at its maximum; the call may succeed later
    failed_precondition = 9,  ///< the call is valid, but its buffer or program is not in the required state
    internal = 13,            ///< the device failed
};

/// The status of a failure. Requests that do not fit and wrong arguments have the status that the runtime and open PJRT
/// clients return; for the others we chose by the definitions of the canonical codes. O(1).
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
    case error::negative_size:
    case error::bad_alignment:
    case error::bad_quantum:
    case error::bounce_too_large:
    case error::too_many_quanta:
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

/// The name of a status, with which messages begin. O(1).
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

/// The error number of the runtime (see the list of errors in the XLA documentation), or "" if there is none: E0100
/// when a buffer or an output of a run does not fit, E0101 when a program cannot be loaded, E0102 when an argument has
/// another size than the program expects. (A must-alias output has the size of its parameter, so a donor of another
/// size is such an argument.) The compiler reports E1000, a program that is larger than the device's memory. O(1).
[[nodiscard]] constexpr const char* runtime_code(error why) noexcept {
    if (why == error::buffer_does_not_fit) return "E0100";
    if (why == error::code_does_not_fit || why == error::scratch_does_not_fit) return "E0101";
    if (why == error::alias_of_other_size) return "E0102";
    return "";
}

/// The name of an error's enumerator. O(1).
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
    case error::negative_size:
        return "negative_size";
    case error::bad_alignment:
        return "bad_alignment";
    case error::bad_quantum:
        return "bad_quantum";
    case error::bounce_too_large:
        return "bounce_too_large";
    case error::too_many_quanta:
        return "too_many_quanta";
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
