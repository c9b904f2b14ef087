// Failures that people reported in public, each rebuilt as the state of a manager that then fails with the same
// message. Where a report has only rounded figures, the sizes are the multiples of the quantum that print the same.

#include <hbm/explain/dump.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>

namespace hbm::test::scenarios_tests {

using namespace hbm::literals;

namespace {

using tpu_memory = manager<bottom_reserve<best_fit>, evict_lru, donate_same_size>;

/// A size in bytes, rounded up to the quantum: `gib(29.49)` prints as 29.49G.
std::uint64_t gib(double size) {
    return *round_up(static_cast<std::uint64_t>(size * 0x1p30), default_quantum);
}
std::uint64_t mib(double size) {
    return *round_up(static_cast<std::uint64_t>(size * 0x1p20), default_quantum);
}

/// Puts a buffer at `offset` that is held from outside.
template <class Memory>
void put(Memory& memory, std::uint64_t offset, std::uint64_t bytes, const char* name) {
    REQUIRE(memory.import({offset, bytes}, memory.tag_of(name)));
}

/// A v3 whose free memory is `free`, of which the lower `largest` end below a buffer.
tpu_memory split_memory(std::uint64_t free, std::uint64_t largest, std::uint64_t buffer, const char* name) {
    tpu_memory memory{tpu::v3};
    put(memory, largest, buffer, name);
    put(memory, free + buffer, memory.capacity_bytes() - free - buffer, "everything else");
    return memory;
}

}  // namespace

TEST_CASE("XLA's sample of error 0101: a program larger than what is free") {
    tpu_memory memory{tpu::v6e};
    const std::uint64_t free = mib(147.64);
    put(memory, free, memory.capacity_bytes() - free, "embedding_tables");
    const auto loaded = memory.load({.name = "jit_embedding_pipeline_step_fn", .code = 4_MiB, .scratch = gib(29.49)});
    REQUIRE_FALSE(loaded);
    CHECK(message(loaded.error(), "jit_embedding_pipeline_step_fn", {.replica = 0, .partition = 34}) ==
          "RESOURCE_EXHAUSTED: Error loading program 'jit_embedding_pipeline_step_fn': Attempting to reserve 29.49G at "
          "the bottom of memory. That was not possible. There are 147.64M free, 0B reserved, and 147.64M reservable. "
          "Scope: unknown..: while running replica 0 and partition 34 of a replicated computation (other replicas may "
          "have failed as well).");
    CHECK(status_of(loaded.error().reason) == status::resource_exhausted);
    CHECK(runtime_code(loaded.error().reason) == std::string("E0101"));
}

TEST_CASE("pytorch/xla#3470: more is free than asked for, but a buffer lies low") {
    const std::uint64_t reservable = gib(3.33);
    tpu_memory memory = split_memory(gib(6.78), reservable, 16_MiB, "the one that lies low");
    const auto loaded = memory.load({.name = "step", .code = 1_MiB, .scratch = gib(6.48)});
    REQUIRE_FALSE(loaded);
    CHECK(message(loaded.error(), "step") ==
          "RESOURCE_EXHAUSTED: Error loading program 'step': Attempting to reserve 6.48G at the bottom of memory. That "
          "was not possible. There are 6.78G free, 0B reserved, and 3.33G reservable.");
    // The dump names it: it ends the hole at the bottom.
    const allocation_dump dumped = dump(memory, loaded.error());
    REQUIRE(dumped.holes.items.size() == 2);
    const dumped_hole& bottom = dumped.holes.items[1];
    CHECK(bottom.where == extent{0, reservable});
    CHECK_FALSE(bottom.below);
    REQUIRE(bottom.above);
    CHECK(bottom.above->name == "the one that lies low");
    CHECK(bottom.above->wall);
    CHECK(bottom.above->pins == 1);
}

TEST_CASE("flax#1658: the same, with less missing") {
    tpu_memory memory = split_memory(gib(12.18), gib(10.52), 512, "a scalar");
    const auto loaded = memory.load({.name = "jit_train_step", .code = 1_MiB, .scratch = gib(11.35)});
    REQUIRE_FALSE(loaded);
    CHECK(message(loaded.error(), "jit_train_step") ==
          "RESOURCE_EXHAUSTED: Error loading program 'jit_train_step': Attempting to reserve 11.35G at the bottom of "
          "memory. That was not possible. There are 12.18G free, 0B reserved, and 10.52G reservable.");
}

TEST_CASE("trax#431 and marin#2387: enough is free, but not in one piece") {
    tpu_memory memory = split_memory(gib(3.46), gib(1.75), 1_GiB, "activations");
    const auto allocated = memory.allocate(gib(1.96));
    REQUIRE_FALSE(allocated);
    CHECK(message(allocated.error()) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.96G. That was not possible. "
          "There are 3.46G free. The largest contiguous region of free memory is 1.75G due to fragmentation.; "
          "(0x0x0_HBM0)");
}

TEST_CASE("pytorch/xla#1735: the ledger, to the byte") {
    tpu_memory memory{{.name = "v2", .capacity = 8_GiB, .top_reserved = 554'696'704}};
    put(memory, memory.capacity_bytes() - 6'532'939'776, 6'532'939'776, "arguments and outputs");
    const std::uint64_t code = mib(17.43);
    const auto loaded = memory.load({.name = "step", .code = code, .scratch = 4'237'689'856 - code});
    REQUIRE_FALSE(loaded);
    const memory_ledger ledger = ledger_of(memory, loaded.error());
    CHECK(ledger == memory_ledger{.capacity = 8_GiB,
                                  .top_reserved = 554'696'704,
                                  .allocated = 6'532'939'776,
                                  .required = 4'237'689'856,
                                  .for_program = true});
    CHECK(ledger.available() == size_difference{true, 2'735'391'744});
    CHECK(to_text(ledger) == "HBM capacity 8.00G:\n"
                             "       Top-of-Memory reserved:  529.00M (     554,696,704 bytes)\n"
                             "          Currently allocated:    6.08G (   6,532,939,776 bytes)\n"
                             "          Program requirement:    3.95G (   4,237,689,856 bytes)\n"
                             "                               ------------\n"
                             "      Available after request:   -2.55G (  -2,735,391,744 bytes)\n");
}

TEST_CASE("jax#14304: an older driver's figures in today's words") {
    // Four holes: three of 4,374,528 bytes, the largest, and one with the rest.
    tpu_memory memory{tpu::v3};
    const std::uint64_t largest = 4'374'528;
    const std::uint64_t rest = 14'942'208 - 3 * largest;
    std::uint64_t at = 0;
    for (const std::uint64_t hole : {largest, largest, largest, rest}) {
        at += hole;
        const std::uint64_t bytes = hole == rest ? memory.capacity_bytes() - at : 1_MiB;
        put(memory, at, bytes, "between");
        at += bytes;
    }
    const auto allocated = memory.allocate(10'485'760);
    REQUIRE_FALSE(allocated);
    CHECK(allocated.error().requested == 10'485'760);
    CHECK(allocated.error().free == 14'942'208);
    CHECK(allocated.error().largest_free == 4'374'528);
    CHECK(message(allocated.error()) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 10.00M. That was not possible. "
          "There are 14.25M free. The largest contiguous region of free memory is 4.17M due to fragmentation.; "
          "(0x0x0_HBM0)");
}

TEST_CASE("XLA's sample of error 0100: a buffer on another chip") {
    tpu_memory memory{tpu::v4};
    const std::uint64_t free = mib(6.43);
    put(memory, free, memory.capacity_bytes() - free, "everything else");
    const auto allocated = memory.allocate(8_MiB);
    REQUIRE_FALSE(allocated);
    CHECK(message(allocated.error(), "", {.at = {.z = 1}}) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. "
          "There are 6.43M free.; (0x0x1_HBM0)");
    CHECK(runtime_code(allocated.error().reason) == std::string("E0100"));
}

TEST_CASE("a program whose code finds no place fails like a buffer") {
    tpu_memory memory{tpu::v6e};
    const std::uint64_t free = gib(1.13);
    put(memory, free, memory.capacity_bytes() - free, "weights and caches");
    const auto loaded = memory.load({.name = "jit_run_model_impl", .code = gib(1.15)});
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().reason == error::code_does_not_fit);
    CHECK(message(loaded.error(), "jit_run_model_impl") ==
          "RESOURCE_EXHAUSTED: Error loading program 'jit_run_model_impl': Attempting to allocate 1.15G. That was not "
          "possible. There are 1.13G free.");
}

}  // namespace hbm::test::scenarios_tests
