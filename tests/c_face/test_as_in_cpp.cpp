// Each manager of the C list and the C++ manager of its name get equal calls: errors, blocks, figures, texts and plans
// are equal. The C++ managers count in 32 bits.
#include <hbm/c.h>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "c_face/sized.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::as_in_cpp_tests {
namespace {

constexpr std::uint64_t q = 512;

std::string text_of(const hbm_manager* memory, std::size_t (*call)(const hbm_manager*, char*, std::size_t)) {
    std::string text(call(memory, nullptr, 0), '\0');
    call(memory, text.data(), text.size() + 1);
    return text;
}

/// A manager in C and the manager `Memory`, which get equal calls.
template <class Memory>
class twins {
public:
    twins(const char* name, std::uint32_t runs_in_flight, std::uint64_t seed)
        : direct_({.name = "small", .capacity = 96 * q, .runs_in_flight = runs_in_flight}, {.salt = 7}), random_(seed) {
        auto spec = sized<hbm_spec>();
        spec.name = "small";
        spec.capacity = 96 * q;
        spec.runs_in_flight = runs_in_flight;
        spec.salt = 7;
        through_c_ = hbm_create(name, &spec, nullptr);
        REQUIRE(through_c_ != nullptr);
        CHECK(std::string(hbm_name(through_c_)) == Memory::name.c_str());
    }
    twins(const twins&) = delete;
    twins& operator=(const twins&) = delete;
    ~twins() { CHECK(hbm_destroy(through_c_) == HBM_OK); }

    void step() {
        switch (random_.below(16)) {
        default: return allocate();
        case 4:
        case 5:
        case 6: return free();
        case 7: return pin();
        case 8: return import();
        case 9: return load();
        case 10: return call_program();
        case 11:
        case 12:
        case 13: return run();
        case 14: return retire();
        case 15: return random_.once_in(2) ? compact() : relieve();
        }
    }
    void check() {
        CHECK(layout_in_c() == layout());
        auto counted = sized<hbm_statistics>();
        REQUIRE(hbm_get_statistics(through_c_, &counted) == HBM_OK);
        const totals& done = direct_.done_so_far();
        CHECK(counted.largest_free == direct_.largest_free_bytes());
        CHECK(counted.reservable == direct_.reservable_bytes());
        CHECK(counted.evictions == done.evictions);
        CHECK(counted.moved_bytes == done.moved_bytes);
        CHECK(counted.waits == done.waits);
        CHECK(counted.relieved == done.relieved);
        CHECK(counted.donated_bytes == done.donated_bytes);
    }

    int refused = 0;
    [[nodiscard]] const totals& done() const { return direct_.done_so_far(); }

private:
    /// Compares the outcomes of a call, and its texts if it found no room.
    template <class Result>
    bool agree(hbm_error in_c, const Result& outcome) {
        const failure why = outcome ? failure{} : outcome.error();
        REQUIRE(in_c == static_cast<int>(why.reason));
        if (!for_want_of_room(why.reason)) return in_c == HBM_OK;
        ++refused;
        CHECK(text_of(through_c_, hbm_last_message) == message(why, direct_.name_of(why.label), place));
        if (refused % 8 == 0) CHECK(text_of(through_c_, hbm_explain) == explain(direct_, why, {.place = place}));
        if (refused % 8 == 0) CHECK(text_of(through_c_, hbm_dump) == to_text(dump(direct_, why, {.place = place})));
        return false;
    }
    void add(const hbm_buffer& result, buffer held) {
        CHECK(result.index == held.index);
        CHECK(result.generation == held.generation);
        buffers_.push_back(held);
    }
    static hbm_buffer in_c(buffer held) { return {held.index, held.generation, held.salt, 0x48424246}; }
    static hbm_program in_c(program held) { return {held.index, held.generation, held.salt, 0x48425047}; }
    [[nodiscard]] buffer any_buffer() { return buffers_.empty() ? buffer{} : buffers_[random_.below(buffers_.size())]; }
    [[nodiscard]] std::uint64_t any_size() { return random_.below(random_.once_in(8) ? 70 * q : 9 * q); }
    [[nodiscard]] const char* any_name() { return random_.once_in(2) ? "state" : "batch"; }

    void allocate() {
        const char* const label = any_name();
        auto given = sized<hbm_request>();
        given.bytes = any_size();
        given.alignment = random_.once_in(4) ? q << random_.below(4) : 0;
        given.label = label;
        given.preferred = random_.once_in(4) ? HBM_SIDE_HIGH : HBM_SIDE_ANY;
        hbm_buffer result{};
        const hbm_error why = hbm_allocate_request(through_c_, &given, &result);
        const auto held = direct_.allocate({.bytes = given.bytes,
                                            .alignment = given.alignment,
                                            .preferred = static_cast<side>(given.preferred),
                                            .label = direct_.tag_of(label)});
        if (agree(why, held)) add(result, *held);
    }
    void free() {
        const buffer held = any_buffer();
        agree(hbm_free(through_c_, in_c(held)), direct_.free(held));
    }
    void pin() {
        const buffer held = any_buffer();
        if (random_.once_in(3))
            agree(hbm_pin(through_c_, in_c(held)), direct_.pin(held));
        else
            agree(hbm_unpin(through_c_, in_c(held)), direct_.unpin(held));
    }
    void import() {
        const extent range{random_.below(96) * q, (1 + random_.below(4)) * q};
        hbm_buffer result{};
        const hbm_error why = hbm_import(through_c_, {range.offset, range.size}, "batch", &result);
        const auto held = direct_.import(range, direct_.tag_of("batch"));
        if (agree(why, held)) add(result, *held);
    }
    void load() {
        auto given = sized<hbm_program_spec>();
        given.name = "step";
        given.code = (1 + random_.below(8)) * q;
        given.scratch = random_.below(12) * q;
        hbm_program result{};
        const hbm_error why = hbm_load(through_c_, &given, &result);
        const auto held = direct_.load({.name = "step", .code = given.code, .scratch = given.scratch});
        if (!agree(why, held)) return;
        CHECK(result.index == held->index);
        programs_.push_back(*held);
    }
    [[nodiscard]] program any_program() {
        return programs_.empty() ? program{} : programs_[random_.below(programs_.size())];
    }
    void call_program() {
        const program held = any_program();
        switch (random_.below(4)) {
        case 0: agree(hbm_evict(through_c_, in_c(held)), direct_.evict(held)); break;
        case 1: agree(hbm_unload(through_c_, in_c(held)), direct_.unload(held)); break;
        case 2: agree(hbm_unload_for_now(through_c_, in_c(held)), direct_.unload_for_now(held)); break;
        case 3: agree(hbm_reload(through_c_, in_c(held)), direct_.load(held)); break;
        }
    }
    void run() {
        const program held = any_program();
        const std::vector<buffer> inputs(random_.below(2), any_buffer());
        const std::vector<buffer> donated(random_.below(2), any_buffer());
        std::vector<hbm_buffer> inputs_in_c, donated_in_c;
        for (const buffer input : inputs) inputs_in_c.push_back(in_c(input));
        for (const buffer input : donated) donated_in_c.push_back(in_c(input));
        std::vector<output> outputs(random_.below(3));
        std::vector<hbm_output> outputs_in_c;
        for (hbm::output& output : outputs) {
            output.bytes = !donated.empty() && random_.once_in(2) ? direct_.granted(donated[0]) : any_size();
            const bool bound = random_.once_in(4);
            if (bound) output.alias = random_.once_in(2) ? aliasing::must : aliasing::may;
            if (bound) output.partner = 0;
            outputs_in_c.push_back({output.bytes, nullptr, static_cast<std::uint32_t>(output.alias), 0});
        }
        auto given = sized<hbm_run_spec>();
        given.inputs = inputs_in_c.data();
        given.input_count = inputs.size();
        given.donated = donated_in_c.data();
        given.donated_count = donated.size();
        given.outputs = outputs_in_c.data();
        given.output_count = outputs.size();
        given.run_us = random_.below(50);
        std::vector<hbm_buffer> result(outputs.size());
        const hbm_error why = hbm_run(through_c_, in_c(held), &given, result.data(), nullptr);
        const auto ran =
            direct_.run(held, {.inputs = inputs, .donated = donated, .outputs = outputs, .run_us = given.run_us});
        if (!agree(why, ran)) return;
        for (std::size_t at = 0; at < result.size(); ++at) add(result[at], ran->outputs[at]);
    }
    void retire() {
        hbm_fence latest{};
        CHECK(hbm_issued(through_c_, &latest) == HBM_OK);
        CHECK(latest.number == direct_.issued().number);
        latest.number -= random_.below(latest.number + 1);
        agree(hbm_retire(through_c_, latest), direct_.retire(fence{latest.number}));
    }
    void compact() {
        std::uint64_t left = 0;
        const std::uint64_t budget = random_.below(8) * q;
        const hbm_error why = hbm_compact(through_c_, budget, &left);
        if constexpr (compacts<typename Memory::placement_type>) {
            const compaction done = direct_.compact(budget);
            CHECK(why == static_cast<int>(done.reason));
            CHECK(left == done.remaining);
        } else {
            CHECK(why == HBM_ERROR_NOT_SUPPORTED);
        }
    }
    void relieve() {
        auto given = sized<hbm_request>();
        given.bytes = 1 + any_size();
        hbm_step steps[64];
        std::size_t count = 0;
        const hbm_error why = hbm_plan(through_c_, &given, steps, 64, &count);
        const planning_result planned = direct_.plan_for({.bytes = given.bytes});
        REQUIRE((why == HBM_OK) == planned.found.has_value());
        if (!planned.found) return;
        REQUIRE(count == planned.found->steps.size());
        for (std::size_t at = 0; at < count; ++at) {
            const hbm::step& expected = planned.found->steps[at];
            CHECK(steps[at].kind == static_cast<std::uint32_t>(expected.what));
            CHECK(steps[at].to == expected.to);
            CHECK(steps[at].nanoseconds == expected.nanoseconds);
        }
        agree(hbm_relieve(through_c_, steps, count), direct_.relieve(*planned.found));
    }

    [[nodiscard]] std::string layout_in_c() const {
        std::string text;
        const auto append = [](void* user, const hbm_block* block) {
            *static_cast<std::string*>(user) += line(block->kind, block->where.offset, block->where.size, block->label);
            return 1;
        };
        CHECK(hbm_visit_blocks(through_c_, append, &text) == HBM_OK);
        return text;
    }
    [[nodiscard]] std::string layout() const {
        std::string text;
        for (const block_view& block : direct_.blocks_and_holes()) {
            const bool of_program = block.kind == block_kind::code || block.kind == block_kind::scratch;
            const bool named = block.kind == block_kind::data || block.kind == block_kind::deferred;
            text += line(static_cast<std::uint32_t>(block.kind), block.where.offset, block.where.size,
                         of_program ? "step"
                         : named    ? direct_.name_of(static_cast<tag>(block.owner))
                                    : "");
        }
        return text;
    }
    static std::string line(std::uint32_t kind, std::uint64_t offset, std::uint64_t size, const char* label) {
        return std::to_string(kind) + ":" + std::to_string(offset) + "+" + std::to_string(size) + label + "\n";
    }

    static constexpr failure_place place{.device = "small"};

    hbm_manager* through_c_ = nullptr;
    Memory direct_;
    testing::random_numbers random_;
    std::vector<buffer> buffers_;  // also freed ones: their handles are stale in both
    std::vector<program> programs_;
};

/// Returns what all seeds have done.
template <class Memory>
totals compare(const char* name) {
    totals sum;
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(seeds_to_try(12), 3); ++seed) {
        CAPTURE(seed);
        twins<Memory> both(name, static_cast<std::uint32_t>(seed % 3), seed);
        for (int step = 0; step < 400; ++step) {
            both.step();
            if (step % 10 == 0) both.check();
        }
        refused += both.refused;
        sum.evictions += both.done().evictions;
        sum.moves += both.done().moves;
        sum.waits += both.done().waits;
        sum.donations_taken += both.done().donations_taken;
    }
    if (!tries_all_seeds()) return sum;
    CHECK(refused > 100);
    CHECK(sum.waits > 0);
    CHECK(sum.donations_taken > 0);
    return sum;
}

void expect_relief(const totals& done) {
    if (!tries_all_seeds()) return;
    CHECK(done.evictions > 0);
    CHECK(done.moves > 0);
}

}  // namespace

TEST_CASE("tpu: does what the manager of README.md does") {
    using memory = manager<bottom_reserve<compacting<best_fit_lifo>>, evict_cheapest_window, donate_same_size>;
    expect_relief(compare<memory>("tpu"));
}

TEST_CASE("tpu::runtime_memory: does what that of C++ does") {
    expect_relief(compare<tpu::runtime_memory>("tpu::runtime_memory"));
}

TEST_CASE("xla_bfc: does what that of C++ does") {
    compare<xla_bfc>("xla_bfc");
}

TEST_CASE("best_fit: does what best fit with donation does in C++") {
    compare<manager<best_fit, never_evict, donate_same_size>>("best_fit");
}

TEST_CASE("buddy: does what buddy with donation does in C++") {
    compare<manager<buddy, never_evict, donate_same_size>>("buddy");
}

}  // namespace hbm::test::as_in_cpp_tests
