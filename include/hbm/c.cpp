// Implements hbm/c.h in one translation unit, compiled as C++20: each call checks its arguments and calls an
// `any_manager`.

#include <hbm/c.h>
#include <hbm/c/any_manager.hpp>
#include <hbm/c/c_errors.hpp>
#include <hbm/c/c_managers.hpp>
#include <hbm/c/c_values.hpp>
#include <hbm/explain/status.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

using namespace hbm::c_face;

namespace {

constexpr std::uint64_t living = 0x68626d206d616e61;  // "hbm mana"

}  // namespace

struct hbm_manager {
    std::uint64_t magic = living;
    std::string device_name;
    callbacks hooks;
    hbm::any_manager* memory = nullptr;

    // The latest failure: a call, an error, and the library's figures, if any.
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
    /// Converts a fence. Returns an error if it is not a fence of this manager.
    [[nodiscard]] hbm::error take(const hbm_fence& given, hbm::fence& target) const noexcept {
        target = {given.number};
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

hbm_error check(const hbm_manager* manager) noexcept {
    if (reinterpret_cast<std::uintptr_t>(manager) % alignof(hbm_manager) != 0) return HBM_ERROR_BAD_MANAGER;
    if (manager == nullptr || manager->magic != living) return HBM_ERROR_BAD_MANAGER;
    return manager->hooks.running ? HBM_ERROR_IN_CALLBACK : HBM_OK;
}

template <class T>
hbm::failure failure_of(const hbm::result<T>& outcome) noexcept {
    return outcome ? hbm::failure{} : outcome.error();
}

/// Calls `act(memory)`, which returns a result, and stores its failure.
template <class Act>
hbm_error call(hbm_manager* manager, const char* name, Act act) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    return manager->settle(name, failure_of(act(*manager->memory)));
}
/// Calls `act(memory, handle)`, which returns a result, and stores its failure.
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

/// Calls `look(view, handle)` if the handle is valid. Stores no failure.
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
/// Returns a salt for a manager at `place`, unique by place and time.
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

/// Converts a list of buffers of a run, counted from `first`.
/// Fails: returns false if one is not a buffer.
bool take_list(const hbm_buffer* given, std::size_t count, std::size_t first, hbm::trivial_vector<hbm::buffer>& target,
               hbm::failure& why) {
    target.resize_for_overwrite(count);
    for (std::size_t at = 0; at < count; ++at) {
        why.reason = take(given[at], target[at]);
        why.argument = static_cast<std::uint32_t>(first + at);
        if (why.reason != hbm::error::none) return false;
    }
    why = {};
    return true;
}

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
    const described_error* const description = find_error(error);
    return description == nullptr ? "an error that this version of the library does not know" : description->message;
}
const char* hbm_error_name(unsigned error) {
    const described_error* const description = find_error(error);
    return description == nullptr ? "unknown" : description->name;
}

// -- managers --

hbm_error hbm_spec_of_generation(const char* generation, hbm_spec* spec) {
    if (generation == nullptr || spec == nullptr) return HBM_ERROR_NULL_POINTER;
    hbm_spec filled;
    if (!read_struct(spec, filled)) return HBM_ERROR_BAD_STRUCT;
    for (const hbm::memory_spec& device : hbm::tpu::generations) {
        if (std::string_view(device.name) != generation) continue;
        filled.name = device.name;
        filled.capacity = device.capacity;
        filled.bandwidth = device.bandwidth;
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
    for (const listed_manager& listed : managers) {
        if (wanted != listed.name && (wanted.empty() || wanted != listed.short_name)) continue;
        hbm_manager* const manager = new hbm_manager;
        manager->device_name = given.name == nullptr ? "custom" : given.name;
        manager->hooks.on_event = given.on_event;
        manager->hooks.copy_bytes = given.copy;
        manager->hooks.user = given.user;
        manager->hooks.salt = given.salt == 0 ? salt_of(manager) : given.salt;
        manager->memory =
            listed.make(described(given, manager->device_name.c_str()), manager->hooks.salt, manager->hooks);
        outcome = number_of(manager->memory->unusable());
        if (outcome == HBM_OK && manager->memory->view().capacity_bytes() == 0) outcome = HBM_ERROR_NO_CAPACITY;
        if (outcome == HBM_OK) return manager;
        delete manager;
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
    return call_with(manager, "hbm_free_after", buffer, [&](auto& memory, hbm::buffer held) -> hbm::result<hbm::done> {
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
        const hbm::extent range = view.where(held);
        *where = {range.offset, range.size};
    });
}
hbm_error hbm_pieces(const hbm_manager* manager, hbm_buffer buffer, hbm_extent pieces[3], size_t* count) {
    if ((pieces == nullptr || count == nullptr) && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at<hbm::buffer>(manager, buffer, [&](const auto& view, hbm::buffer held) {
        const hbm::buffer_pieces ranges = view.pieces(held);
        for (std::size_t at = 0; at < ranges.size(); ++at) pieces[at] = {ranges[at].offset, ranges[at].size};
        *count = ranges.size();
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
    return look_at<hbm::program>(
        manager, program, [&](const auto& view, hbm::program held) { *loaded = view.about(held).resident ? 1 : 0; });
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
    if (why.reason != hbm::error::none || !take_list(run.inputs, run.input_count, 0, manager->inputs, why) ||
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

// -- views --

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
