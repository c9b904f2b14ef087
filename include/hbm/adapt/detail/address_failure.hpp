#pragma once

/// Why a call with an address fails.

#include <hbm/core/result.hpp>

#include <cstdint>

namespace hbm {

/// The error of an address or of a request for one.
enum class address_error : std::uint8_t {
    none,
    call_failed,             ///< the call of the manager failed: its `reason` and figures say why
    null_pointer,            ///< the pointer is null
    outside,                 ///< the address is not in this memory
    inside_a_buffer,         ///< the address is in a live buffer, but not its first
    not_live,                ///< no live buffer is there: it was freed before, or never given out
    no_power_of_two,         ///< the alignment is no power of two
    base_is_aligned_to_less  ///< the base of this memory is not a multiple of the alignment
};

/// What a failed call with addresses reports: what the manager says, and what is wrong with the address. `in_words` of
/// address_words.hpp says it in a sentence; `explain` takes it as a failure of the manager. Sizes in bytes.
struct address_failure : failure {
    address_error what = address_error::none;
    std::uintptr_t address = 0;           ///< that the call was for
    std::uintptr_t begin = 0;             ///< of the live buffer that the address lies in, else of the memory
    std::uint64_t size = 0;               ///< the same's size
    std::uint64_t largest_alignment = 0;  ///< the largest power of two that the base of the memory is a multiple of

    friend constexpr bool operator==(const address_failure&, const address_failure&) = default;
};

/// The result of a call with addresses.
template <class T>
using address_result = basic_result<T, address_failure>;

}  // namespace hbm
