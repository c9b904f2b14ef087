#pragma once

/// Checks that programs and buffers fit into a memory together, before anything is loaded or at compile time.

#include <hbm/core/memory_spec.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/manager.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The largest number of equal buffers that are tried one by one. More buffers than this are rejected without a trial
/// if they exceed the capacity, and a search for the number that fits ends here.
inline constexpr std::uint64_t max_buffers_tried = 65'536;

/// Equal buffers to allocate.
struct buffer_spec {
    const char* name = "";    ///< null is allowed
    std::uint64_t bytes = 0;  ///< size of one buffer; 0 occupies one quantum
    std::uint64_t count = 1;
};

/// The order of allocation. It matters if not everything fits: the last items fail.
enum class start_order : std::uint8_t {
    buffers_first,   ///< programs are loaded after weights and caches, as in runtimes that compile on first use
    programs_first,  ///< programs are loaded first
};

/// The start of a workload: programs and buffers that must be in memory at the same time.
/// Requires: the arrays that the lists refer to outlive it.
struct start_spec {
    list<program_spec> programs = {};
    list<buffer_spec> buffers = {};
    start_order order = start_order::buffers_first;
};

/// The result of trying a start. Identify items by `index`: the failure's tag belongs to a temporary manager.
struct start_report {
    failure why = {};                ///< failure of the first item that does not fit; `error::none` if everything fits
    bool is_program = false;         ///< the item is a program, not a buffer
    std::uint32_t index = no_index;  ///< index of the item in its list
    std::uint64_t buffers = 0;       ///< number of allocated buffers
    std::uint32_t programs = 0;      ///< number of loaded programs
    bool by_eviction = false;        ///< the item fits only if a program of the start is evicted
    bool together = false;  ///< more than `max_buffers_tried` equal buffers fail as one: `why` has their total size

    [[nodiscard]] constexpr bool fits() const noexcept { return why.reason == error::none; }
    friend constexpr bool operator==(const start_report&, const start_report&) = default;
};

namespace detail {

/// Tries a start until an item does not fit while all programs stay in memory.
template <class Memory>
struct starting {
    Memory memory;
    start_report report = {};

    constexpr explicit starting(const memory_spec& spec) : memory(spec) {}

    /// Returns an upper bound of the number of buffers of `bytes` that fit into `room` bytes: the largest number if the
    /// memory has no capacity or rounding overflows: then the request itself fails.
    [[nodiscard]] constexpr std::uint64_t max_of(std::uint64_t bytes, std::uint64_t room) const noexcept {
        const auto granted = round_up(bytes == 0 ? 1 : bytes, memory.spec().quantum);
        return memory.capacity_bytes() == 0 || !granted ? ~std::uint64_t{0} : room / *granted;
    }

    constexpr bool allocate(const buffer_spec& spec, std::uint32_t index) {
        if (spec.count > max_buffers_tried && spec.count > max_of(spec.bytes, memory.capacity_bytes())) {
            const std::uint64_t granted = *round_up(spec.bytes == 0 ? 1 : spec.bytes, memory.spec().quantum);
            report.why = figures(error::buffer_does_not_fit, saturating_multiply(granted, spec.count));
            report.index = index;
            report.together = true;
            return false;
        }
        // Few steps for a buffer that fits: compilers limit those of constant evaluation.
        const request wanted{.bytes = spec.bytes, .label = memory.tag_for_call(spec.name)};
        for (std::uint64_t end = report.buffers + spec.count;; ++report.buffers) {
            report.buffers += allocate_at_once(wanted, end - report.buffers);
            if (report.buffers == end) return true;
            const failure before = figures(error::buffer_does_not_fit, spec.bytes);
            const auto result = memory.allocate(wanted);
            if (!stands(result ? failure{} : result.error(), before, false, index)) return false;
        }
    }
    /// Allocates up to `most` equal buffers, without relief. Returns the number.
    constexpr std::uint64_t allocate_at_once(const request& wanted, std::uint64_t most) {
        auto& blocks = memory.state_.blocks;
        auto& map = blocks.map();
        need<typename Memory::quanta> required;
        if (to_need(wanted, memory.spec().quantum, required) != error::none) return 0;
        required.expected = wanted.expected;
        for (std::uint64_t count = 0; count != most; ++count) {
            const block_index block = blocks.place(required);
            if (block == no_block) return count;
            map.set_tag(block, static_cast<std::uint32_t>(wanted.label));
        }
        return most;
    }
    constexpr bool allocate(const list<buffer_spec>& buffers) {
        for (std::uint32_t at = 0; at < buffers.size(); ++at)
            if (!allocate(buffers[at], at)) return false;
        return true;
    }
    constexpr bool load(const list<program_spec>& programs) {
        for (std::uint32_t at = 0; at < programs.size(); ++at) {
            failure before = figures(error::code_does_not_fit, programs[at].code);
            before.code = programs[at].code;
            before.scratch = programs[at].scratch;
            const auto result = memory.load(programs[at]);
            if (!stands(result ? failure{} : result.error(), before, true, at)) return false;
            ++report.programs;
        }
        return true;
    }
    constexpr start_report start(const start_spec& contents) {
        if (contents.order == start_order::buffers_first)
            static_cast<void>(allocate(contents.buffers) && load(contents.programs));
        else
            static_cast<void>(load(contents.programs) && allocate(contents.buffers));
        return report;
    }

private:
    [[nodiscard]] constexpr failure figures(error why, std::uint64_t requested) const {
        return {.reason = why,
                .requested = requested,
                .free = memory.free_bytes(),
                .largest_free = memory.largest_free_bytes(),
                .reserved = memory.reserved_bytes(),
                .reservable = memory.reservable_bytes()};
    }
    constexpr bool stands(const failure& why, const failure& before, bool is_program, std::uint32_t index) {
        report.by_eviction = why.reason == error::none && memory.done_so_far().evictions != 0;
        if (why.reason == error::none && !report.by_eviction) return true;
        report.why = report.by_eviction ? before : why;
        report.is_program = is_program;
        report.index = index;
        return false;
    }
};

/// The manager type without eviction, device and observer.
template <class Manager>
struct without_eviction {
    using type = Manager;
};
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct without_eviction<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    using type = manager<Placement, never_evict, Donation, Relief, no_device, no_events>;
};

}  // namespace detail

/// Starts a workload in a new `Manager`: up to the first item that does not fit while all programs stay in memory.
/// Cost: a call for each buffer and each program.
template <class Manager>
[[nodiscard]] constexpr start_report try_start(const memory_spec& spec, const start_spec& contents) {
    const start_report first = detail::starting<typename Manager::forked>(spec).start(contents);
    if (!first.by_eviction) return first;
    // Report the failure of a manager that cannot evict. If it fails at another item, because it moves blocks instead,
    // report the figures from before the eviction.
    start_report reported = detail::starting<typename detail::without_eviction<Manager>::type>(spec).start(contents);
    reported.by_eviction = true;
    const bool same = reported.is_program == first.is_program && reported.index == first.index &&
                      reported.buffers == first.buffers && reported.programs == first.programs;
    return same ? reported : first;
}

/// Returns true if all of `contents` fits into memory at the same time.
/// In constant evaluation, default limits suffice for 20,000 equal buffers under `best_fit` in g++ 12, for 5,000 in
/// clang. Raise them by `-fconstexpr-ops-limit=` and `-fconstexpr-loop-limit=` (g++), `-fconstexpr-steps=` (clang).
template <class Manager>
[[nodiscard]] constexpr bool fits(const memory_spec& spec, const start_spec& contents) {
    return detail::starting<typename Manager::forked>(spec).start(contents).fits();
}
/// Returns true if a program fits together with buffers.
template <class Manager>
[[nodiscard]] constexpr bool fits(const memory_spec& memory, const program_spec& spec,
                                  const list<buffer_spec>& buffers = {}) {
    return fits<Manager>(memory, start_spec{.programs = {&spec, 1}, .buffers = buffers});
}

}  // namespace hbm::inline v0
