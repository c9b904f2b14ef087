// The conformance suite is checked: managers and policies with a known bug turn it red.
#include <hbm/device/host_device.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/compacting.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <support/managers.hpp>
#include <testing/seeds.hpp>

#include "support/manager_suite.hpp"

namespace hbm::test::checker_tests {

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

struct takes_the_first_long_enough {
    static constexpr fixed_string name{"takes_the_first_long_enough"};
    static std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size) {
        for (std::size_t at = 0; at < offered.size(); ++at)
            if (offered[at] >= size) return at;
        return no_donor;
    }
    friend bool operator==(const takes_the_first_long_enough&, const takes_the_first_long_enough&) = default;
};
struct takes_the_taken : takes_the_first_long_enough {
    static constexpr fixed_string name{"takes_the_taken"};
    static std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t) {
        return !offered.empty() && offered[0] == 0 ? 0 : no_donor;
    }
    friend bool operator==(const takes_the_taken&, const takes_the_taken&) = default;
};
struct takes_the_short : takes_the_first_long_enough {
    static constexpr fixed_string name{"takes_the_short"};
    static std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size) {
        return !offered.empty() && offered[0] != 0 && offered[0] < size ? 0 : no_donor;
    }
    friend bool operator==(const takes_the_short&, const takes_the_short&) = default;
};
struct takes_what_is_not_there : takes_the_first_long_enough {
    static constexpr fixed_string name{"takes_what_is_not_there"};
    static std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t) { return offered.size(); }
    friend bool operator==(const takes_what_is_not_there&, const takes_what_is_not_there&) = default;
};
struct takes_the_last_of_a_size : takes_the_first_long_enough {
    static constexpr fixed_string name{"takes_the_last_of_a_size"};
    static constexpr bool takes_first_of_a_size = true;
    static std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size) {
        for (std::size_t at = offered.size(); at-- > 0;)
            if (offered[at] == size) return at;
        return no_donor;
    }
    friend bool operator==(const takes_the_last_of_a_size&, const takes_the_last_of_a_size&) = default;
};

using subject = testing::manager_under_test<manager<best_fit>>;
struct forgives_wrong_donors : subject {
    using subject::subject;
    result<run_result> run(program ran, const run_spec& spec) override {
        const result<run_result> outcome = subject::run(ran, spec);
        const error why = outcome ? error::none : outcome.error().reason;
        return why == error::donated_twice || why == error::donated_and_used ? subject::run(ran, {}) : outcome;
    }
};
struct frees_by_itself : subject {
    using subject::subject;
    result<done> pin(buffer pinned) override {
        const result<done> outcome = subject::pin(pinned);
        if (outcome) sync();  // deferred frees take effect
        return outcome;
    }
};

/// A device that copies nothing, or shows nothing.
struct copies_nothing : host_device {
    using host_device::host_device;
    static constexpr fixed_string name{"copies_nothing"};
    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) { return true; }
    friend bool operator==(const copies_nothing&, const copies_nothing&) = default;
};
struct shows_nothing : copies_nothing {
    using copies_nothing::copies_nothing;
    static constexpr fixed_string name{"shows_nothing"};
    static std::span<std::byte> bytes(std::uint64_t, std::uint64_t) { return {}; }
    friend bool operator==(const shows_nothing&, const shows_nothing&) = default;
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
template <class Subject>
bool story_turns_red() {
    constexpr memory_spec spec{.capacity = 64 * 512};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Subject changed(spec, 7);
        testing::manager_story story(changed, spec, 7, seed);
        const char* broken = story.look();
        for (int step = 0; step < 50 && broken == nullptr; ++step) broken = story.step();
        if (broken != nullptr) return true;
    }
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
    CHECK_FALSE(story_turns_red<subject>());
    CHECK(story_turns_red<forgives_wrong_donors>());
    CHECK(story_turns_red<frees_by_itself>());
}

TEST_CASE("conformance: donation policies that choose a donor that is no donor turn the suite red") {
    const auto is_red = []<class Donation>(Donation) {
        return manager_turns_red<manager<best_fit, never_evict, Donation>>();
    };
    CHECK_FALSE(is_red(takes_the_first_long_enough{}));
    CHECK_FALSE(is_red(donate_same_size{}));
    CHECK_FALSE(is_red(donate_fitting{}));
    CHECK(is_red(takes_the_taken{}));
    CHECK(is_red(takes_the_short{}));
    CHECK(is_red(takes_what_is_not_there{}));
    CHECK(is_red(takes_the_last_of_a_size{}));
}

TEST_CASE("conformance: a device that copies or shows nothing turns the suite red") {
    const auto is_red = []<class Device>(Device) {
        return manager_turns_red<manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, Device>>();
    };
    CHECK_FALSE(is_red(host_device{}));
    CHECK(is_red(copies_nothing{}));
    CHECK(is_red(shows_nothing{}));
}

TEST_CASE("a finding says how to see it again") {
    const testing::outcome found{
        .broken = "two holes touch", .subject = "my_fit", .seed = 18446744073709551615u, .step = 12};
    CHECK(describe(found) == "my_fit: step 12: two holes touch (replay: seed 18446744073709551615, 12 steps)");
    CHECK(describe(testing::outcome{.subject = "my_fit"}) == "my_fit: ok");
}

}  // namespace hbm::test::checker_tests
