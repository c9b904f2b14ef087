#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/manager/failed_run.hpp>
#include <hbm/state/memory_view.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

struct size_difference {
    bool negative = false;
    std::uint64_t bytes = 0;

    friend constexpr bool operator==(const size_difference&, const size_difference&) = default;
};

/// The memory ledger: capacity, allocated, required and remaining bytes.
/// Layout and labels are those of the runtime's most detailed public report (pytorch/xla#1735).
struct memory_ledger {
    std::uint64_t capacity = 0;      ///< of the memory, including the reserve at the top
    std::uint64_t top_reserved = 0;  ///< reserve at the top, where the manager places nothing
    std::uint64_t allocated = 0;     ///< bytes in blocks: buffers, code, and the reservation at the bottom
    std::uint64_t required = 0;      ///< bytes that the request would add
    bool for_program = false;

    /// Returns the capacity less the other three.
    [[nodiscard]] constexpr size_difference available() const noexcept {
        const std::uint64_t free = capacity - top_reserved - allocated;
        return free >= required ? size_difference{false, free - required} : size_difference{true, required - free};
    }

    friend constexpr bool operator==(const memory_ledger&, const memory_ledger&) = default;
};

namespace detail {

[[nodiscard]] inline std::string right_aligned(std::string_view text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + std::string(text);
}

[[nodiscard]] inline std::string ledger_line(std::string_view label, const size_difference& size) {
    // Each size stands twice: rounded, as people say it, and to the byte, as differences of a few quanta vanish in the
    // rounding.
    const std::string sign = size.negative ? "-" : "";
    return right_aligned(label, 29) + ":" + right_aligned(sign + size_in_words(size.bytes), 9) + " (" +
           right_aligned(sign + grouped_digits(size.bytes), 16) + " bytes)\n";
}

}  // namespace detail

[[nodiscard]] inline std::string to_text(const memory_ledger& ledger) {
    using detail::ledger_line;
    return "HBM capacity " + size_in_words(ledger.capacity) + ":\n" +
           ledger_line("Top-of-Memory reserved", {false, ledger.top_reserved}) +
           ledger_line("Currently allocated", {false, ledger.allocated}) +
           ledger_line(ledger.for_program ? "Program requirement" : "Buffer requirement", {false, ledger.required}) +
           std::string(31, ' ') + std::string(12, '-') + "\n" +
           ledger_line("Available after request", ledger.available());
}

/// Returns the bytes missing to reserve `requested` at the bottom, of which `reserved` are reserved and `room` are
/// free. Programs share a reservation as large as the largest of their needs, so only its growth must fit.
[[nodiscard]] constexpr std::uint64_t missing_for_reservation(std::uint64_t requested, std::uint64_t reserved,
                                                              std::uint64_t room) noexcept {
    const std::uint64_t possible = saturating_add(reserved, room);
    return requested > possible ? requested - possible : 0;
}

/// Returns the ledger of a call that has just failed with `why`; `refused` is the latest refused run, or null.
/// Of a program's scratch only the growth of the reservation is required.
/// Cost: O(outputs of the refused run).
template <class Quanta>
[[nodiscard]] constexpr memory_ledger ledger_of(const memory_view<Quanta>& memory, const failure& why,
                                                const failed_run* refused = nullptr) {
    memory_ledger ledger{.capacity = memory.capacity_bytes() + memory.spec().top_reserved,
                         .top_reserved = memory.spec().top_reserved,
                         .allocated = memory.capacity_bytes() - memory.free_bytes(),
                         .required = why.requested};
    // A run needs all outputs, not only the one that did not fit.
    if (why.reason == error::buffer_does_not_fit && refused != nullptr && refused->why == why)
        ledger.required = refused->fresh_bytes;
    if (why.reason != error::code_does_not_fit && why.reason != error::scratch_does_not_fit) return ledger;
    ledger.for_program = true;
    // A failure without sizes of a program names the part that failed in `requested`; else code and scratch are
    // required together.
    if (why.code == 0 && why.scratch == 0) return ledger;
    std::uint64_t more = why.scratch;
    if (memory.shares_scratch()) more = missing_for_reservation(more, memory.reserved_bytes(), 0);
    ledger.required = saturating_add(why.code, more);
    return ledger;
}
/// Returns the ledger for a manager that has just returned `why`.
template <class Memory>
[[nodiscard]] constexpr memory_ledger ledger_of(const Memory& memory, const failure& why) {
    return ledger_of(memory.view(), why, &memory.refused());
}

}  // namespace hbm::inline v0
