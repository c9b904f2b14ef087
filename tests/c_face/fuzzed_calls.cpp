// Runs, looks and nonsense of a fuzzed manager.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzzed_manager.hpp"

namespace hbm::test {

void fuzzed_manager::run(const fuzzed_manager& other) {
    tame_ = random_.once_in(2) && !buffers_.empty() && !programs_.empty();
    call_run(other);
    tame_ = false;
}

void fuzzed_manager::call_run(const fuzzed_manager& other) {
    std::vector<hbm_buffer> inputs, donated;
    std::vector<std::uint32_t> kept;
    std::vector<hbm_output> outputs;
    for (std::uint64_t count = random_.below(4); count != 0; --count) inputs.push_back(any_buffer(other));
    for (std::uint64_t count = random_.below(3); count != 0; --count) donated.push_back(any_buffer(other));
    if (random_.once_in(6)) kept.push_back(!tame_ && random_.once_in(6) ? word() : 0);
    for (std::uint64_t count = random_.below(4); count != 0; --count) {
        hbm_output made{};
        made.bytes = any_size();
        hbm_extent where{};
        if (!donated.empty() && random_.once_in(2) && hbm_where(manager_, donated[0], &where) == HBM_OK)
            made.bytes = where.size;
        made.label = any_name();
        made.alias = random_.once_in(2) ? static_cast<std::uint32_t>(random_.below(3)) : 0;
        if (!tame_ && random_.once_in(32)) made.alias = word();
        made.partner = !tame_ && random_.once_in(8) ? word() : 0;
        outputs.push_back(made);
    }
    const bool null_lists = !tame_ && random_.once_in(16);
    hbm_run_spec spec{};
    spec.struct_size = any_struct_size(sizeof spec);
    spec.inputs = null_lists && random_.once_in(2) ? nullptr : inputs.data();
    spec.donated = null_lists && random_.once_in(2) ? nullptr : donated.data();
    spec.kept = null_lists && random_.once_in(2) ? nullptr : kept.data();
    spec.outputs = null_lists && random_.once_in(2) ? nullptr : outputs.data();
    spec.input_count = any_count(null_lists && spec.inputs == nullptr, inputs.size());
    spec.donated_count = any_count(null_lists && spec.donated == nullptr, donated.size());
    spec.kept_count = any_count(null_lists && spec.kept == nullptr, kept.size());
    spec.output_count = any_count(null_lists && spec.outputs == nullptr, outputs.size());
    spec.run_us = random_.next() >> random_.below(64);

    std::vector<hbm_buffer> made(outputs.size());
    std::vector<std::uint32_t> donors(outputs.size(), 77);
    hbm_run_result result{};
    result.struct_size = any_struct_size(sizeof result);
    result.donors = random_.once_in(2) ? nullptr : donors.data();
    const bool no_result = random_.once_in(4);
    const bool no_outputs = !tame_ && random_.once_in(32);
    const hbm_program subject = any_program(other);
    const bool good = run_is_good(spec, inputs, donated, subject) &&
                      (no_result || result.struct_size == sizeof result) && (!no_outputs || spec.output_count == 0);
    const hbm_error why = hbm_run(manager_, subject, random_.once_in(64) ? nullptr : &spec,
                                  no_outputs ? nullptr : made.data(), no_result ? nullptr : &result);
    settle(why, good, "a run with wrong arguments is refused");
    if (why != HBM_OK) return;
    std::vector<bool> is_kept(spec.donated_count);
    for (std::size_t at = 0; at < spec.kept_count; ++at) is_kept[kept[at]] = true;
    for (std::size_t at = 0; at < spec.donated_count; ++at)
        if (!is_kept[at]) drop(buffers_, gone_buffers_, donated[at]);
    for (std::size_t at = 0; at < spec.output_count; ++at) add(made[at]);
    if (no_result) return;
    std::uint32_t taken = 0;
    if (result.donors != nullptr) {
        for (std::size_t at = 0; at < spec.output_count; ++at) {
            taken += donors[at] != HBM_NO_DONOR;
            expect(donors[at] == HBM_NO_DONOR ||
                       (donors[at] < spec.donated_count && donated[donors[at]].index == made[at].index),
                   "an output takes over a donor's block");
        }
        expect(taken == result.donated, "as many outputs took over an input as have donors");
    }
    expect(is_good(result.over) && result.over.number != 0, "a run has a fence");
}

bool fuzzed_manager::run_is_good(const hbm_run_spec& spec, const std::vector<hbm_buffer>& inputs,
                                 const std::vector<hbm_buffer>& donated, const hbm_program& subject) const {
    if (!is_live(subject) || spec.struct_size != sizeof spec) return false;
    if (spec.input_count > inputs.size() || spec.donated_count > donated.size() || spec.kept_count > 1 ||
        spec.output_count > 3)
        return false;
    if ((spec.inputs == nullptr && spec.input_count != 0) || (spec.donated == nullptr && spec.donated_count != 0) ||
        (spec.kept == nullptr && spec.kept_count != 0) || (spec.outputs == nullptr && spec.output_count != 0))
        return false;
    const bool keeps_first = spec.kept_count == 1 && spec.kept[0] == 0;
    if (spec.kept_count == 1 && spec.kept[0] >= spec.donated_count) return false;
    for (std::size_t at = 0; at < spec.input_count; ++at)
        if (!is_live(inputs[at])) return false;
    for (std::size_t at = 0; at < spec.donated_count; ++at) {
        const auto* const held = find(buffers_, donated[at]);
        if (held == nullptr || (held->pins != 0 && !(keeps_first && at == 0))) return false;
        for (std::size_t before = 0; before < at; ++before)
            if (same(donated[before], donated[at])) return false;
        for (std::size_t other = 0; other < spec.input_count; ++other)
            if (same(inputs[other], donated[at])) return false;
    }
    for (std::size_t at = 0; at < spec.output_count; ++at) {
        const hbm_output& each = spec.outputs[at];
        if (each.alias > HBM_ALIAS_MUST || each.bytes > capacity) return false;
        if (each.alias != HBM_ALIAS_ANY && each.partner >= spec.donated_count) return false;
    }
    return true;
}

void fuzzed_manager::retire(const fuzzed_manager& other) {
    if (random_.once_in(4)) return settle(hbm_sync(manager_), true, "");
    if (random_.once_in(4)) return settle(hbm_finish_moves(manager_), true, "");
    const hbm_fence upto = any_fence(other);
    const bool good = is_good(upto);
    const hbm_error why = hbm_retire(manager_, upto);
    expect(good == (why == HBM_OK), "a good fence is retired");
    settle(why, good, "a good fence is retired");
}

void fuzzed_manager::relieve() {
    hbm_request request{};
    request.struct_size = any_struct_size(sizeof request);
    request.bytes = any_size();
    request.alignment = any_alignment();
    request.preferred = static_cast<std::uint32_t>(random_.below(4));
    request.expected = static_cast<std::uint32_t>(random_.below(4));
    hbm_step steps[4] = {};
    std::size_t count = 0;
    const std::size_t size = random_.below(5);
    const hbm_error planned = hbm_plan(manager_, &request, steps, size, &count);
    expect(planned != HBM_OK || (request.preferred < 3 && request.expected < 3), "a plan is for a valid request");
    expect(unchanged(), "a plan changes nothing");
    if (count > size) count = size;
    if (count == 0) count = random_.below(3);  // steps of zeros
    if (count != 0 && random_.once_in(2)) {
        hbm_step& forged = steps[random_.below(count)];
        std::uint64_t* const fields[] = {&forged.from, &forged.to, &forged.bytes, &forged.nanoseconds};
        *fields[random_.below(4)] = any_size();
        if (random_.once_in(2)) forged.kind = static_cast<std::uint32_t>(random_.below(5));
        if (random_.once_in(2))
            forged.index = random_.once_in(2) ? word() : static_cast<std::uint32_t>(random_.below(80));
    }
    settle(hbm_relieve(manager_, steps, count), true, "");
}

void fuzzed_manager::try_fork() {
    hbm_error why = HBM_ERROR_BAD_MANAGER;
    hbm_manager* const fork = hbm_fork(manager_, &why);
    expect(fork != nullptr && why == HBM_OK, "a fork is made");
    for (const auto& live : buffers_)
        if (random_.once_in(2)) expect(hbm_free(fork, live.handle) == HBM_OK, "a fork accepts handles");
    hbm_buffer next{};
    if (hbm_allocate(fork, any_size(), any_alignment(), any_name(), &next) == HBM_OK)
        expect(hbm_check_buffer(fork, next) == HBM_OK, "a fork allocates");
    expect(hbm_destroy(fork) == HBM_OK, "a fork is destroyed");
    expect(unchanged(), "a fork changes nothing");
}

void fuzzed_manager::visit_blocks() {
    struct sums {
        std::uint64_t end = 0;
        std::uint64_t granted = 0;
        bool adjoin = true;
    } all;
    const auto add = [](void* user, const hbm_block* block) {
        sums& self = *static_cast<sums*>(user);
        self.adjoin = self.adjoin && block->where.offset == self.end && block->label != nullptr;
        self.end += block->where.size;
        self.granted += block->granted;
        return 1;
    };
    expect(hbm_visit_blocks(manager_, add, &all) == HBM_OK, "blocks are visited");
    const hbm_statistics now = statistics();
    expect(all.adjoin && all.end == now.capacity, "blocks and holes cover the memory");
    expect(all.granted == now.live, "the sum of granted bytes is live");
}

void fuzzed_manager::compact() {
    if (random_.once_in(3)) return relieve();
    if (random_.once_in(4)) return try_fork();
    std::uint64_t remaining = 0;
    const hbm_error why = hbm_compact(manager_, any_size(), random_.once_in(2) ? nullptr : &remaining);
    settle(why, true, "");
    expect(why == HBM_OK || why == HBM_ERROR_NOT_SUPPORTED || why == HBM_ERROR_DEVICE_FAILED, "memory is compacted");
}

void fuzzed_manager::look(const fuzzed_manager& other) {
    const hbm_buffer given = any_buffer(other);
    const bool live = is_live(given);
    const hbm_error why = hbm_check_buffer(manager_, given);
    expect(live ? why == HBM_OK : is_of_handle(why), "a buffer's handle is checked");
    hbm_extent where{1, 2};
    expect(hbm_where(manager_, given, &where) == why, "where says what is wrong with a handle");
    expect(live || (where.offset == 1 && where.size == 2), "where writes nothing if it fails");
    expect(hbm_where(manager_, given, nullptr) != HBM_OK, "where needs somewhere to write");
    hbm_extent pieces[3] = {};
    std::size_t count = 7;
    expect(hbm_pieces(manager_, given, pieces, &count) == why, "pieces says what is wrong with a handle");
    expect(live ? count >= 1 && count <= 3 : count == 7, "a buffer is in three pieces at most");
    expect(hbm_pieces(manager_, given, nullptr, &count) != HBM_OK, "pieces needs somewhere to write");
    expect(hbm_pieces(manager_, given, pieces, nullptr) != HBM_OK, "pieces needs somewhere to count");
    const hbm_program subject = any_program(other);
    const hbm_error of_program = hbm_check_program(manager_, subject);
    expect(is_live(subject) ? of_program == HBM_OK : is_of_handle(of_program), "a program's handle is checked");
    hbm_block block{};
    block.struct_size = any_struct_size(sizeof block);
    const hbm_error described = hbm_about_buffer(manager_, given, &block);
    expect(block.struct_size != sizeof block || described == why, "a block is described by a valid handle");
    visit_blocks();
    expect(unchanged(), "a look changes nothing");
}

void fuzzed_manager::read_texts() {
    char text[300];
    const auto read = [&](std::size_t (*call)(const hbm_manager*, char*, std::size_t)) {
        const std::size_t room = random_.below(sizeof text + 1);
        text[room == sizeof text ? 0 : room] = '#';
        const std::size_t length = call(manager_, room == 0 && random_.once_in(2) ? nullptr : text, room);
        expect(room == 0 || std::strlen(text) == (length < room ? length : room - 1), "a text ends in its room");
        expect(room == sizeof text || text[room] == '#', "a text keeps to its room");
        expect(call(nullptr, text, sizeof text) == std::strlen(hbm_error_message(HBM_ERROR_BAD_MANAGER)),
               "a text of no manager says so");
    };
    read(hbm_last_message);
    read(hbm_explain);
    read(hbm_dump);
    expect(hbm_dump(manager_, nullptr, 1000) > 100, "the length of a text is known without a buffer");
    expect(unchanged(), "a text changes nothing");
}

void fuzzed_manager::make_nonsense() {
    const std::uint32_t number = word();
    expect(hbm_error_message(number) != nullptr && hbm_error_name(number) != nullptr, "any number has a message");
    alignas(64) static const unsigned char zeros[1024] = {};
    hbm_manager* const wrong[] = {nullptr, reinterpret_cast<hbm_manager*>(const_cast<unsigned char*>(zeros)),
                                  reinterpret_cast<hbm_manager*>(const_cast<unsigned char*>(zeros + 1))};
    hbm_manager* const none = wrong[random_.below(3)];
    hbm_buffer made{};
    hbm_fence fence{};
    expect(hbm_allocate(none, 1, 0, "x", &made) == HBM_ERROR_BAD_MANAGER, "no manager allocates nothing");
    expect(hbm_free(none, made) == HBM_ERROR_BAD_MANAGER, "no manager frees nothing");
    expect(hbm_run(none, {}, nullptr, nullptr, nullptr) == HBM_ERROR_BAD_MANAGER, "no manager runs nothing");
    expect(hbm_load(none, nullptr, nullptr) == HBM_ERROR_BAD_MANAGER, "no manager loads nothing");
    expect(hbm_check_buffer(none, made) == HBM_ERROR_BAD_MANAGER, "no manager checks nothing");
    expect(hbm_where(none, made, nullptr) == HBM_ERROR_BAD_MANAGER, "no manager looks nowhere");
    expect(hbm_issued(none, &fence) == HBM_ERROR_BAD_MANAGER, "no manager issues nothing");
    expect(hbm_get_statistics(none, nullptr) == HBM_ERROR_BAD_MANAGER, "no manager counts nothing");
    expect(hbm_destroy(none) == (none == nullptr ? HBM_OK : HBM_ERROR_BAD_MANAGER), "no manager is destroyed");
    expect(hbm_name(none) == nullptr, "no manager has no name");
    hbm_statistics all{};
    all.struct_size = any_struct_size(sizeof all);
    expect((hbm_get_statistics(manager_, &all) == HBM_OK) == (all.struct_size == sizeof all),
           "statistics have their size");
    expect(hbm_get_statistics(manager_, nullptr) == HBM_ERROR_NULL_POINTER, "statistics go somewhere");
    expect(hbm_reached(manager_, nullptr) == HBM_ERROR_NULL_POINTER, "a fence goes somewhere");
    make_managers();
    expect(unchanged(), "nonsense changes nothing");
}

void fuzzed_manager::make_managers() {
    hbm_spec spec{};
    spec.struct_size = any_struct_size(sizeof spec);
    spec.capacity = any_size();
    spec.quantum = random_.once_in(2) ? 0 : any_alignment();
    spec.bandwidth = any_size();
    spec.host_link = any_size();
    spec.copy_nanoseconds = any_size();
    spec.top_reserved = random_.once_in(2) ? 0 : any_size();
    spec.bounce = random_.once_in(2) ? 0 : any_size();
    spec.scratch_percent = word();
    spec.runs_in_flight = word();
    static constexpr const char* names[] = {"", "worst_fit", nullptr, "tpu", "buddy", "first_fit", "good_fit"};
    const char* const name = names[random_.below(std::size(names))];
    hbm_error why = HBM_OK;
    hbm_manager* const made =
        hbm_create(name, random_.once_in(16) ? nullptr : &spec, random_.once_in(16) ? nullptr : &why);
    if (made == nullptr) return;
    expect(why == HBM_OK && spec.struct_size == sizeof spec, "a manager is made of a good spec");
    for (std::uint64_t count = random_.below(6); count != 0; --count) {
        hbm_buffer held{};
        if (hbm_allocate(made, any_size(), any_alignment(), nullptr, &held) == HBM_OK) {
            expect(hbm_free(manager_, held) == HBM_ERROR_FOREIGN_HANDLE, "a buffer of another manager is foreign");
            expect(random_.once_in(2) || hbm_free(made, held) == HBM_OK, "a buffer of its manager is freed");
        }
    }
    expect(hbm_destroy(made) == HBM_OK, "a manager is destroyed");
}

}  // namespace hbm::test
