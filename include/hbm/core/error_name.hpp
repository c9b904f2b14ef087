#pragma once

#include <hbm/core/error.hpp>

#include <cstddef>

namespace hbm::inline v0 {

/// Returns the name of an error as in the source: `buffer_does_not_fit`; `unknown` for a number that is none.
[[nodiscard]] constexpr const char* error_name(error why) noexcept {
    constexpr const char* names[] = {
        "none",
        "buffer_does_not_fit",
        "code_does_not_fit",
        "scratch_does_not_fit",
        "range_is_taken",
        "size_too_large",
        "negative_size",
        "bad_alignment",
        "bad_quantum",
        "bounce_too_large",
        "too_many_quanta",
        "top_too_large",
        "no_devices",
        "wrong_shares",
        "stale_handle",
        "foreign_handle",
        "wrong_kind",
        "not_pinned",
        "too_many_pins",
        "donated_twice",
        "donated_and_used",
        "bad_argument",
        "kept_twice",
        "donor_is_referenced",
        "alias_not_donated",
        "alias_twice",
        "alias_never_taken",
        "alias_of_other_size",
        "unknown_fence",
        "device_failed",
    };
    static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(error::device_failed) + 1,
                  "every error has a name, in the order of the enumeration");
    const auto at = static_cast<std::size_t>(why);
    return at < sizeof names / sizeof *names ? names[at] : "unknown";
}

}  // namespace hbm::inline v0
