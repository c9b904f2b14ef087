// Forks, hints, relief by hand, blocks and managers of one's own through hbm/c.h, compared with the managers
// themselves.
#include <hbm/c.h>
#include <hbm/c/registered_manager.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "c_face/sized.hpp"

namespace hbm::test::relief_and_queries_tests {
namespace {

constexpr std::uint64_t q = 512;

/// A manager, destroyed at the end of a test case, and the events that it reported.
class c_manager {
public:
    explicit c_manager(const char* name, std::uint64_t quanta = 16, std::uint32_t runs_in_flight = 0) {
        auto spec = sized<hbm_spec>();
        spec.capacity = quanta * q;
        spec.runs_in_flight = runs_in_flight;
        spec.on_event = [](void* user, const hbm_event* event) {
            static_cast<std::vector<std::uint32_t>*>(user)->push_back(event->kind);
        };
        spec.user = &events;
        memory = hbm_create(name, &spec, nullptr);
        REQUIRE(memory != nullptr);
    }
    c_manager(const c_manager&) = delete;
    c_manager& operator=(const c_manager&) = delete;
    ~c_manager() { CHECK(hbm_destroy(memory) == HBM_OK); }

    hbm_buffer allocate(std::uint64_t quanta, const char* label = nullptr) {
        hbm_buffer buffer{};
        REQUIRE(hbm_allocate(memory, quanta * q, 0, label, &buffer) == HBM_OK);
        return buffer;
    }

    hbm_manager* memory = nullptr;
    std::vector<std::uint32_t> events;
};

hbm_request request_of(std::uint64_t quanta, hbm_side preferred = HBM_SIDE_ANY) {
    auto request = sized<hbm_request>();
    request.bytes = quanta * q;
    request.preferred = preferred;
    return request;
}

hbm_statistics statistics_of(const hbm_manager* memory) {
    auto statistics = sized<hbm_statistics>();
    CHECK(hbm_get_statistics(memory, &statistics) == HBM_OK);
    return statistics;
}

hbm_program load(hbm_manager* memory, std::uint64_t code, std::uint64_t scratch) {
    auto spec = sized<hbm_program_spec>();
    spec.name = "step";
    spec.code = code;
    spec.scratch = scratch;
    hbm_program step{};
    REQUIRE(hbm_load(memory, &spec, &step) == HBM_OK);
    return step;
}

/// Returns kind, offset, granted quanta and label of all blocks and holes, as text.
std::string layout_of(const hbm_manager* memory) {
    std::string text;
    const auto append = [](void* user, const hbm_block* block) {
        std::string& target = *static_cast<std::string*>(user);
        target += std::to_string(block->kind) + ":" + std::to_string(block->where.offset / q) + "+" +
                  std::to_string(block->where.size / q) + block->label + " ";
        return 1;
    };
    CHECK(hbm_visit_blocks(memory, append, &text) == HBM_OK);
    return text;
}

const char* const moving = "tpu";

TEST_CASE("hbm_fork: a call on a fork changes the fork alone and reports nothing") {
    c_manager original(moving);
    const hbm_buffer weights = original.allocate(4, "weights");
    const std::size_t events = original.events.size();
    hbm_error why = HBM_ERROR_BAD_MANAGER;
    hbm_manager* const fork = hbm_fork(original.memory, &why);
    REQUIRE(why == HBM_OK);
    CHECK(layout_of(fork) == layout_of(original.memory));
    CHECK(hbm_free(fork, weights) == HBM_OK);
    CHECK(layout_of(fork) == "0:0+16 ");
    CHECK(hbm_check_buffer(original.memory, weights) == HBM_OK);
    CHECK(original.events.size() == events);
    CHECK(hbm_destroy(fork) == HBM_OK);
    CHECK(hbm_fork(nullptr, &why) == nullptr);
    CHECK(why == HBM_ERROR_BAD_MANAGER);
}

TEST_CASE("hbm_fork: a fork keeps the name of the device when the original ends") {
    const std::string name = "a device with a name of many letters";
    auto spec = sized<hbm_spec>();
    spec.capacity = 4 * q;
    spec.name = name.c_str();
    hbm_manager* const original = hbm_create(moving, &spec, nullptr);
    REQUIRE(original != nullptr);
    hbm_manager* const fork = hbm_fork(original, nullptr);
    REQUIRE(fork != nullptr);
    REQUIRE(hbm_destroy(original) == HBM_OK);
    hbm_buffer buffer{};
    CHECK(hbm_allocate(fork, 5 * q, 0, "large", &buffer) == HBM_ERROR_BUFFER_DOES_NOT_FIT);
    char message[1000];
    CHECK(hbm_last_message(fork, message, sizeof message) < sizeof message);
    CHECK(std::string(message).find(name) != std::string::npos);
    CHECK(hbm_destroy(fork) == HBM_OK);
}

TEST_CASE("hbm_fork: tells the fence that a call would wait for") {
    c_manager original(moving, 16, 4);
    const hbm_program step = load(original.memory, q, 0);
    const hbm_buffer batch = original.allocate(10, "batch");
    auto run = sized<hbm_run_spec>();
    run.inputs = &batch;
    run.input_count = 1;
    auto ran = sized<hbm_run_result>();
    REQUIRE(hbm_run(original.memory, step, &run, nullptr, &ran) == HBM_OK);
    REQUIRE(hbm_free(original.memory, batch) == HBM_OK);

    hbm_manager* const fork = hbm_fork(original.memory, nullptr);
    hbm_buffer next{};
    hbm_fence reached{};
    CHECK(hbm_allocate(fork, 10 * q, 0, "next", &next) == HBM_OK);
    CHECK(hbm_reached(fork, &reached) == HBM_OK);
    CHECK(reached.number == ran.over.number);
    CHECK(hbm_destroy(fork) == HBM_OK);

    CHECK(hbm_retire(original.memory, {1, 0, 0}) == HBM_ERROR_UNKNOWN_FENCE);
    CHECK(hbm_retire(original.memory, {1, 0, 7}) == HBM_ERROR_WRONG_KIND);
    CHECK(hbm_retire(original.memory, reached) == HBM_OK);
    CHECK(hbm_allocate(original.memory, 10 * q, 0, "next", &next) == HBM_OK);
    const hbm_statistics statistics = statistics_of(original.memory);
    CHECK(statistics.waits == 0);
}

TEST_CASE("hbm_run: moves its input out of the way if arguments may move") {
    c_manager original(moving, 16);
    const hbm_program step = load(original.memory, q, 0);
    const hbm_buffer freed = original.allocate(7, "freed");
    const hbm_buffer input = original.allocate(1, "input");
    REQUIRE(hbm_free(original.memory, freed) == HBM_OK);
    hbm_output output{};
    output.bytes = 14 * q;
    auto run = sized<hbm_run_spec>();
    run.inputs = &input;
    run.input_count = 1;
    run.outputs = &output;
    run.output_count = 1;
    hbm_buffer state{};
    CHECK(hbm_run(original.memory, step, &run, &state, nullptr) == HBM_ERROR_BUFFER_DOES_NOT_FIT);
    run.arguments_may_move = 1;
    CHECK(hbm_run(original.memory, step, &run, &state, nullptr) == HBM_OK);
    CHECK(hbm_check_buffer(original.memory, input) == HBM_OK);
}

TEST_CASE("hbm_allocate_request: honours the preferred end and refuses bad values") {
    c_manager holder("best_fit");
    hbm_buffer high{};
    hbm_request request = request_of(2, HBM_SIDE_HIGH);
    request.label = "high";
    CHECK(hbm_allocate_request(holder.memory, &request, &high) == HBM_OK);
    CHECK(layout_of(holder.memory) == "0:0+14 1:14+2high ");
    request.preferred = 3;
    CHECK(hbm_allocate_request(holder.memory, &request, &high) == HBM_ERROR_BAD_VALUE);
    request.preferred = HBM_SIDE_ANY;
    request.struct_size = 8;
    CHECK(hbm_allocate_request(holder.memory, &request, &high) == HBM_ERROR_BAD_STRUCT);
    CHECK(hbm_allocate_request(holder.memory, nullptr, &high) == HBM_ERROR_NULL_POINTER);
    CHECK(layout_of(holder.memory) == "0:0+14 1:14+2high ");
}

TEST_CASE("hbm_import and hbm_extend: take a free range, and memory at the top") {
    c_manager holder("best_fit");
    hbm_buffer taken{};
    CHECK(hbm_import(holder.memory, {4 * q, 2 * q}, "framebuffer", &taken) == HBM_OK);
    CHECK(hbm_import(holder.memory, {5 * q, 2 * q}, "again", &taken) == HBM_ERROR_RANGE_IS_TAKEN);
    CHECK(hbm_import(holder.memory, {5, 2}, "again", &taken) == HBM_ERROR_BAD_ALIGNMENT);
    CHECK(layout_of(holder.memory) == "0:0+4 1:4+2framebuffer 0:6+10 ");
    CHECK(hbm_extend(holder.memory, 20 * q) == HBM_OK);
    CHECK(hbm_extend(holder.memory, 20 * q) == HBM_ERROR_BAD_VALUE);
    CHECK(layout_of(holder.memory) == "0:0+4 1:4+2framebuffer 0:6+14 ");
    auto block = sized<hbm_block>();
    CHECK(hbm_about_buffer(holder.memory, taken, &block) == HBM_OK);
    CHECK(block.pins == 1);
    CHECK(block.granted == 2 * q);
    CHECK(block.where.offset == 4 * q);
}

TEST_CASE("hbm_import, hbm_allocate, hbm_run, hbm_extend: work beyond 2^32 quanta") {
    constexpr std::uint64_t far = std::uint64_t{1} << 33;  // quanta
    for (const char* const name : {"tpu", "best_fit", "buddy"}) {
        CAPTURE(name);
        c_manager holder(name, 2 * far);
        hbm_buffer framebuffer{};
        CHECK(hbm_import(holder.memory, {(far + 4) * q, 2 * q}, "framebuffer", &framebuffer) == HBM_OK);
        CHECK(hbm_import(holder.memory, {(far + 5) * q, q}, "again", &framebuffer) == HBM_ERROR_RANGE_IS_TAKEN);
        hbm_extent where{};
        CHECK(hbm_where(holder.memory, framebuffer, &where) == HBM_OK);
        CHECK(where.offset == (far + 4) * q);

        hbm_buffer high{};
        hbm_request request = request_of(far / 2, HBM_SIDE_HIGH);
        REQUIRE(hbm_allocate_request(holder.memory, &request, &high) == HBM_OK);
        CHECK(hbm_where(holder.memory, high, &where) == HBM_OK);
        CHECK(where.offset == (2 * far - far / 2) * q);
        CHECK(where.size == far / 2 * q);

        const hbm_program step = load(holder.memory, q, 8 * q);
        const hbm_output output{far / 2 * q, "state", HBM_ALIAS_MUST, 0};
        auto run = sized<hbm_run_spec>();
        run.donated = &high;
        run.donated_count = 1;
        run.outputs = &output;
        run.output_count = 1;
        hbm_buffer state{};
        REQUIRE(hbm_run(holder.memory, step, &run, &state, nullptr) == HBM_OK);
        CHECK(hbm_where(holder.memory, state, &where) == HBM_OK);
        CHECK(where.offset == (2 * far - far / 2) * q);
        CHECK(hbm_free(holder.memory, high) == HBM_ERROR_STALE_HANDLE);
        CHECK(hbm_free(holder.memory, state) == HBM_OK);

        CHECK(hbm_extend(holder.memory, 4 * far * q) == HBM_OK);
        const hbm_statistics statistics = statistics_of(holder.memory);
        CHECK(statistics.capacity == 4 * far * q);
        CHECK(statistics.largest_free > 2 * far * q);
    }
}

TEST_CASE("hbm_allocate: moves a buffer that lies beyond 2^32 quanta") {
    constexpr std::uint64_t far = std::uint64_t{1} << 33;
    c_manager holder("tpu", 2 * far);
    hbm_buffer wall{};
    REQUIRE(hbm_import(holder.memory, {0, far * q}, "wall", &wall) == HBM_OK);
    const hbm_buffer highest = holder.allocate(far / 4);
    const hbm_buffer moved = holder.allocate(far / 4, "moved");
    REQUIRE(hbm_free(holder.memory, highest) == HBM_OK);
    holder.allocate(far / 2 + far / 4);
    hbm_extent where{};
    CHECK(hbm_where(holder.memory, moved, &where) == HBM_OK);
    CHECK(where.offset == far * q);
    const hbm_statistics statistics = statistics_of(holder.memory);
    CHECK(statistics.moved_bytes == far / 4 * q);
}

TEST_CASE("hbm_plan and hbm_relieve: moves make room for the request") {
    c_manager holder(moving);
    const hbm_buffer first = holder.allocate(5, "first");
    holder.allocate(5, "second");
    REQUIRE(hbm_free(holder.memory, first) == HBM_OK);
    const std::string before = layout_of(holder.memory);
    const hbm_request request = request_of(11);
    hbm_step steps[8];
    std::size_t count = 0;
    REQUIRE(hbm_plan(holder.memory, &request, steps, 8, &count) == HBM_OK);
    REQUIRE(count == 1);
    CHECK(steps[0].kind == HBM_STEP_MOVE);
    CHECK(steps[0].bytes == 5 * q);
    CHECK(layout_of(holder.memory) == before);

    hbm_step impossible = steps[0];
    impossible.index = 77;
    CHECK(hbm_relieve(holder.memory, &impossible, 1) == HBM_ERROR_RANGE_IS_TAKEN);
    impossible = steps[0];
    impossible.kind = 3;
    CHECK(hbm_relieve(holder.memory, &impossible, 1) == HBM_ERROR_BAD_VALUE);
    CHECK(hbm_relieve(holder.memory, nullptr, 1) == HBM_ERROR_NULL_POINTER);
    CHECK(layout_of(holder.memory) == before);

    CHECK(hbm_relieve(holder.memory, steps, count) == HBM_OK);
    holder.allocate(11, "third");
    const hbm_statistics statistics = statistics_of(holder.memory);
    CHECK(statistics.moves == 1);
    CHECK(statistics.relieved == 0);

    const hbm_request hopeless = request_of(17);
    CHECK(hbm_plan(holder.memory, &hopeless, steps, 8, &count) == HBM_ERROR_BUFFER_DOES_NOT_FIT);
    CHECK(hbm_plan(holder.memory, &hopeless, nullptr, 8, &count) == HBM_ERROR_NULL_POINTER);
}

TEST_CASE("hbm_relieve: a manager that moves nothing refuses to move a block") {
    c_manager holder("best_fit");
    const hbm_buffer first = holder.allocate(1, "first");
    holder.allocate(1, "second");
    REQUIRE(hbm_free(holder.memory, first) == HBM_OK);
    const std::string before = layout_of(holder.memory);
    for (std::uint32_t index = 0; index < 16; ++index) {
        const hbm_step move{.kind = HBM_STEP_MOVE, .index = index, .from = q, .to = 0, .bytes = q, .nanoseconds = 0};
        CHECK(hbm_relieve(holder.memory, &move, 1) == HBM_ERROR_RANGE_IS_TAKEN);
    }
    CHECK(layout_of(holder.memory) == before);
}

TEST_CASE("hbm_visit_blocks: names buffers and programs, stops when told, and forbids calls from inside") {
    c_manager holder(moving, 64);
    auto spec = sized<hbm_program_spec>();
    spec.name = "step";
    spec.code = 2 * q;
    spec.scratch = 3 * q;
    hbm_program step{};
    REQUIRE(hbm_load(holder.memory, &spec, &step) == HBM_OK);
    holder.allocate(4, "batch");
    CHECK(layout_of(holder.memory).find("4:0+3 ") == 0);
    CHECK(layout_of(holder.memory).find("+2step ") != std::string::npos);
    CHECK(layout_of(holder.memory).find("+4batch ") != std::string::npos);

    struct seen {
        hbm_manager* memory;
        int blocks = 0;
        hbm_error outcome = HBM_OK;
    } first{holder.memory};
    const auto look = [](void* user, const hbm_block*) {
        seen& self = *static_cast<seen*>(user);
        ++self.blocks;
        self.outcome = hbm_sync(self.memory);
        return 0;
    };
    CHECK(hbm_visit_blocks(holder.memory, look, &first) == HBM_OK);
    CHECK(first.blocks == 1);
    CHECK(first.outcome == HBM_ERROR_IN_CALLBACK);
    CHECK(hbm_sync(holder.memory) == HBM_OK);

    hbm_buffer batch{};
    const auto keep = [](void* user, const hbm_block* block) {
        if (block->kind == HBM_BLOCK_BUFFER) *static_cast<hbm_buffer*>(user) = block->buffer;
        return 1;
    };
    CHECK(hbm_visit_blocks(holder.memory, keep, &batch) == HBM_OK);
    CHECK(hbm_check_buffer(holder.memory, batch) == HBM_OK);
}

TEST_CASE("any_eviction: equals another of its type and state") {
    any_eviction greedy{evict_greedy_dual{}};
    const any_eviction before = greedy;
    CHECK(before == greedy);
    CHECK_FALSE(before == any_eviction{});
    greedy.evicted({.credit = 5});
    CHECK_FALSE(before == greedy);
}

using own_placement = compacting<basic_buddy<std::uint64_t>>;

TEST_CASE("registered_manager: is created by its name while it lives") {
    const auto names = [] {
        std::string text;
        for (std::size_t at = 0; const char* const name = hbm_manager_name(at); ++at) text += std::string(name) + ",";
        return text;
    };
    const std::string usual = names();
    {
        const c_face::registered_manager own{c_face::listed<own_placement, evict_lru>("own")};
        CHECK(names() == usual + "compacting<buddy>/evict_lru,");
        c_manager holder("own", 16);
        CHECK(std::string(hbm_name(holder.memory)) == "compacting<buddy>/evict_lru");
        holder.allocate(3);
        CHECK(layout_of(holder.memory) == "1:0+4 0:4+4 0:8+8 ");
    }
    CHECK(names() == usual);
}

}  // namespace
}  // namespace hbm::test::relief_and_queries_tests
