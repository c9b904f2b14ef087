#pragma once

/// The manager behind the C interface, and the checks and conversions that its calls share.

#include <hbm/c.h>
#include <hbm/c/any_manager.hpp>
#include <hbm/c/c_errors.hpp>
#include <hbm/c/c_values.hpp>
#include <hbm/explain/error_table.hpp>
#include <hbm/explain/message.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <type_traits>

namespace hbm::inline v0::c_face {

inline constexpr std::uint64_t living = 0x68626d206d616e61;  // "hbm mana"

}  // namespace hbm::inline v0::c_face

struct hbm_manager {
    std::uint64_t magic = hbm::c_face::living;
    std::shared_ptr<const std::string> device_name;  // forks refer to the same text
    mutable hbm::c_face::callbacks hooks;  // marked while a callback of a query runs
    hbm::any_manager* memory = nullptr;

    // The latest call and its error; if that is not HBM_OK, the library's figures, if any.
    const char* call = "";
    hbm_error error = HBM_OK;
    hbm::failure why;

    // Lists of the current run; their memory is reused.
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

    [[gnu::cold, gnu::noinline]] hbm_error refuse(const char* where, hbm_error number) noexcept {
        call = where;
        error = number;
        why = {};
        return number;
    }
    hbm_error succeed(const char* where) noexcept {
        call = where;
        return error = HBM_OK;
    }
    [[gnu::cold, gnu::noinline]] hbm_error fail(const char* where, const hbm::failure& outcome) noexcept {
        call = where;
        error = hbm::c_face::number_of(outcome.reason);
        why = outcome;
        return error;
    }
    template <class T>
    hbm_error settle(const char* where, const hbm::result<T>& outcome) noexcept {
        return outcome ? succeed(where) : fail(where, outcome.error());
    }
    /// Returns the failure of the latest call; its reason is `none` if it succeeded, or has no figures.
    [[nodiscard]] hbm::failure failure() const noexcept { return error == HBM_OK ? hbm::failure{} : why; }
    /// Converts a fence. Returns an error if it is not a fence of this manager.
    [[nodiscard]] hbm::error take(const hbm_fence& given, hbm::fence& target) const noexcept {
        target = {given.number};
        if (given.kind == 0 && given.number == 0) return hbm::error::none;
        if (given.kind != hbm::c_face::fence_kind)
            return given.kind == 0 ? hbm::error::unknown_fence : hbm::error::wrong_kind;
        return given.salt == hooks.salt ? hbm::error::none : hbm::error::foreign_handle;
    }
    [[nodiscard]] hbm_fence to_c(hbm::fence given) const noexcept {
        return {given.number, hooks.salt, hbm::c_face::fence_kind};
    }

    [[nodiscard]] std::string message() const {
        if (error == HBM_OK) return hbm::status_name(hbm::status::ok);
        std::string text;
        if (why.reason == hbm::error::none) {
            text = hbm::status_name(hbm::status::invalid_argument);
            for (const char* const part : {": ", call, ": ", hbm_error_message(error)}) text += part;
            return text;
        }
        const auto view = memory->view();
        text = hbm::message(why, view.name_of(why.label), hbm::place_of(view.spec()));
        return hbm::for_want_of_room(why.reason) ? text : text + " (" + call + ")";
    }
};

namespace hbm::inline v0::c_face {

inline hbm_error check(const hbm_manager* manager) noexcept {
    if (reinterpret_cast<std::uintptr_t>(manager) % alignof(hbm_manager) != 0) return HBM_ERROR_BAD_MANAGER;
    if (manager == nullptr || manager->magic != living) return HBM_ERROR_BAD_MANAGER;
    return manager->hooks.running ? HBM_ERROR_IN_CALLBACK : HBM_OK;
}

/// Calls `act(memory)`, which returns a result, and stores its failure.
template <class Act>
hbm_error call(hbm_manager* manager, const char* name, Act act) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    return manager->settle(name, act(*manager->memory));
}
/// The library's handle of a buffer or a program.
template <class C>
using held_by = std::conditional_t<std::is_same_v<C, hbm_buffer>, hbm::buffer, hbm::program>;

/// Calls `act(memory, handle)`, which returns a result, and stores its failure.
template <class C, class Act>
hbm_error call_with(hbm_manager* manager, const char* name, const C& given, Act act) {
    return call(manager, name, [&](hbm::any_manager& memory) -> hbm::result<hbm::done> {
        held_by<C> held;
        if (const hbm::error bad = take(given, held); bad != hbm::error::none) return hbm::failure{.reason = bad};
        return act(memory, held);
    });
}
/// Calls `act(memory)`, which returns a buffer, writes its handle, and stores its failure.
template <class Act>
hbm_error settle_buffer(hbm_manager* manager, const char* name, hbm_buffer* target, Act act) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (target == nullptr) return manager->refuse(name, HBM_ERROR_NULL_POINTER);
    const hbm::result<hbm::buffer> outcome = act(*manager->memory);
    if (outcome) *target = to_c(*outcome);
    return manager->settle(name, outcome);
}

/// Calls `look(view, handle)` if the handle is valid. Stores no failure.
template <class C, class Look>
hbm_error look_at(const hbm_manager* manager, const C& given, Look look) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    held_by<C> held;
    hbm::error why = take(given, held);
    const hbm::memory_view<std::uint64_t> view = manager->memory->view();
    if (why == hbm::error::none) why = view.check(held);
    if (why == hbm::error::none) look(view, held);
    return number_of(why);
}

inline std::uint32_t mixed(std::uint64_t number) noexcept {
    number = (number ^ number >> 32) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(number >> 32);
}
/// Returns a salt for a manager at `place`, unique by place and time.
inline std::uint32_t salt_of(const void* place) noexcept {
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    const auto nanoseconds =
        static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    return mixed(reinterpret_cast<std::uintptr_t>(place) + mixed(nanoseconds));
}

inline std::uint64_t or_default(std::uint64_t given, std::uint64_t otherwise) noexcept {
    return given == 0 ? otherwise : given;
}

inline hbm::memory_spec described(const hbm_spec& spec, const char* name) noexcept {
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

/// Converts a list of buffers of a run, counted from `first`.
/// Fails: returns false if one is not a buffer.
inline bool take_list(const hbm_buffer* given, std::size_t count, std::size_t first,
                      hbm::trivial_vector<hbm::buffer>& target, hbm::failure& why) {
    target.resize_for_overwrite(count);
    for (std::size_t at = 0; at < count; ++at) {
        why.reason = take(given[at], target[at]);
        why.argument = static_cast<std::uint32_t>(first + at);
        if (why.reason != hbm::error::none) return false;
    }
    why = {};
    return true;
}

inline hbm_error check_run(const hbm_run_spec& run, const hbm_buffer* outputs) noexcept {
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

inline hbm::output described(const hbm_output& given) noexcept {
    const hbm::aliasing bound = given.alias == HBM_ALIAS_MUST  ? hbm::aliasing::must
                                : given.alias == HBM_ALIAS_MAY ? hbm::aliasing::may
                                                               : hbm::aliasing::any;
    return {given.bytes, given.label, bound, bound == hbm::aliasing::any ? hbm::no_index : given.partner};
}

inline hbm_error read_request(const hbm_request* request, hbm_request& target) noexcept {
    if (request == nullptr) return HBM_ERROR_NULL_POINTER;
    if (!read_struct(request, target)) return HBM_ERROR_BAD_STRUCT;
    return target.preferred > HBM_SIDE_HIGH || target.expected > HBM_LIFETIME_LASTING ? HBM_ERROR_BAD_VALUE : HBM_OK;
}
/// Requires: `read_request` has accepted it.
inline hbm::request described(const hbm_request& given) noexcept {
    return {.bytes = given.bytes,
            .alignment = given.alignment,
            .preferred = static_cast<hbm::side>(given.preferred),
            .expected = static_cast<hbm::lifetime>(given.expected)};
}

static_assert(static_cast<int>(hbm::side::high) == HBM_SIDE_HIGH);
static_assert(static_cast<int>(hbm::lifetime::lasting) == HBM_LIFETIME_LASTING);

}  // namespace hbm::inline v0::c_face
