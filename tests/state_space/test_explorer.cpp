// The explorer finds placements and managers that are planted with an error, and prints the shortest calls to it.
#include <hbm/placement/first_fit.hpp>

#include <string>
#include <vector>

#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"

namespace hbm::test::explorer_tests {
namespace {

/// A block of two quanta is a quantum too short if it is the third.
struct too_short : best_fit {
    static constexpr fixed_string name{"too_short"};
    using best_fit::best_fit;

    block_index place(need<std::uint32_t> n) {
        if (n.length == 2 && map().live_blocks() == 2) n.length = 1;
        return best_fit::place(n);
    }
    friend constexpr bool operator==(const too_short&, const too_short&) = default;
};

/// Forgets the alignment of the second block.
struct unaligned : first_fit {
    static constexpr fixed_string name{"unaligned"};
    using first_fit::first_fit;

    block_index place(need<std::uint32_t> n) {
        if (map().live_blocks() == 1) n.alignment = 1;
        return first_fit::place(n);
    }
    friend constexpr bool operator==(const unaligned&, const unaligned&) = default;
};

/// Does not find the hole that fits exactly.
struct too_careful : best_fit {
    static constexpr fixed_string name{"too_careful"};
    using best_fit::best_fit;

    block_index place(const need<std::uint32_t>& n) {
        return map().live_blocks() != 0 && n.length == largest_free() ? no_block : best_fit::place(n);
    }
    friend constexpr bool operator==(const too_careful&, const too_careful&) = default;
};

/// Takes the first block for the second when it is freed.
struct mistaken : first_fit {
    static constexpr fixed_string name{"mistaken"};
    using first_fit::first_fit;

    void release(block_index block) {
        first_fit::release(map().live_blocks() == 2 && map().offset(block) != 0 ? map().first() : block);
    }
    friend constexpr bool operator==(const mistaken&, const mistaken&) = default;
};

/// Shows a block one quantum too low that is the third from the bottom, holes included.
struct overlapping : manager<first_fit> {
    using manager<first_fit>::manager;
    explicit overlapping(manager<first_fit>&& given) : manager<first_fit>(std::move(given)) {}

    [[nodiscard]] overlapping copy() const { return overlapping(manager<first_fit>::copy()); }
    [[nodiscard]] std::vector<block_view> blocks_and_holes() const {
        std::vector<block_view> shown;
        for (const block_view& block : manager<first_fit>::blocks_and_holes()) shown.push_back(block);
        if (shown.size() > 2 && shown[2].kind == block_kind::data) --shown[2].where.offset;
        return shown;
    }
};

template <class Memory>
std::string found_in(const bounds& limits) {
    return find_broken_rule(small_memory<Memory>(limits), "planted", 90);
}

TEST_CASE("state space: the explorer finds an error that is planted, by the fewest calls") {
    const bounds small{.capacity = 6, .buffers = 3, .longest = 3};
    CHECK(found_in<manager<too_short>>(small) == "planted: a buffer is not as requested"
                                                 "\n    a.....  allocate 1 1"
                                                 "\n    ab....  allocate 1 1"
                                                 "\n    abc...  allocate 2 1");
    CHECK(found_in<manager<unaligned>>(small) == "planted: a buffer is not as requested"
                                                 "\n    a.....  allocate 1 1"
                                                 "\n    ab....  allocate 1 2");
    CHECK(found_in<manager<too_careful>>(small) == "planted: a call fails although there is a way to make room"
                                                   "\n    aaa...  allocate 3 1"
                                                   "\n    aaa...  allocate 3 1");
    CHECK(found_in<manager<mistaken>>(small) == "planted: the handle of a buffer that ended is still good"
                                                "\n    a.....  allocate 1 1"
                                                "\n    ab....  allocate 1 1"
                                                "\n    .a....  free 1");
    CHECK(found_in<overlapping>(small) == "planted: blocks overlap, or bytes are lost"
                                          "\n    a.....  allocate 1 1"
                                          "\n    ab....  allocate 1 2");
}

TEST_CASE("state space: the explorer finds nothing where nothing is planted") {
    CHECK(found_in<manager<first_fit>>({.capacity = 4, .buffers = 2, .longest = 2}).empty());
}

}  // namespace
}  // namespace hbm::test::explorer_tests
