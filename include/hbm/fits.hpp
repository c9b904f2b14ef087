#pragma once

/// Whether programs and buffers fit into a memory together: known before anything is loaded, or while compiling.

#include <hbm/core/memory_spec.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/manager.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Up to so many equal buffers are tried one by one, whether or not they can all fit. Where more are asked for than
/// would fill the whole memory, they are refused together; where it is asked how many fit, that many are tried at the
/// most.
inline constexpr std::uint64_t max_buffers_tried = 65'536;

/// Buffers to be allocated: so many of so many bytes each.
struct buffer_spec {
    const char* name = "";    ///< null means no name
    std::uint64_t bytes = 0;  ///< of each; 0 occupies one quantum
    std::uint64_t count = 1;
};

/// What comes first. As long as it all fits there is little between them; where it does not, what comes last is what
/// fails.
enum class start_order : std::uint8_t {
    buffers_first,   ///< programs are loaded when weights and caches are there, as by runtimes that compile late
    programs_first,  ///< programs are loaded ahead
};

/// What is to be in memory when work begins: all of it at the same time. Like the lists in it, it owns nothing: one
/// that is kept is made from arrays that are kept, not from braces.
struct start_spec {
    list<program_spec> programs = {};
    list<buffer_spec> buffers = {};
    start_order order = start_order::buffers_first;
};

/// How a start went. Names are those of the lists; the failure's label is of a memory that is gone.
struct start_report {
    failure why = {};                ///< of the first that does not fit; `error::none` if all do
    bool is_program = false;         ///< what that is: a program, as opposed to a buffer
    std::uint32_t index = no_index;  ///< which one, in its list
    std::uint64_t buffers = 0;       ///< how many buffers were allocated, all counts together
    std::uint32_t programs = 0;      ///< how many programs were loaded
    bool by_eviction = false;        ///< it fits, but only by evicting a program that is to stay
    bool together = false;           ///< more than `max_buffers_tried` equal buffers, which all together exceed the
                                     ///< capacity: none of them was tried, `why` asks for their sum

    /// True when everything fits.
    [[nodiscard]] constexpr bool fits() const noexcept { return why.reason == error::none; }
    friend constexpr bool operator==(const start_report&, const start_report&) = default;
};

namespace detail {

/// A memory that is being started: stops at the first that does not fit while all programs stay.
template <class Memory>
struct starting {
    Memory memory;
    start_report report = {};

    constexpr explicit starting(const memory_spec& spec) : memory(spec) {}

    /// How many buffers of `bytes` each can be in this memory at the most, if there is nothing but them, or beside what
    /// there is: by their bytes, wherever they lie. The largest number where a request says more. O(1).
    [[nodiscard]] constexpr std::uint64_t max_of(std::uint64_t bytes, std::uint64_t room) const noexcept {
        const auto granted = round_up(bytes == 0 ? 1 : bytes, memory.spec().quantum);
        return memory.capacity_bytes() == 0 || !granted ? ~std::uint64_t{0} : room / *granted;
    }
    [[nodiscard]] constexpr std::uint64_t room() const noexcept {
        return memory.capacity_bytes() - memory.live_bytes();
    }

    constexpr bool allocate(const buffer_spec& wanted, std::uint32_t index) {
        if (wanted.count > max_buffers_tried && wanted.count > max_of(wanted.bytes, memory.capacity_bytes())) {
            const std::uint64_t each = *round_up(wanted.bytes == 0 ? 1 : wanted.bytes, memory.spec().quantum);
            report.why = figures(error::buffer_does_not_fit, saturating_multiply(each, wanted.count));
            report.index = index;
            report.together = true;
            return false;
        }
        for (std::uint64_t i = 0; i < wanted.count; ++i) {
            const failure before = figures_before(error::buffer_does_not_fit, wanted.bytes);
            const auto made = memory.allocate(wanted.bytes, wanted.name);
            if (!stands(made ? failure{} : made.error(), before, false, index)) return false;
            ++report.buffers;
        }
        return true;
    }
    constexpr bool allocate(const list<buffer_spec>& wanted) {
        for (std::uint32_t at = 0; at < wanted.size(); ++at)
            if (!allocate(wanted[at], at)) return false;
        return true;
    }
    constexpr bool load(const list<program_spec>& wanted) {
        for (std::uint32_t at = 0; at < wanted.size(); ++at) {
            failure before = figures_before(error::code_does_not_fit, wanted[at].code);
            before.code = wanted[at].code;
            before.scratch = wanted[at].scratch;
            const auto made = memory.load(wanted[at]);
            if (!stands(made ? failure{} : made.error(), before, true, at)) return false;
            ++report.programs;
        }
        return true;
    }
    constexpr start_report start(const start_spec& wanted) {
        if (wanted.order == start_order::buffers_first)
            static_cast<void>(allocate(wanted.buffers) && load(wanted.programs));
        else
            static_cast<void>(load(wanted.programs) && allocate(wanted.buffers));
        return report;
    }

private:
    /// What there is before a request; as long as no program is there, none can be evicted for it.
    [[nodiscard]] constexpr failure figures_before(error why, std::uint64_t requested) const {
        return report.programs == 0 ? failure{} : figures(why, requested);
    }
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

/// The same manager without eviction, whose words are those of a request that fails.
template <class Manager>
struct without_eviction {
    using type = Manager;
};
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct without_eviction<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    using type = manager<Placement, never_evict, Donation, Relief, no_device, no_events>;
};

}  // namespace detail

/// Tries a start on a manager of that kind: what fits, and which is the first that does not while all programs stay in
/// memory. Nothing is computed, all is tried: an allocation a buffer, a load a program. Only equal buffers of which
/// there are more than `max_buffers_tried`, and more than the capacity holds, are refused at once.
template <class Manager>
[[nodiscard]] constexpr start_report try_start(const memory_spec& spec, const start_spec& wanted) {
    const start_report tried = detail::starting<typename Manager::forked>(spec).start(wanted);
    if (!tried.by_eviction) return tried;
    // What would be said if it could not evict. Where it need not, because it could have moved, what was there before.
    start_report said = detail::starting<typename detail::without_eviction<Manager>::type>(spec).start(wanted);
    said.by_eviction = true;
    const bool same = said.is_program == tried.is_program && said.index == tried.index &&
                      said.buffers == tried.buffers && said.programs == tried.programs;
    return same ? said : tried;
}

/// True when everything is in memory at the same time. Tried; cost as above.
template <class Manager>
[[nodiscard]] constexpr bool fits(const memory_spec& spec, const start_spec& wanted) {
    return detail::starting<typename Manager::forked>(spec).start(wanted).fits();
}
/// True when a program fits beside buffers.
template <class Manager>
[[nodiscard]] constexpr bool fits(const memory_spec& spec, const program_spec& wanted,
                                  const list<buffer_spec>& buffers = {}) {
    return fits<Manager>(spec, start_spec{.programs = {&wanted, 1}, .buffers = buffers});
}

}  // namespace hbm
