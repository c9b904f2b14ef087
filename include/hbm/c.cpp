// Implements hbm/c.h in one translation unit, compiled as C++20: each call checks its arguments and calls an
// `any_manager`.

#include <hbm/c.h>
#include <hbm/c/c_manager.hpp>
#include <hbm/c/c_managers.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace hbm::c_face;

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
    const listed_manager* const listed = find_manager(at);
    return listed == nullptr ? nullptr : listed->name;
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
    for (std::size_t at = 0; const listed_manager* const listed = find_manager(at); ++at) {
        if (wanted != listed->name && (wanted.empty() || wanted != listed->short_name)) continue;
        hbm_manager* const manager = new hbm_manager;
        manager->device_name = std::make_shared<const std::string>(given.name == nullptr ? "custom" : given.name);
        manager->hooks.on_event = given.on_event;
        manager->hooks.copy_bytes = given.copy;
        manager->hooks.user = given.user;
        manager->hooks.salt = given.salt == 0 ? salt_of(manager) : given.salt;
        manager->memory =
            listed->make(described(given, manager->device_name->c_str()), manager->hooks.salt, manager->hooks);
        outcome = number_of(manager->memory->unusable());
        if (outcome == HBM_OK && manager->memory->view().capacity_bytes() == 0) outcome = HBM_ERROR_NO_CAPACITY;
        if (outcome == HBM_OK) return manager;
        delete manager;
        return nullptr;
    }
    return nullptr;
}
hbm_manager* hbm_fork(const hbm_manager* manager, hbm_error* why) {
    const hbm_error bad = check(manager);
    if (why != nullptr) *why = bad;
    if (bad != HBM_OK) return nullptr;
    hbm_manager* const fork = new hbm_manager;
    fork->device_name = manager->device_name;
    fork->hooks.salt = manager->hooks.salt;
    fork->memory = manager->memory->fork();
    fork->call = manager->call;
    fork->error = manager->error;
    fork->why = manager->why;
    return fork;
}
hbm_error hbm_extend(hbm_manager* manager, uint64_t capacity) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (!manager->memory->traits().extends) return manager->refuse("hbm_extend", HBM_ERROR_NOT_SUPPORTED);
    return manager->refuse("hbm_extend", manager->memory->extend(capacity) ? HBM_OK : HBM_ERROR_BAD_VALUE);
}
hbm_error hbm_destroy(hbm_manager* manager) {
    if (manager == nullptr) return HBM_OK;
    const hbm_error bad = check(manager);
    if (bad == HBM_OK) delete manager;
    return bad;
}
const char* hbm_name(const hbm_manager* manager) {
    return check(manager) == HBM_ERROR_BAD_MANAGER ? nullptr : manager->memory->traits().name;
}

// -- buffers --

hbm_error hbm_allocate(hbm_manager* manager, uint64_t bytes, uint64_t alignment, const char* label,
                       hbm_buffer* buffer) {
    return settle_buffer(manager, "hbm_allocate", buffer, [&](hbm::any_manager& memory) {
        return memory.allocate({.bytes = bytes, .alignment = alignment}, label);
    });
}
hbm_error hbm_allocate_request(hbm_manager* manager, const hbm_request* request, hbm_buffer* buffer) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    hbm_request given;
    if (const hbm_error bad = read_request(request, given); bad != HBM_OK)
        return manager->refuse("hbm_allocate_request: request", bad);
    return settle_buffer(manager, "hbm_allocate_request", buffer,
                         [&](hbm::any_manager& memory) { return memory.allocate(described(given), given.label); });
}
hbm_error hbm_import(hbm_manager* manager, hbm_extent where, const char* label, hbm_buffer* buffer) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (!manager->memory->traits().imports) return manager->refuse("hbm_import", HBM_ERROR_NOT_SUPPORTED);
    return settle_buffer(manager, "hbm_import", buffer, [&](hbm::any_manager& memory) {
        return memory.import({where.offset, where.size}, label);
    });
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
    return look_at(manager, buffer, [](const auto&, hbm::buffer) {});
}
hbm_error hbm_check_program(const hbm_manager* manager, hbm_program program) {
    return look_at(manager, program, [](const auto&, hbm::program) {});
}
hbm_error hbm_where(const hbm_manager* manager, hbm_buffer buffer, hbm_extent* where) {
    if (where == nullptr && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at(manager, buffer, [&](const auto& view, hbm::buffer held) {
        const hbm::extent range = view.where(held);
        *where = {range.offset, range.size};
    });
}
hbm_error hbm_pieces(const hbm_manager* manager, hbm_buffer buffer, hbm_extent pieces[3], size_t* count) {
    if ((pieces == nullptr || count == nullptr) && check(manager) == HBM_OK) return HBM_ERROR_NULL_POINTER;
    return look_at(manager, buffer, [&](const auto& view, hbm::buffer held) {
        const hbm::buffer_pieces ranges = view.pieces(held);
        for (std::size_t at = 0; at < ranges.size(); ++at) pieces[at] = {ranges[at].offset, ranges[at].size};
        *count = ranges.size();
    });
}

// -- programs --

hbm_error hbm_load(hbm_manager* manager, const hbm_program_spec* spec, hbm_program* loaded) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (spec == nullptr) return manager->refuse("hbm_load: spec", HBM_ERROR_NULL_POINTER);
    if (loaded == nullptr) return manager->refuse("hbm_load: program", HBM_ERROR_NULL_POINTER);
    hbm_program_spec given;
    if (!read_struct(spec, given)) return manager->refuse("hbm_load: spec", HBM_ERROR_BAD_STRUCT);
    const auto outcome = manager->memory->load({.name = given.name,
                                                .code = given.code,
                                                .scratch = given.scratch,
                                                .reload_us = or_default(given.reload_us, hbm::derived_cost)});
    if (outcome) *loaded = to_c(*outcome);
    return manager->settle("hbm_load", outcome);
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
    return look_at(manager, program,
                   [&](const auto& view, hbm::program held) { *loaded = view.about(held).resident ? 1 : 0; });
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
        return manager->fail("hbm_run", why);
    manager->outputs.clear();
    for (std::size_t at = 0; at < run.output_count; ++at) manager->outputs.push_back(described(run.outputs[at]));
    const auto outcome = manager->memory->run(subject,
                                              {.inputs = manager->inputs,
                                               .donated = manager->donated,
                                               .outputs = manager->outputs,
                                               .kept = {run.kept, run.kept_count},
                                               .run_us = run.run_us,
                                               .arguments_may_move = run.arguments_may_move != 0},
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
    return manager->settle("hbm_run", outcome);
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
hbm_error hbm_plan(const hbm_manager* manager, const hbm_request* request, hbm_step* steps, size_t size,
                   size_t* count) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (count == nullptr || (steps == nullptr && size != 0)) return HBM_ERROR_NULL_POINTER;
    hbm_request given;
    if (const hbm_error bad = read_request(request, given); bad != HBM_OK) return bad;
    const hbm::planning_result planned = manager->memory->plan_for(described(given));
    if (!planned.found) return HBM_ERROR_BUFFER_DOES_NOT_FIT;
    *count = planned.found->steps.size();
    for (std::size_t at = 0; at < *count && at < size; ++at) steps[at] = to_c(planned.found->steps[at]);
    return HBM_OK;
}
hbm_error hbm_relieve(hbm_manager* manager, const hbm_step* steps, size_t count) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (steps == nullptr && count != 0) return manager->refuse("hbm_relieve: steps", HBM_ERROR_NULL_POINTER);
    if (count > HBM_MAX_ARGUMENTS) return manager->refuse("hbm_relieve: steps", HBM_ERROR_TOO_MANY);
    hbm::plan given;
    for (std::size_t at = 0; at < count; ++at) {
        if (steps[at].kind > HBM_STEP_MOVE) return manager->refuse("hbm_relieve: steps", HBM_ERROR_BAD_VALUE);
        given.add(described(steps[at], manager->memory->view().spec()));
    }
    return call(manager, "hbm_relieve", [&](hbm::any_manager& memory) { return memory.relieve(given); });
}
hbm_error hbm_finish_moves(hbm_manager* manager) {
    return call(manager, "hbm_finish_moves", [](hbm::any_manager& memory) { return memory.finish_moves(); });
}
hbm_error hbm_compact(hbm_manager* manager, uint64_t budget, uint64_t* remaining) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (!manager->memory->traits().moves) return manager->refuse("hbm_compact", HBM_ERROR_NOT_SUPPORTED);
    const hbm::compaction done = manager->memory->compact(budget);
    if (remaining != nullptr && done.reason == hbm::error::none) *remaining = done.remaining;
    return done.reason == hbm::error::none ? manager->succeed("hbm_compact")
                                           : manager->fail("hbm_compact", {.reason = done.reason});
}

// -- views --

hbm_error hbm_visit_blocks(const hbm_manager* manager, hbm_block_function visit, void* user) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (visit == nullptr) return HBM_ERROR_NULL_POINTER;
    const hbm::memory_view<std::uint64_t> view = manager->memory->view();
    manager->hooks.running = true;
    for (hbm::block_index at = view.map().first(); at != hbm::no_block; at = view.map().next(at)) {
        const hbm_block block = describe(view, at, manager->hooks.salt);
        if (visit(user, &block) == 0) break;
    }
    manager->hooks.running = false;
    return HBM_OK;
}
hbm_error hbm_about_buffer(const hbm_manager* manager, hbm_buffer buffer, hbm_block* block) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (block == nullptr) return HBM_ERROR_NULL_POINTER;
    hbm_block filled;
    if (!read_struct(block, filled)) return HBM_ERROR_BAD_STRUCT;
    const std::size_t size = filled.struct_size;
    return look_at(manager, buffer, [&](const auto& view, hbm::buffer held) {
        filled = describe(view, held.index, manager->hooks.salt);
        filled.struct_size = size;
        write_struct(filled, block);
    });
}

hbm_error hbm_get_statistics(const hbm_manager* manager, hbm_statistics* statistics) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return bad;
    if (statistics == nullptr) return HBM_ERROR_NULL_POINTER;
    hbm_statistics told;
    if (!read_struct(statistics, told)) return HBM_ERROR_BAD_STRUCT;
    const hbm::memory_view<std::uint64_t> view = manager->memory->view();
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
    return write_text(manager->memory->explain(manager->failure()), text, size);
}
size_t hbm_dump(const hbm_manager* manager, char* text, size_t size) {
    if (const hbm_error bad = check(manager); bad != HBM_OK) return write_text(hbm_error_message(bad), text, size);
    return write_text(manager->memory->dump(manager->failure()), text, size);
}

}  // extern "C"
