#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "compare/managers/entry.hpp"

namespace hbm::test::own_tests {

// What a manager of a user makes the compiler compile: explanations of failures only if the library has none.

namespace {

template <class Quanta>
struct last_hole {
    using quanta = Quanta;

    static constexpr hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>& required) {
        for (hbm::block_index block = map.last(); block != hbm::no_block; block = map.previous(block))
            if (map.is_hole(block) && required.admits(map.range(block))) return block;
        return hbm::no_block;
    }
    friend constexpr bool operator==(const last_hole&, const last_hole&) = default;
};

template <class Quanta>
struct last_fit : hbm::fit<last_hole<Quanta>> {
    using hbm::fit<last_hole<Quanta>>::fit;
    static constexpr hbm::fixed_string name{"last_fit"};
};

using narrow = last_fit<std::uint32_t>;
using wide = last_fit<std::uint64_t>;
struct own_buddy : hbm::buddy {
    using hbm::buddy::buddy;
    static constexpr hbm::fixed_string name{"own_buddy"};
    [[maybe_unused]] friend constexpr bool operator==(const own_buddy&, const own_buddy&) = default;
};

}  // namespace

TEST_CASE("an entry of an own manager names it and has what it takes to run and to explain it") {
    const auto alone = hbm::compare::entry<hbm::manager<narrow>>();
    CHECK(alone.name == "last_fit");
    CHECK_FALSE(alone.shipped);
    CHECK((alone.make != nullptr && alone.explain != nullptr));
    CHECK(alone.max_quanta == 0xffffffff);
    CHECK(hbm::compare::entry<hbm::manager<wide>>().max_quanta > 0xffffffff);
}

TEST_CASE("an entry of an own manager that is not a fit needs no further include to be explained") {
    const auto own = hbm::compare::entry<hbm::manager<own_buddy>>();
    CHECK((own.explain != nullptr));
}

}  // namespace hbm::test::own_tests
