#include <hbm/index/hole_lists.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace hbm::test::hole_lists_tests {

using detail::hole_lists;

namespace {

/// Lists of holes, and the same in plain containers: by number, the first hole first.
struct listed_holes {
    block_map<std::uint32_t> map{1};
    hole_lists lists;
    unsigned searched;
    std::map<unsigned, std::vector<block_index>> plain;
    std::vector<block_index> spare;

    listed_holes(unsigned count, unsigned holes) : lists(count), searched(count) {
        for (unsigned i = 0; i < holes; ++i) spare.push_back(map.new_node());
    }
    void push(unsigned list) {
        const block_index hole = spare.back();
        spare.pop_back();
        if (list < searched) lists.note(list);
        lists.push(map, list, hole, lists.link(list));
        plain[list].insert(plain[list].begin(), hole);
    }
    void take_out(unsigned list, std::size_t at) {
        std::vector<block_index>& holes = plain[list];
        if (at == 0)
            lists.pop(map, list, holes[at]);
        else
            lists.erase(map, holes[at]);
        spare.push_back(holes[at]);
        holes.erase(holes.begin() + static_cast<std::ptrdiff_t>(at));
        if (holes.empty()) plain.erase(list);
    }
    /// The holes of a list, from its link on.
    [[nodiscard]] std::vector<block_index> holes_of(unsigned list) const {
        std::vector<block_index> found;
        for (block_index hole = lists.link(list); hole != map.list_end; hole = map.right(hole)) found.push_back(hole);
        return found;
    }
    void expect_neighbours(unsigned from) const {
        const auto end = plain.lower_bound(searched);  // what is beyond is not searched
        const auto value = [&](auto at) { return at == end ? hole_lists::none : at->first; };
        const auto before = [&](auto at) { return at == plain.begin() ? hole_lists::none : std::prev(at)->first; };
        REQUIRE(lists.at_least(from) == value(plain.lower_bound(from)));
        REQUIRE(lists.above(from) == value(plain.upper_bound(from)));
        REQUIRE(lists.below(from) == before(plain.lower_bound(from)));
        REQUIRE(lists.largest() == before(end));
        REQUIRE(lists.is_marked(from) == (plain.count(from) != 0));
    }
};

}  // namespace

TEST_CASE("lists of holes find their neighbours as a plain map does, and keep their order") {
    for (const unsigned count : {2u, 63u, 64u, 65u, 1920u, 4097u}) {
        CAPTURE(count);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            CAPTURE(seed);
            testing::random_numbers random(seed);
            listed_holes here(count, 60);
            unsigned all = count;
            for (int step = 0; step < 2000; ++step) {
                if (step == 700) all = here.lists.append(128) + 128;
                const auto any_list = [&] {
                    const auto list = static_cast<unsigned>(1 + random.below(all - 1));
                    return list < count || list >= all - 128 ? list : count - 1;
                };
                if (!here.spare.empty() && random.once_in(step / 300 % 2 == 0 ? 2 : 3)) {
                    here.push(random.once_in(3) && !here.plain.empty() ? here.plain.begin()->first : any_list());
                } else if (!here.plain.empty()) {
                    auto list = here.plain.lower_bound(any_list());
                    if (list == here.plain.end()) list = here.plain.begin();
                    here.take_out(list->first, static_cast<std::size_t>(random.below(list->second.size())));
                }
                for (const auto& [list, holes] : here.plain) REQUIRE(here.holes_of(list) == holes);
                const auto from = static_cast<unsigned>(1 + random.below(count - 1));
                here.expect_neighbours(from);
                if (here.lists.at_least(from) == hole_lists::none) here.lists.forget_above(from);
                here.expect_neighbours(from);
                if (random.once_in(100)) here.lists = hole_lists(here.lists);
            }
        }
    }
}

TEST_CASE("a hole is put between two others of its list") {
    listed_holes here(8, 3);
    here.push(5);
    here.push(5);
    const std::vector<block_index> two = here.holes_of(5);
    const block_index between = here.spare.back();
    hole_lists::put_between(here.map, two[0], between, two[1]);
    CHECK(here.holes_of(5) == std::vector<block_index>{two[0], between, two[1]});
    here.lists.erase(here.map, two[0]);
    CHECK(here.holes_of(5) == std::vector<block_index>{between, two[1]});
    here.lists.erase(here.map, two[1]);
    here.lists.erase(here.map, between);
    CHECK(here.holes_of(5).empty());
    CHECK_FALSE(here.lists.is_marked(5));
}

TEST_CASE("lists that nothing is in find nothing") {
    CHECK(hole_lists{}.largest() == hole_lists::none);
    CHECK(hole_lists(100).at_least(1) == hole_lists::none);
    CHECK(hole_lists(100).below(99) == hole_lists::none);
    CHECK(hole_lists(100).searched() == 100);
    hole_lists marks(128);
    marks.mark(70);
    CHECK(marks.marks(64) == std::uint64_t{1} << 6);
    marks.unmark_if(70, false);
    CHECK(marks.is_marked(70));
    marks.unmark_if(70, true);
    CHECK_FALSE(marks.is_marked(70));
}

}  // namespace hbm::test::hole_lists_tests
