#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/program_record.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hbm::test::tag_names_tests {

TEST_CASE("a name has one tag, and the tag its name") {
    tag_names names;
    CHECK(names.intern("") == tag::none);
    CHECK(names.intern(nullptr) == tag::none);
    const tag weights = names.intern("weights");
    CHECK(weights != tag::none);
    CHECK(names.intern("weights") == weights);
    CHECK(names.intern("weight") != weights);
    for (int i = 0; i < 1000; ++i) names.intern(("name" + std::to_string(i)).c_str());
    CHECK(names.size() == 1002);
    CHECK(names.intern("weights") == weights);
    CHECK(std::string(names.name(weights)) == "weights");
    CHECK(std::string(names.name(names.intern("name500"))) == "name500");
    CHECK(std::string(names.name(tag::none)).empty());
    CHECK(std::string(names.name(static_cast<tag>(5000))).empty());
}

TEST_CASE("copies of names go apart with the first new name") {
    tag_names names;
    const tag weights = names.intern("weights");
    tag_names copy = names;
    CHECK(copy == names);
    CHECK(copy.name(weights) == names.name(weights));  // shared
    CHECK(copy.intern("weights") == weights);
    CHECK(copy.name(weights) == names.name(weights));
    const tag ours = copy.intern("ours");
    const tag theirs = names.intern("theirs");
    CHECK(ours == theirs);
    CHECK(std::string(copy.name(ours)) == "ours");
    CHECK(std::string(names.name(theirs)) == "theirs");
    CHECK_FALSE(names.knows("ours"));
    CHECK_FALSE(copy == names);
    names = copy;
    CHECK(names == copy);
    copy = tag_names{};
    CHECK(std::string(names.name(weights)) == "weights");
    CHECK(copy.size() == 0);
    CHECK(copy == tag_names{});
    const tag_names moved = static_cast<tag_names&&>(names);
    CHECK(std::string(moved.name(ours)) == "ours");
}

namespace {

/// The users of names.
struct users {
    struct {
        struct {
            block_index first() const { return no_block; }
            block_index next(block_index) const { return no_block; }
            block_kind kind(block_index) const { return block_kind::data; }
            std::uint32_t owner(block_index) const { return 0; }
        } nothing;
        const auto& map() const { return nothing; }
    } blocks;
    std::vector<program_record> programs;
};

}  // namespace

TEST_CASE("names: names without users are forgotten after two turns, and their tags are those of new names") {
    tag_names names;
    const tag kept = names.intern("kept");
    names.keep(kept);
    const tag used = names.intern("used");
    const users state{{}, {{.label = used}}};
    const tag once = names.intern("once");
    const tag often = names.intern("often");
    const auto turn = [&](const std::string& prefix) {
        for (int number = 0; number < 1100; ++number) names.intern((prefix + std::to_string(number)).c_str());
        names.forget_unused(state);
        names.intern("often");
    };
    turn("a");
    CHECK(std::string(names.name(once)) == "once");
    const tag_names copy = names;
    turn("b");
    CHECK(std::string(names.name(once)).empty());
    CHECK_FALSE(names.knows("a7"));
    CHECK(names.knows("b7"));
    CHECK(std::string(copy.name(once)) == "once");
    CHECK(copy.knows("a7"));
    turn("c");
    CHECK(names.size() < 3500);
    CHECK(std::string(names.name(kept)) == "kept");
    CHECK(std::string(names.name(used)) == "used");
    CHECK(std::string(names.name(often)) == "often");
    CHECK(names.intern("often") == often);
    CHECK(static_cast<std::uint32_t>(names.intern("new")) < names.size());
    CHECK(names.knows("new"));
}

static_assert([] {
    tag_names names;
    const tag weights = names.intern("weights");
    tag_names copy = names;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) copy.intern(name);
    return names.size() == 1 && copy.size() == 11 && copy.intern("weights") == weights;
}());

TEST_CASE("fixed strings join") {
    constexpr auto joined = fixed_string{"a<"} + fixed_string{"bc"} + fixed_string{">"};
    CHECK(std::string(joined.c_str()) == "a<bc>");
    CHECK(joined.size() == 5);
}

}  // namespace hbm::test::tag_names_tests
