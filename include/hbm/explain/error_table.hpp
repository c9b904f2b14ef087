#pragma once

#include <hbm/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace hbm::inline v0 {

/// The canonical status codes of RPC frameworks, with the numbers of absl, gRPC and PJRT.
enum class status : std::uint8_t {
    ok = 0,
    invalid_argument = 3,     ///< the call is invalid in any state of the memory
    resource_exhausted = 8,   ///< no room, or a counter is at its maximum; the call may succeed later
    failed_precondition = 9,  ///< the call is valid, but its buffer or program is not in the required state
    internal = 13,            ///< the device failed
};

[[nodiscard]] constexpr const char* status_name(status code) noexcept {
    switch (code) {
    case status::ok: return "OK";
    case status::invalid_argument: return "INVALID_ARGUMENT";
    case status::resource_exhausted: return "RESOURCE_EXHAUSTED";
    case status::failed_precondition: return "FAILED_PRECONDITION";
    case status::internal: break;
    }
    return "INTERNAL";
}

namespace detail {

/// Texts about an error. The function `message` fills their placeholders.
struct error_row {
    error reason;
    status code;
    const char* runtime_code;           ///< error number of the runtime, or ""
    std::string_view sentence;          ///< without its status
    std::string_view of_argument = {};  ///< the sentence if the failure names an argument; "" if it is `sentence`
};

/// All errors, in the order of their numbers. The texts for requests that do not fit are those of the TPU runtime, from
/// the XLA documentation and public reports; the others are our own. Arguments of a run are counted from 0, inputs
/// first, then donated ones.
inline constexpr error_row error_table[] = {
    {error::none, status::ok, "", ""},
    {error::buffer_does_not_fit, status::resource_exhausted, "E0100",
     "Error allocating device buffer: {attempt}; ({chip})"},
    {error::code_does_not_fit, status::resource_exhausted, "E0101",
     "Error loading program '{program}': {attempt}{scope}"},
    {error::scratch_does_not_fit, status::resource_exhausted, "E0101",
     "Error loading program '{program}': {attempt}{scope}"},
    {error::range_is_taken, status::failed_precondition, "",
     "the range to be taken is not free, or reaches beyond the memory"},
    {error::size_too_large, status::resource_exhausted, "",
     "{bytes} bytes are more quanta than the manager's placement can count; with quanta of 64 bits it counts further"},
    {error::negative_size, status::invalid_argument, "", "the size is negative"},
    {error::bad_alignment, status::invalid_argument, "",
     "an alignment is a power of two, an imported range is made of whole quanta"},
    {error::bad_quantum, status::invalid_argument, "", "the quantum of the memory is not a power of two"},
    {error::bounce_too_large, status::invalid_argument, "",
     "the bounce region of the memory is larger than what is reserved at the top"},
    {error::too_many_quanta, status::invalid_argument, "",
     "the memory has more quanta than the placement can count: take a placement with quanta of 64 bits, such as "
     "hbm::basic_best_fit<std::uint64_t> in place of hbm::best_fit, or a larger quantum"},
    {error::top_too_large, status::invalid_argument, "", "more is reserved at the top of memory than its capacity has"},
    {error::no_devices, status::failed_precondition, "",
     "the mesh has no devices: its shape has none, or it was given another number of them"},
    {error::wrong_shares, status::invalid_argument, "", "the buffer has not as many shares as the mesh has devices"},
    {error::stale_handle, status::invalid_argument, "",
     "the buffer or program is gone: it was freed, donated or unloaded",
     "argument {argument} is gone: it was freed, or donated to an earlier run"},
    {error::foreign_handle, status::invalid_argument, "", "the handle was given out by another manager",
     "argument {argument} was given out by another manager"},
    {error::wrong_kind, status::invalid_argument, "",
     "the handle does not name what the call takes: a buffer, or a program",
     "argument {argument} does not name a buffer"},
    {error::not_pinned, status::failed_precondition, "", "the buffer is not pinned"},
    {error::too_many_pins, status::resource_exhausted, "", "the buffer is pinned too often"},
    {error::donated_twice, status::invalid_argument, "",
     "argument {argument} is donated again; it was donated as argument {first_use}"},
    {error::donated_and_used, status::invalid_argument, "",
     "argument {argument} is donated but also used as argument {first_use}"},
    {error::bad_argument, status::invalid_argument, "",
     "the run keeps donated argument {first_use}, which the run does not have",
     "output {argument} is to take over donated argument {first_use}, which the run does not have"},
    {error::kept_twice, status::invalid_argument, "", "argument {argument} is kept twice"},
    {error::donor_is_referenced, status::invalid_argument, "", "the buffer is pinned: it has a reference from outside",
     "argument {argument} is donated but has a reference from outside"},
    {error::alias_not_donated, status::invalid_argument, "",
     "output {argument} must take over argument {first_use}, which the call keeps"},
    {error::alias_twice, status::invalid_argument, "",
     "output {argument} must take over argument {first_use}, which another output is bound to"},
    {error::alias_never_taken, status::invalid_argument, "",
     "output {argument} must take over argument {first_use}, but the manager's donation policy lets no input be taken "
     "over"},
    {error::alias_of_other_size, status::invalid_argument, "E0102",
     "output {argument} must take over argument {first_use}, which has another size on the device"},
    {error::unknown_fence, status::invalid_argument, "", "the manager has not issued a fence of this number yet"},
    {error::device_failed, status::internal, "",
     "a copy on the device failed; what had moved before stays moved and nothing is lost"},
};

/// Returns true if row n is that of error n.
[[nodiscard]] constexpr bool is_error_table_sorted() noexcept {
    for (std::size_t at = 0; at < std::size(error_table); ++at)
        if (static_cast<std::size_t>(error_table[at].reason) != at) return false;
    return true;
}
static_assert(is_error_table_sorted() && error_table[std::size(error_table) - 1].reason == error::device_failed,
              "every error has a row, in the order of the enumeration");

[[nodiscard]] constexpr const error_row& row_of(error why) noexcept {
    return error_table[static_cast<std::size_t>(why)];
}

}  // namespace detail

/// Returns the status of a failure, as in open PJRT clients, else by the definitions of the canonical codes.
[[nodiscard]] constexpr status status_of(error why) noexcept {
    return detail::row_of(why).code;
}

/// Returns the error number of the runtime, as listed in the XLA documentation, or "". E0100: a buffer or output does
/// not fit. E0101: a program cannot be loaded. E0102: a donor differs in size from its must-alias output.
[[nodiscard]] constexpr const char* runtime_code(error why) noexcept {
    return detail::row_of(why).runtime_code;
}

}  // namespace hbm::inline v0
