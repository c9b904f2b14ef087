// The shipped spill policies conform, and each rule of the check rejects a policy that breaks it.
#include <hbm/testing/spill_checks.hpp>

#include <doctest/doctest.h>

#include <string>

namespace hbm::test::spill_checks_tests {

/// Breaks one rule.
struct spill_badly {
    static constexpr fixed_string name{"spill_badly"};
    enum class rule { last_with_room, without_room, nowhere, changes_its_mind } broken{};
    mutable std::size_t calls = 0;

    [[nodiscard]] std::size_t choose(std::span<const spill_place> places) const {
        std::size_t last = places.size(), full = 0;
        for (std::size_t at = 0; at < places.size(); ++at) (places[at].has_room() ? last : full) = at;
        switch (broken) {
        case rule::last_with_room: return last;
        case rule::without_room: return full;
        case rule::nowhere: return places.size();
        case rule::changes_its_mind: break;
        }
        return ++calls % 2;
    }
    friend constexpr bool operator==(const spill_badly&, const spill_badly&) = default;
};
static_assert(check_spill<spill_badly>());

namespace {

template <class S>
std::string first_broken(const S& policy) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed)
        if (const char* broken = testing::check_spill_choice(policy, testing::random_numbers(seed)); broken != nullptr)
            return broken;
    return "";
}

TEST_CASE("spill checks: the shipped policies conform") {
    CHECK(first_broken(never_spill{}).empty());
    CHECK(first_broken(spill_in_order{}).empty());
    for (const std::uint64_t uses : {0u, 1u, 100u}) CHECK(first_broken(spill_if_cheaper{.uses = uses}).empty());
}

TEST_CASE("spill checks: a policy that breaks a rule is found, and the rule named") {
    using rule = spill_badly::rule;
    CHECK(first_broken(spill_badly{rule::last_with_room}) ==
          "the spill policy spills although the request fits into the wanted memory");
    CHECK(first_broken(spill_badly{rule::without_room}) ==
          "the spill policy chose a memory without room, although another has room");
    CHECK(first_broken(spill_badly{rule::nowhere}) == "the spill policy chose no memory, although one has room");
    CHECK(first_broken(spill_badly{rule::changes_its_mind}) == "the spill policy chooses differently for equal places");
}

}  // namespace
}  // namespace hbm::test::spill_checks_tests
