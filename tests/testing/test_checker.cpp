// The checkers are checked: every kind of lie is found, and named.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/testing/checker.hpp>
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <string>
#include <testing/seeds.hpp>

namespace hbm::test::checker_tests {

using testing::checker;

std::string words(const char* broken) {
    return broken == nullptr ? "" : broken;
}

TEST_CASE("the checker names the broken rule") {
    checker memory(4096, 512);
    CHECK(words(memory.allocated(512, 1024)).empty());
    CHECK(words(memory.allocated(0, 1024)) == "the block overlaps the one above it");
    CHECK(words(memory.allocated(1024, 512)) == "the block overlaps the one below it");
    CHECK(words(memory.allocated(512, 512)) == "the block overlaps the one above it");
    CHECK(words(memory.allocated(4096, 512)) == "the block is out of bounds");
    CHECK(words(memory.allocated(2048, 18446744073709551104u)) == "the block is out of bounds");
    CHECK(words(memory.allocated(2000, 512)) == "the offset is not a multiple of the quantum");
    CHECK(words(memory.allocated(2048, 100)) == "the size is not a multiple of the quantum");
    CHECK(words(memory.allocated(2048, 0)) == "a block is empty");
    CHECK(words(memory.allocated(2560, 512, 1024)) == "the block is not aligned as asked for");
    CHECK(words(memory.freed(0, 512)) == "what was freed was not allocated");
    CHECK(words(memory.freed(512, 512)) == "what was freed has another size than what was allocated");
    CHECK(words(memory.reported_free(3072)).empty());
    CHECK(words(memory.reported_free(2560)) == "bytes were lost: less is reported free than the blocks leave");
    CHECK(words(memory.reported_free(3584)) == "more is reported free than the blocks leave");
    CHECK(words(memory.reported_largest_free(2560)).empty());
    CHECK_FALSE(words(memory.reported_largest_free(3072)).empty());
    CHECK(words(memory.moved(512, 0, 1024)).empty());  // over itself
    CHECK(words(memory.moved(512, 0, 1024)) == "what was moved was not allocated");
    CHECK(words(memory.moved(0, 4096, 1024)) == "the block is out of bounds");
    CHECK(words(memory.shrunk(0, 1024, 512)).empty());
    CHECK(words(memory.shrunk(0, 512, 1024)) == "a block can only shrink, and not to nothing");
    CHECK(words(memory.freed(0, 512)).empty());
    CHECK(memory.blocks() == 0);
    CHECK(memory.occupied() == 0);
}

// Placements with a known bug put in; the suite has to turn red on each.

struct misses_the_last_hole : best_fit {  // OffsetAllocator's: a fitting hole exists and the search does not find it
    using best_fit::best_fit;
    static constexpr fixed_string name{"misses_the_last_hole"};
    block_index place(const need<std::uint32_t>& n) {
        return n.length == largest_free() && n.length > 3 ? no_block : best_fit::place(n);
    }
    friend bool operator==(const misses_the_last_hole&, const misses_the_last_hole&) = default;
};
struct forgets_alignment : best_fit {
    using best_fit::best_fit;
    static constexpr fixed_string name{"forgets_alignment"};
    block_index place(need<std::uint32_t> n) {
        if (n.alignment == 4) n.alignment = 1;
        return best_fit::place(n);
    }
    friend bool operator==(const forgets_alignment&, const forgets_alignment&) = default;
};
struct keeps_a_tail : best_fit {  // bytes are lost when blocks end
    using best_fit::best_fit;
    static constexpr fixed_string name{"keeps_a_tail"};
    block_index place(need<std::uint32_t> n) {
        if (n.length % 5 == 4 && n.length < largest_free()) ++n.length;
        return best_fit::place(n);
    }
    friend bool operator==(const keeps_a_tail&, const keeps_a_tail&) = default;
};
struct miscounts_largest : best_fit {
    using best_fit::best_fit;
    static constexpr fixed_string name{"miscounts_largest"};
    std::uint32_t largest_free() const { return map().free(); }
    friend bool operator==(const miscounts_largest&, const miscounts_largest&) = default;
};
struct moves_a_wall : compacting<best_fit> {
    using compacting<best_fit>::compacting;
    static constexpr fixed_string name{"moves_a_wall"};
    bool relocate(block_index block, std::uint32_t to) { return best_fit::relocate(block, to == 0 ? 1 : to); }
    friend bool operator==(const moves_a_wall&, const moves_a_wall&) = default;
};

template <placement P>
bool turns_red() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        if (!testing::conformance<P>(seed, 60).ok()) return true;
    return false;
}
template <class Manager>
bool manager_turns_red() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        if (!testing::conformance_manager<Manager>(seed, 50).ok()) return true;
    return false;
}

TEST_CASE("known bugs put back turn the suite red") {
    CHECK_FALSE(turns_red<best_fit>());
    CHECK(turns_red<misses_the_last_hole>());
    CHECK(turns_red<forgets_alignment>());
    CHECK(turns_red<keeps_a_tail>());
    CHECK(turns_red<miscounts_largest>());
    CHECK(turns_red<moves_a_wall>());
    CHECK(manager_turns_red<manager<misses_the_last_hole>>());
    CHECK(manager_turns_red<manager<forgets_alignment>>());
    CHECK(manager_turns_red<manager<keeps_a_tail>>());
    CHECK(manager_turns_red<manager<moves_a_wall>>());
}

TEST_CASE("a finding says how to see it again") {
    const testing::outcome found{
        .broken = "two holes touch", .subject = "my_fit", .seed = 18446744073709551615u, .step = 12};
    CHECK(std::string(describe(found).c_str()) ==
          "my_fit: step 12: two holes touch (replay: HBM_SEED=18446744073709551615 HBM_STEPS=12)");
    CHECK(std::string(describe(testing::outcome{.subject = "my_fit"}).c_str()) == "my_fit: ok");
}

}  // namespace hbm::test::checker_tests
