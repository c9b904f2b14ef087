#pragma once

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

}  // namespace hbm
