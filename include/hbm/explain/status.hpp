#pragma once

#include <hbm/core/error.hpp>

#include <cstdint>

namespace hbm {

/// The canonical status codes of RPC frameworks, with the numbers of absl, gRPC and PJRT.
enum class status : std::uint8_t {
    ok = 0,
    unknown = 2,              ///< an error unknown to this version of the library
    invalid_argument = 3,     ///< the call is invalid in any state of the memory
    resource_exhausted = 8,   ///< no room, or a counter is at its maximum; the call may succeed later
    failed_precondition = 9,  ///< the call is valid, but its buffer or program is not in the required state
    internal = 13,            ///< the device failed
};

/// Returns the status of a failure, as in open PJRT clients, else by the definitions of the canonical codes.
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

/// Returns the error number of the runtime, as listed in the XLA documentation, or "". E0100: a buffer or output does
/// not fit. E0101: a program cannot be loaded. E0102: a donor differs in size from its must-alias output.
[[nodiscard]] constexpr const char* runtime_code(error why) noexcept {
    if (why == error::buffer_does_not_fit) return "E0100";
    if (why == error::code_does_not_fit || why == error::scratch_does_not_fit) return "E0101";
    if (why == error::alias_of_other_size) return "E0102";
    return "";
}

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
