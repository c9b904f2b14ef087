// What stands behind hbm/c.h. One translation unit, to be compiled as C++20: all managers by their names, and each call
// as a check of its arguments and a call of an `any_manager`.

#include <hbm/adapt/any_manager.hpp>
#include <hbm/c.h>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/report/status.hpp>
#include <hbm/report/words.hpp>
#include <hbm/tpu.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace {

// -- the managers by name ---------------------------------------------------------------------------------------------

struct listed_manager {
    const char* name;
    const char* short_name;
    hbm::any_manager* (*make)(const hbm::memory_spec&, std::uint32_t, hbm::manager_hooks&);
};

template <class P, class E = hbm::never_evict, class D = hbm::never_donate>
constexpr listed_manager listed(const char* short_name = "") {
    return {hbm::held_name<P, E, D>, short_name, hbm::make_held_manager<P, E, D>};
}

using tpu_placement = hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>;

// Each further placement costs seconds of a compiler's time, each further manager of a placement less.
constexpr listed_manager managers[] = {
    listed<hbm::best_fit>(),
    listed<hbm::best_fit_lifo>(),
    listed<hbm::first_fit>(),
    listed<hbm::good_fit>(),
    listed<hbm::buddy>(),
    listed<hbm::bfc, hbm::never_evict, hbm::donate_same_size>("xla_bfc"),
    listed<tpu_placement, hbm::evict_cheapest_window>(),
    listed<tpu_placement, hbm::evict_cheapest_window, hbm::donate_same_size>("tpu"),
    listed<tpu_placement, hbm::evict_lru, hbm::donate_same_size>("tpu::runtime_memory"),
};

// -- errors -----------------------------------------------------------------------------------------------------------

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
/// The number of a library's error. A new error does not compile until it has one.
constexpr hbm_error number_of(hbm::error why) noexcept {
    using hbm::error;
    switch (why) {
    case error::none:
        return HBM_OK;
    case error::buffer_does_not_fit:
        return HBM_ERROR_BUFFER_DOES_NOT_FIT;
    case error::code_does_not_fit:
        return HBM_ERROR_CODE_DOES_NOT_FIT;
    case error::scratch_does_not_fit:
        return HBM_ERROR_SCRATCH_DOES_NOT_FIT;
    case error::range_is_taken:
        return HBM_ERROR_RANGE_IS_TAKEN;
    case error::size_too_large:
        return HBM_ERROR_SIZE_TOO_LARGE;
    case error::negative_size:
        return HBM_ERROR_NEGATIVE_SIZE;
    case error::bad_alignment:
        return HBM_ERROR_BAD_ALIGNMENT;
    case error::bad_quantum:
        return HBM_ERROR_BAD_QUANTUM;
    case error::bounce_too_large:
        return HBM_ERROR_BOUNCE_TOO_LARGE;
    case error::too_many_quanta:
        return HBM_ERROR_TOO_MANY_QUANTA;
    case error::top_too_large:
        return HBM_ERROR_TOP_TOO_LARGE;
    case error::no_devices:
        return HBM_ERROR_NO_DEVICES;
    case error::wrong_shares:
        return HBM_ERROR_WRONG_SHARES;
    case error::stale_handle:
        return HBM_ERROR_STALE_HANDLE;
    case error::foreign_handle:
        return HBM_ERROR_FOREIGN_HANDLE;
    case error::wrong_kind:
        return HBM_ERROR_WRONG_KIND;
    case error::not_pinned:
        return HBM_ERROR_NOT_PINNED;
    case error::too_many_pins:
        return HBM_ERROR_TOO_MANY_PINS;
    case error::donated_twice:
        return HBM_ERROR_DONATED_TWICE;
    case error::donated_and_used:
        return HBM_ERROR_DONATED_AND_USED;
    case error::bad_argument:
        return HBM_ERROR_BAD_ARGUMENT;
    case error::kept_twice:
        return HBM_ERROR_KEPT_TWICE;
    case error::donor_is_referenced:
        return HBM_ERROR_DONOR_IS_REFERENCED;
    case error::alias_not_donated:
        return HBM_ERROR_ALIAS_NOT_DONATED;
    case error::alias_twice:
        return HBM_ERROR_ALIAS_TWICE;
    case error::alias_never_taken:
        return HBM_ERROR_ALIAS_NEVER_TAKEN;
    case error::alias_of_other_size:
        return HBM_ERROR_ALIAS_OF_OTHER_SIZE;
    case error::unknown_fence:
        return HBM_ERROR_UNKNOWN_FENCE;
    case error::device_failed:
        return HBM_ERROR_DEVICE_FAILED;
    }
    __builtin_unreachable();
}

/// The number of a library's event; the same.
constexpr hbm_event_kind number_of(hbm::event_kind what) noexcept {
    using hbm::event_kind;
    switch (what) {
    case event_kind::allocated:
        return HBM_EVENT_ALLOCATED;
    case event_kind::freed:
        return HBM_EVENT_FREED;
    case event_kind::deferred:
        return HBM_EVENT_DEFERRED;
    case event_kind::retired:
        return HBM_EVENT_RETIRED;
    case event_kind::donated:
        return HBM_EVENT_DONATED;
    case event_kind::loaded:
        return HBM_EVENT_LOADED;
    case event_kind::reloaded:
        return HBM_EVENT_RELOADED;
    case event_kind::evicted:
        return HBM_EVENT_EVICTED;
    case event_kind::unloaded:
        return HBM_EVENT_UNLOADED;
    case event_kind::reserved:
        return HBM_EVENT_RESERVED;
    case event_kind::moved:
        return HBM_EVENT_MOVED;
    case event_kind::parted:
        return HBM_EVENT_PARTED;
    case event_kind::ran:
        return HBM_EVENT_RAN;
    case event_kind::reached:
        return HBM_EVENT_REACHED;
    case event_kind::thrashing:
        return HBM_EVENT_THRASHING;
    case event_kind::failed:
        return HBM_EVENT_FAILED;
    }
    __builtin_unreachable();
}
#pragma GCC diagnostic pop

struct described_error {
    hbm_error number;
    const char* name;
    const char* message;
};

constexpr described_error errors[] = {
    {HBM_OK, "HBM_OK", "no error"},
    {HBM_ERROR_BUFFER_DOES_NOT_FIT, "HBM_ERROR_BUFFER_DOES_NOT_FIT",
     "there is no room for a buffer, or for an output of a run; hbm_explain says what would help"},
    {HBM_ERROR_CODE_DOES_NOT_FIT, "HBM_ERROR_CODE_DOES_NOT_FIT",
     "there is no room for the code of a program; hbm_explain says what would help"},
    {HBM_ERROR_SCRATCH_DOES_NOT_FIT, "HBM_ERROR_SCRATCH_DOES_NOT_FIT",
     "there is no room for the scratch of a program; hbm_explain says what would help"},
    {HBM_ERROR_RANGE_IS_TAKEN, "HBM_ERROR_RANGE_IS_TAKEN", "not all of the range is free"},
    {HBM_ERROR_SIZE_TOO_LARGE, "HBM_ERROR_SIZE_TOO_LARGE", "the size is more quanta than 32 bits can count"},
    {HBM_ERROR_NEGATIVE_SIZE, "HBM_ERROR_NEGATIVE_SIZE", "a size below zero was asked for"},
    {HBM_ERROR_BAD_ALIGNMENT, "HBM_ERROR_BAD_ALIGNMENT", "an alignment is 0 or a power of two"},
    {HBM_ERROR_BAD_QUANTUM, "HBM_ERROR_BAD_QUANTUM", "the quantum of a memory is a power of two"},
    {HBM_ERROR_BOUNCE_TOO_LARGE, "HBM_ERROR_BOUNCE_TOO_LARGE",
     "the bounce region is larger than what is reserved at the top of the memory"},
    {HBM_ERROR_TOO_MANY_QUANTA, "HBM_ERROR_TOO_MANY_QUANTA",
     "the memory has more quanta than 32 bits can count; take a larger quantum"},
    {HBM_ERROR_TOP_TOO_LARGE, "HBM_ERROR_TOP_TOO_LARGE", "more is reserved at the top of the memory than it has"},
    {HBM_ERROR_NO_DEVICES, "HBM_ERROR_NO_DEVICES", "a mesh has no devices"},
    {HBM_ERROR_WRONG_SHARES, "HBM_ERROR_WRONG_SHARES", "a mesh is asked for a wrong number of shares"},
    {HBM_ERROR_STALE_HANDLE, "HBM_ERROR_STALE_HANDLE",
     "the handle names nothing: its buffer or program was freed, donated or unloaded"},
    {HBM_ERROR_FOREIGN_HANDLE, "HBM_ERROR_FOREIGN_HANDLE", "the handle was given out by another manager"},
    {HBM_ERROR_WRONG_KIND, "HBM_ERROR_WRONG_KIND", "the handle is not of the kind that the call is for"},
    {HBM_ERROR_NOT_PINNED, "HBM_ERROR_NOT_PINNED", "the buffer is not pinned"},
    {HBM_ERROR_TOO_MANY_PINS, "HBM_ERROR_TOO_MANY_PINS", "the buffer is pinned too often"},
    {HBM_ERROR_DONATED_TWICE, "HBM_ERROR_DONATED_TWICE", "a run donates the same buffer twice"},
    {HBM_ERROR_DONATED_AND_USED, "HBM_ERROR_DONATED_AND_USED", "a run donates a buffer that is also its input"},
    {HBM_ERROR_BAD_ARGUMENT, "HBM_ERROR_BAD_ARGUMENT", "an index is not that of a donated buffer of the run"},
    {HBM_ERROR_KEPT_TWICE, "HBM_ERROR_KEPT_TWICE", "a run keeps the same donated buffer twice"},
    {HBM_ERROR_DONOR_IS_REFERENCED, "HBM_ERROR_DONOR_IS_REFERENCED",
     "a donated buffer is pinned; unpin it, or keep it this time"},
    {HBM_ERROR_ALIAS_NOT_DONATED, "HBM_ERROR_ALIAS_NOT_DONATED",
     "an output must take over a buffer that the run keeps"},
    {HBM_ERROR_ALIAS_TWICE, "HBM_ERROR_ALIAS_TWICE", "an output must take over a buffer that another is bound to"},
    {HBM_ERROR_ALIAS_NEVER_TAKEN, "HBM_ERROR_ALIAS_NEVER_TAKEN",
     "an output must take over a buffer, but the manager's donation policy takes none over"},
    {HBM_ERROR_ALIAS_OF_OTHER_SIZE, "HBM_ERROR_ALIAS_OF_OTHER_SIZE",
     "an output must take over a buffer of another size on the device"},
    {HBM_ERROR_UNKNOWN_FENCE, "HBM_ERROR_UNKNOWN_FENCE", "the fence was not given out by this manager"},
    {HBM_ERROR_DEVICE_FAILED, "HBM_ERROR_DEVICE_FAILED",
     "a copy on the device failed; what had moved before stays moved and nothing is lost"},
    {HBM_ERROR_NULL_POINTER, "HBM_ERROR_NULL_POINTER", "a pointer that is needed is null"},
    {HBM_ERROR_BAD_MANAGER, "HBM_ERROR_BAD_MANAGER", "the manager is null, was destroyed, or is none"},
    {HBM_ERROR_BAD_STRUCT, "HBM_ERROR_BAD_STRUCT",
     "the struct_size is wrong: set it to the sizeof the struct, or link a library as new as the header"},
    {HBM_ERROR_UNKNOWN_NAME, "HBM_ERROR_UNKNOWN_NAME",
     "the name is unknown; hbm_manager_name and hbm_generation_name list the names"},
    {HBM_ERROR_BAD_VALUE, "HBM_ERROR_BAD_VALUE", "a number is none of its enumeration"},
    {HBM_ERROR_TOO_MANY, "HBM_ERROR_TOO_MANY", "a list of a run is longer than HBM_MAX_ARGUMENTS"},
    {HBM_ERROR_IN_CALLBACK, "HBM_ERROR_IN_CALLBACK",
     "the manager was called from its own callback; note what happened and call it afterwards"},
    {HBM_ERROR_NOT_SUPPORTED, "HBM_ERROR_NOT_SUPPORTED", "this manager cannot do that"},
};

const described_error* find_error(unsigned number) noexcept {
    for (const described_error& each : errors)
        if (static_cast<unsigned>(each.number) == number) return &each;
    return nullptr;
}

// -- handles ----------------------------------------------------------------------------------------------------------

// Numbers that nobody passes by accident.
constexpr std::uint32_t buffer_kind = 0x48424246;
constexpr std::uint32_t program_kind = 0x48425047;
constexpr std::uint32_t fence_kind = 0x48424643;

hbm_buffer to_c(hbm::buffer held) noexcept {
    return {held.index, held.generation, held.salt, buffer_kind};
}
hbm_program to_c(hbm::program held) noexcept {
    return held ? hbm_program{held.index, held.generation, held.salt, program_kind} : hbm_program{};
}

/// Writes the library's handle to `into`; returns what is wrong as far as the kind says.
template <class C, class Handle>
hbm::error take_handle(const C& given, std::uint32_t kind, Handle& into) noexcept {
    into = Handle::of(given.index, given.generation, given.salt);
    if (given.kind == kind) return hbm::error::none;
    return given.kind == 0 ? hbm::error::stale_handle : hbm::error::wrong_kind;
}
hbm::error take(const hbm_buffer& given, hbm::buffer& into) noexcept {
    return take_handle(given, buffer_kind, into);
}
hbm::error take(const hbm_program& given, hbm::program& into) noexcept {
    return take_handle(given, program_kind, into);
}

/// Copies a struct that begins with its size, which may be that of an earlier version. False if it is none.
template <class T>
[[nodiscard]] bool read_struct(const T* given, T& into, std::size_t size_of_first_version = sizeof(T)) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, static_cast<const void*>(given), sizeof size);
    if (size < size_of_first_version || size > sizeof(T)) return false;
    into = T{};
    std::memcpy(static_cast<void*>(&into), static_cast<const void*>(given), size);
    return true;
}
/// Writes as much of a struct as the caller knows; `read_struct` has read it before.
template <class T>
void write_struct(const T& made, T* into) noexcept {
    std::memcpy(static_cast<void*>(into), static_cast<const void*>(&made), made.struct_size);
}

std::size_t write_text(std::string_view text, char* into, std::size_t size) noexcept {
    if (into != nullptr && size != 0) {
        const std::size_t length = text.size() < size - 1 ? text.size() : size - 1;
        std::memcpy(into, text.data(), length);
        into[length] = '\0';
    }
    return text.size();
}

/// The callbacks of a manager, which knows while one of them runs.
class callbacks final : public hbm::manager_hooks {
public:
    hbm_event_function on_event = nullptr;
    hbm_copy_function copy_bytes = nullptr;
    void* user = nullptr;
    std::uint32_t salt = 0;
    bool running = false;

    void on(const hbm::event& occurred, const hbm::memory_view<std::uint32_t>& memory) noexcept override {
        if (on_event == nullptr) return;
        const hbm_event told = describe(occurred, memory);
        running = true;
        on_event(user, &told);
        running = false;
    }
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept override {
        if (copy_bytes == nullptr) return true;
        running = true;
        const bool copied = copy_bytes(user, to, from, bytes) != 0;
        running = false;
        return copied;
    }

private:
    [[nodiscard]] hbm_event describe(const hbm::event& occurred,
                                     const hbm::memory_view<std::uint32_t>& memory) const noexcept {
        using hbm::event_kind;
        hbm_event told{};
        told.struct_size = sizeof told;
        told.kind = static_cast<std::uint32_t>(number_of(occurred.what));
        told.error = static_cast<std::uint32_t>(number_of(occurred.reason));
        told.label = memory.name_of(occurred.label);
        told.where = {occurred.where.offset, occurred.where.size};
        told.from = occurred.from;
        told.index = occurred.subject;
        switch (occurred.what) {
        case event_kind::allocated:
        case event_kind::donated:
        case event_kind::moved:
        case event_kind::parted:
            describe_block(occurred.subject, memory.map(), memory, told);
            break;
        case event_kind::loaded:
        case event_kind::reloaded:
        case event_kind::evicted:
        case event_kind::unloaded:
        case event_kind::ran:
        case event_kind::thrashing:
            told.program = to_c(memory.handle_of(occurred.subject));
            break;
        default:
            break;
        }
        return told;
    }
    void describe_block(hbm::block_index block, const hbm::block_map<std::uint32_t>& map,
                        const hbm::memory_view<std::uint32_t>& memory, hbm_event& told) const noexcept {
        if (map.kind(block) == hbm::block_kind::data) {
            told.buffer = to_c(hbm::buffer::of(block, map.generation(block), salt));
        } else {
            told.index = map.owner(block);
            told.program = to_c(memory.handle_of(told.index));
        }
    }
};

constexpr std::uint64_t living = 0x68626d206d616e61;  // "hbm mana"

}  // namespace

struct hbm_manager {
    std::uint64_t magic = living;
    std::string device_name;
    callbacks hooks;
    hbm::any_manager* memory = nullptr;

    // The latest failure: a call, an error, and its figures if the library has found it.
    const char* call = "";
    hbm_error error = HBM_OK;
    hbm::failure why;

    // Lists of the run in hand, kept from run to run.
    hbm::trivial_vector<hbm::buffer> inputs;
    hbm::trivial_vector<hbm::buffer> donated;
    hbm::trivial_vector<hbm::output> outputs;
    hbm::run_result ran;

    hbm_manager() = default;
    hbm_manager(const hbm_manager&) = delete;
    hbm_manager& operator=(const hbm_manager&) = delete;
    ~hbm_manager() {
        *static_cast<volatile std::uint64_t*>(&magic) = 0;
        delete memory;
    }

    hbm_error refuse(const char* where, hbm_error number) noexcept {
        call = where;
        error = number;
        why = {};
        return number;
    }
    hbm_error settle(const char* where, const hbm::failure& outcome) noexcept {
        call = where;
        error = number_of(outcome.reason);
        why = outcome;
        return error;
    }
    /// What is wrong with a fence.
    [[nodiscard]] hbm::error take(const hbm_fence& given, hbm::fence& into) const noexcept {
        into = {given.number};
        if (given.kind == 0 && given.number == 0) return hbm::error::none;
        if (given.kind != fence_kind) return given.kind == 0 ? hbm::error::unknown_fence : hbm::error::wrong_kind;
        return given.salt == hooks.salt ? hbm::error::none : hbm::error::foreign_handle;
    }
    [[nodiscard]] hbm_fence to_c(hbm::fence given) const noexcept { return {given.number, hooks.salt, fence_kind}; }

    [[nodiscard]] std::string message() const {
        if (error == HBM_OK) return hbm::status_name(hbm::status::ok);
        if (why.reason == hbm::error::none)
            return std::string(hbm::status_name(hbm::status::invalid_argument)) + ": " + call + ": " +
                   hbm_error_message(error);
        const std::string words = hbm::message(why, memory->view().name_of(why.label));
        return hbm::for_want_of_room(why.reason) ? words : words + " (" + call + ")";
    }
};

namespace {

/// Why a manager cannot be called.
hbm_error check(const hbm_manager* manager) noexcept {
    if (reinterpret_cast<std::uintptr_t>(manager) % alignof(hbm_manager) != 0) return HBM_ERROR_BAD_MANAGER;
    if (manager == nullptr || manager->magic != living) return HBM_ERROR_BAD_MANAGER;
    return manager->hooks.running ? HBM_ERROR_IN_CALLBACK : HBM_OK;
}

template <class T>
hbm::failure failure_of(const hbm::result<T>& outcome) noexcept {
    return outcome ? hbm::failure{} : outcome.error();
}

/// Calls `act(memory)`, which returns a result, and notes its failure.
template <class Act>
hbm_error call(hbm_manager* manager, const char* name, Act act) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    return manager->settle(name, failure_of(act(*manager->memory)));
}
/// The same with a handle: `act(memory, handle)`.
template <class Held, class C, class Act>
hbm_error call_with(hbm_manager* manager, const char* name, const C& given, Act act) {
    return call(manager, name, [&](hbm::any_manager& memory) -> hbm::result<hbm::done> {
        Held held;
        if (const hbm::error bad = take(given, held); bad != hbm::error::none) return hbm::failure{.reason = bad};
        return act(memory, held);
    });
}
template <class Act>
hbm_error call_with(hbm_manager* manager, const char* name, const hbm_buffer& given, Act act) {
    return call_with<hbm::buffer>(manager, name, given, act);
}
template <class Act>
hbm_error call_with(hbm_manager* manager, const char* name, const hbm_program& given, Act act) {
    return call_with<hbm::program>(manager, name, given, act);
}

/// Looks: `look(view, handle)` if the handle is good. Notes nothing.
template <class Held, class C, class Look>
hbm_error look_at(const hbm_manager* manager, const C& given, Look look) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    Held held;
    hbm::error why = take(given, held);
    const hbm::memory_view<std::uint32_t> view = manager->memory->view();
    if (why == hbm::error::none) why = view.check(held);
    if (why == hbm::error::none) look(view, held);
    return number_of(why);
}

std::uint32_t mixed(std::uint64_t number) noexcept {
    number = (number ^ number >> 32) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(number >> 32);
}
/// A salt for a manager that lives at `place` from now on: no other lives there, and none did at this time.
std::uint32_t salt_of(const void* place) noexcept {
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    const auto nanoseconds =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    return mixed(reinterpret_cast<std::uintptr_t>(place) + mixed(nanoseconds));
}

std::uint64_t or_default(std::uint64_t given, std::uint64_t otherwise) noexcept {
    return given == 0 ? otherwise : given;
}

hbm::memory_spec described(const hbm_spec& spec, const char* name) noexcept {
    const hbm::memory_spec usual;
    return {.name = name,
            .capacity = spec.capacity,
            .quantum = or_default(spec.quantum, usual.quantum),
            .bandwidth = or_default(spec.bandwidth, usual.bandwidth),
            .host_link = or_default(spec.host_link, usual.host_link),
            .copy_nanoseconds = or_default(spec.copy_nanoseconds, usual.copy_nanoseconds),
            .top_reserved = spec.top_reserved,
            .scratch_percent = spec.scratch_percent == 0 ? usual.scratch_percent : spec.scratch_percent,
            .runs_in_flight = spec.runs_in_flight,
            .bounce = spec.bounce};
}

/// A list of buffers of a run, which are counted from `first`. False if one is no buffer.
bool take_list(const hbm_buffer* given, std::size_t count, std::size_t first, hbm::trivial_vector<hbm::buffer>& into,
               hbm::failure& why) {
    into.resize_for_overwrite(count);
    for (std::size_t at = 0; at < count; ++at) {
        why.reason = take(given[at], into[at]);
        why.argument = static_cast<std::uint32_t>(first + at);
        if (why.reason != hbm::error::none) return false;
    }
    why = {};
    return true;
}

/// What is wrong with the lists of a run and the room for its results, as far as can be seen without the memory.
hbm_error check_run(const hbm_run_spec& run, const hbm_buffer* outputs) noexcept {
    for (const std::size_t count : {run.input_count, run.donated_count, run.kept_count, run.output_count})
        if (count > HBM_MAX_ARGUMENTS) return HBM_ERROR_TOO_MANY;
    if ((run.input_count != 0 && run.inputs == nullptr) || (run.donated_count != 0 && run.donated == nullptr) ||
        (run.kept_count != 0 && run.kept == nullptr) ||
        (run.output_count != 0 && (run.outputs == nullptr || outputs == nullptr)))
        return HBM_ERROR_NULL_POINTER;
    for (std::size_t at = 0; at < run.output_count; ++at)
        if (run.outputs[at].alias > HBM_ALIAS_MUST) return HBM_ERROR_BAD_VALUE;
    return HBM_OK;
}

hbm::output described(const hbm_output& given) noexcept {
    const hbm::aliasing bound = given.alias == HBM_ALIAS_MUST  ? hbm::aliasing::must
                                : given.alias == HBM_ALIAS_MAY ? hbm::aliasing::may
                                                               : hbm::aliasing::any;
    return {given.bytes, given.label, bound, bound == hbm::aliasing::any ? hbm::no_index : given.partner};
}

}  // namespace

extern "C" {

int hbm_c_version(void) {
    return HBM_C_VERSION;
}
const char* hbm_error_message(unsigned error) {
    const described_error* const found = find_error(error);
    return found == nullptr ? "an error that this version of the library does not know" : found->message;
}
const char* hbm_error_name(unsigned error) {
    const described_error* const found = find_error(error);
    return found == nullptr ? "unknown" : found->name;
}

// -- managers --

hbm_error hbm_spec_of_generation(const char* generation, hbm_spec* spec) {
    if (generation == nullptr || spec == nullptr) return HBM_ERROR_NULL_POINTER;
    hbm_spec filled;
    if (!read_struct(spec, filled)) return HBM_ERROR_BAD_STRUCT;
    for (const hbm::memory_spec& each : hbm::tpu::generations) {
        if (std::string_view(each.name) != generation) continue;
        filled.name = each.name;
        filled.capacity = each.capacity;
        filled.bandwidth = each.bandwidth;
        write_struct(filled, spec);
        return HBM_OK;
    }
    return HBM_ERROR_UNKNOWN_NAME;
}
const char* hbm_generation_name(size_t at) {
    return at < std::size(hbm::tpu::generations) ? hbm::tpu::generations[at].name : nullptr;
}
const char* hbm_manager_name(size_t at) {
    return at < std::size(managers) ? managers[at].name : nullptr;
}

hbm_manager* hbm_create(const char* name, const hbm_spec* spec, hbm_error* why) {
    hbm_error unheard = HBM_OK;
    hbm_error& outcome = why == nullptr ? unheard : *why;
    outcome = HBM_ERROR_NULL_POINTER;
    if (name == nullptr || spec == nullptr) return nullptr;
    hbm_spec given;
    outcome = HBM_ERROR_BAD_STRUCT;
    if (!read_struct(spec, given)) return nullptr;
    outcome = HBM_ERROR_UNKNOWN_NAME;
    const std::string_view wanted = name;
    for (const listed_manager& each : managers) {
        if (wanted != each.name && (wanted.empty() || wanted != each.short_name)) continue;
        hbm_manager* const made = new hbm_manager;
        made->device_name = given.name == nullptr ? "custom" : given.name;
        made->hooks.on_event = given.on_event;
        made->hooks.copy_bytes = given.copy;
        made->hooks.user = given.user;
        made->hooks.salt = given.salt == 0 ? salt_of(made) : given.salt;
        made->memory = each.make(described(given, made->device_name.c_str()), made->hooks.salt, made->hooks);
        outcome = number_of(made->memory->unusable());
        if (outcome == HBM_OK) return made;
        delete made;
        return nullptr;
    }
    return nullptr;
}
hbm_error hbm_destroy(hbm_manager* manager) {
    if (manager == nullptr) return HBM_OK;
    const hbm_error bad = check(manager);
    if (bad == HBM_OK) delete manager;
    return bad;
}
const char* hbm_name(const hbm_manager* manager) {
    return check(manager) == HBM_ERROR_BAD_MANAGER ? nullptr : manager->memory->name();
}

// -- buffers --

hbm_error hbm_allocate(hbm_manager* manager, uint64_t bytes, uint64_t alignment, const char* label, hbm_buffer* made) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (made == nullptr) return manager->refuse("hbm_allocate: made", HBM_ERROR_NULL_POINTER);
    const auto outcome = manager->memory->allocate({.bytes = bytes, .alignment = alignment}, label);
    if (outcome) *made = to_c(*outcome);
    return manager->settle("hbm_allocate", failure_of(outcome));
}
hbm_error hbm_free(hbm_manager* manager, hbm_buffer buffer) {
    return call_with(manager, "hbm_free", buffer, [](auto& memory, hbm::buffer held) { return memory.free(held); });
}
hbm_error hbm_free_after(hbm_manager* manager, hbm_buffer buffer, hbm_fence until) {
    return call_with(manager, "hbm_free_after", buffer,
                     [&](auto& memory, hbm::buffer held) -> hbm::result<hbm::done> {
                         hbm::fence upto;
                         if (const hbm::error bad = manager->take(until, upto); bad != hbm::error::none)
                             return hbm::failure{.reason = bad};
                         return memory.free(held, upto);
                     });
}
hbm_error hbm_pin(hbm_manager* manager, hbm_buffer buffer) {
    return call_with(manager, "hbm_pin", buffer, [](auto& memory, hbm::buffer held) { return memory.pin(held); });
}
hbm_error hbm_unpin(hbm_manager* manager, hbm_buffer buffer) {
    return call_with(manager, "hbm_unpin", buffer, [](auto& memory, hbm::buffer held) { return memory.unpin(held); });
}
hbm_error hbm_check_buffer(const hbm_manager* manager, hbm_buffer buffer) {
    return look_at<hbm::buffer>(manager, buffer, [](const auto&, hbm::buffer) {});
}
hbm_error hbm_check_program(const hbm_manager* manager, hbm_program program) {
    return look_at<hbm::program>(manager, program, [](const auto&, hbm::program) {});
}
hbm_error hbm_where(const hbm_manager* manager, hbm_buffer buffer, hbm_extent* where) {
    if (where == nullptr && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at<hbm::buffer>(manager, buffer, [&](const auto& view, hbm::buffer held) {
        const hbm::extent found = view.where(held);
        *where = {found.offset, found.size};
    });
}
hbm_error hbm_pieces(const hbm_manager* manager, hbm_buffer buffer, hbm_extent pieces[3], size_t* count) {
    if ((pieces == nullptr || count == nullptr) && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at<hbm::buffer>(manager, buffer, [&](const auto& view, hbm::buffer held) {
        const hbm::buffer_pieces found = view.pieces(held);
        for (std::size_t at = 0; at < found.size(); ++at) pieces[at] = {found[at].offset, found[at].size};
        *count = found.size();
    });
}

// -- programs --

hbm_error hbm_load(hbm_manager* manager, const hbm_program_spec* spec, hbm_program* made) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (spec == nullptr) return manager->refuse("hbm_load: spec", HBM_ERROR_NULL_POINTER);
    if (made == nullptr) return manager->refuse("hbm_load: made", HBM_ERROR_NULL_POINTER);
    hbm_program_spec given;
    if (!read_struct(spec, given)) return manager->refuse("hbm_load: spec", HBM_ERROR_BAD_STRUCT);
    const auto outcome = manager->memory->load({.name = given.name,
                                                .code = given.code,
                                                .scratch = given.scratch,
                                                .reload_us = or_default(given.reload_us, hbm::derived_cost)});
    if (outcome) *made = to_c(*outcome);
    return manager->settle("hbm_load", failure_of(outcome));
}
hbm_error hbm_reload(hbm_manager* manager, hbm_program program) {
    return call_with(manager, "hbm_reload", program, [](auto& memory, hbm::program held) { return memory.load(held); });
}
hbm_error hbm_evict(hbm_manager* manager, hbm_program program) {
    return call_with(manager, "hbm_evict", program, [](auto& memory, hbm::program held) { return memory.evict(held); });
}
hbm_error hbm_unload_for_now(hbm_manager* manager, hbm_program program) {
    return call_with(manager, "hbm_unload_for_now", program,
                     [](auto& memory, hbm::program held) { return memory.unload_for_now(held); });
}
hbm_error hbm_unload(hbm_manager* manager, hbm_program program) {
    return call_with(manager, "hbm_unload", program,
                     [](auto& memory, hbm::program held) { return memory.unload(held); });
}
hbm_error hbm_is_loaded(const hbm_manager* manager, hbm_program program, int* loaded) {
    if (loaded == nullptr && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at<hbm::program>(manager, program, [&](const auto& view, hbm::program held) {
        *loaded = view.about(held).resident ? 1 : 0;
    });
}

// -- runs --

hbm_error hbm_run(hbm_manager* manager, hbm_program program, const hbm_run_spec* spec, hbm_buffer* outputs,
                  hbm_run_result* result) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (spec == nullptr) return manager->refuse("hbm_run: spec", HBM_ERROR_NULL_POINTER);
    hbm_run_spec run;
    if (!read_struct(spec, run)) return manager->refuse("hbm_run: spec", HBM_ERROR_BAD_STRUCT);
    hbm_run_result told{};
    if (result != nullptr && !read_struct(result, told))
        return manager->refuse("hbm_run: result", HBM_ERROR_BAD_STRUCT);
    if (const hbm_error bad = check_run(run, outputs); bad != HBM_OK) return manager->refuse("hbm_run: lists", bad);

    hbm::failure why;
    hbm::program subject;
    why.reason = take(program, subject);
    if (why.reason != hbm::error::none ||
        !take_list(run.inputs, run.input_count, 0, manager->inputs, why) ||
        !take_list(run.donated, run.donated_count, run.input_count, manager->donated, why))
        return manager->settle("hbm_run", why);
    manager->outputs.clear();
    for (std::size_t at = 0; at < run.output_count; ++at) manager->outputs.push_back(described(run.outputs[at]));
    const auto outcome = manager->memory->run(subject,
                                              {.inputs = manager->inputs,
                                               .donated = manager->donated,
                                               .outputs = manager->outputs,
                                               .kept = {run.kept, run.kept_count},
                                               .run_us = run.run_us},
                                              manager->ran);
    if (outcome) {
        const hbm::run_result& ran = manager->ran;
        for (std::size_t at = 0; at < run.output_count; ++at) outputs[at] = to_c(ran.outputs[at]);
        if (told.donors != nullptr)
            for (std::size_t at = 0; at < run.output_count; ++at) told.donors[at] = ran.donors[at];
        told.over = manager->to_c(ran.over);
        told.donated = ran.donated;
        told.reloaded = ran.reloaded ? 1 : 0;
        if (result != nullptr) write_struct(told, result);
    }
    return manager->settle("hbm_run", failure_of(outcome));
}

// -- time and relief --

hbm_error hbm_issued(const hbm_manager* manager, hbm_fence* fence) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (fence == nullptr) return HBM_ERROR_NULL_POINTER;
    *fence = manager->to_c(manager->memory->view().issued());
    return HBM_OK;
}
hbm_error hbm_reached(const hbm_manager* manager, hbm_fence* fence) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (fence == nullptr) return HBM_ERROR_NULL_POINTER;
    *fence = manager->to_c(manager->memory->view().reached());
    return HBM_OK;
}
hbm_error hbm_retire(hbm_manager* manager, hbm_fence upto) {
    return call(manager, "hbm_retire", [&](hbm::any_manager& memory) -> hbm::result<hbm::done> {
        hbm::fence over;
        if (const hbm::error bad = manager->take(upto, over); bad != hbm::error::none)
            return hbm::failure{.reason = bad};
        return memory.retire(over);
    });
}
hbm_error hbm_sync(hbm_manager* manager) {
    return call(manager, "hbm_sync", [](hbm::any_manager& memory) { return memory.retire(memory.view().issued()); });
}
hbm_error hbm_finish_moves(hbm_manager* manager) {
    return call(manager, "hbm_finish_moves", [](hbm::any_manager& memory) { return memory.finish_moves(); });
}
hbm_error hbm_compact(hbm_manager* manager, uint64_t budget, uint64_t* remaining) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (!manager->memory->moves_blocks()) return manager->refuse("hbm_compact", HBM_ERROR_NOT_SUPPORTED);
    const hbm::compaction done = manager->memory->compact(budget);
    if (remaining != nullptr && done.reason == hbm::error::none) *remaining = done.remaining;
    return manager->settle("hbm_compact", {.reason = done.reason});
}

// -- looking --

hbm_error hbm_get_statistics(const hbm_manager* manager, hbm_statistics* statistics) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (statistics == nullptr) return HBM_ERROR_NULL_POINTER;
    hbm_statistics told;
    if (!read_struct(statistics, told)) return HBM_ERROR_BAD_STRUCT;
    const hbm::memory_view<std::uint32_t> view = manager->memory->view();
    const hbm::totals& done = view.done_so_far();
    told.capacity = view.capacity_bytes();
    told.free_bytes = view.free_bytes();
    told.largest_free = manager->memory->largest_free_bytes();
    told.live = view.live_bytes();
    told.peak_live = view.peak_live_bytes();
    told.reserved = view.reserved_bytes();
    told.reservable = view.reservable_bytes();
    told.relieved = done.relieved;
    told.evictions = done.evictions;
    told.evicted_bytes = done.evicted_bytes;
    told.thrashing = done.thrashing;
    told.reloads = done.reloads;
    told.reload_nanoseconds = done.reload_nanoseconds;
    told.moves = done.moves;
    told.copies = done.copies;
    told.moved_bytes = done.moved_bytes;
    told.move_nanoseconds = done.move_nanoseconds;
    told.waits = done.waits;
    told.wait_nanoseconds = done.wait_nanoseconds;
    told.spilled_runs = done.spilled_runs;
    told.spill_nanoseconds = done.spill_nanoseconds;
    told.donations_offered = done.donations_offered;
    told.donations_kept = done.donations_kept;
    told.donations_taken = done.donations_taken;
    told.donated_bytes = done.donated_bytes;
    write_struct(told, statistics);
    return HBM_OK;
}

size_t hbm_last_message(const hbm_manager* manager, char* text, size_t size) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return write_text(hbm_error_message(bad), text, size);
    return write_text(manager->message(), text, size);
}
size_t hbm_explain(const hbm_manager* manager, char* text, size_t size) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return write_text(hbm_error_message(bad), text, size);
    if (manager->error == HBM_OK) return write_text("The latest call did not fail.\n", text, size);
    if (manager->why.reason == hbm::error::none) return write_text(manager->message() + "\n", text, size);
    return write_text(manager->memory->explain(manager->why), text, size);
}
size_t hbm_dump(const hbm_manager* manager, char* text, size_t size) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return write_text(hbm_error_message(bad), text, size);
    return write_text(manager->memory->dump(manager->why), text, size);
}

}  // extern "C"
