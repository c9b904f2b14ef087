// The C++ type of a manager, to paste: each text is compiled here as it stands, and is the manager of that name.

#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>
#include <hbm/relief/rent_or_buy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "compare/managers/named_managers.hpp"
#include "compare/managers/shipped.hpp"
#include "compare_program.hpp"

namespace hbm::test::manager_type_tests {

namespace {

std::string type_of(std::string_view name, bool is_wide = false) {
    const hbm::compare::manager_entries all = hbm::compare::shipped_managers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    REQUIRE(found != all.end());
    return hbm::compare::type_text(*found, is_wide);
}

/// Compares the text of a type with what is written for it, and with what the type itself is called.
template <class Manager>
void check_type(std::string_view written) {
    CHECK(type_of({Manager::name.c_str(), Manager::name.size()}) == written);
}

}  // namespace

#define CHECK_TYPE(...) check_type<__VA_ARGS__>(#__VA_ARGS__)

TEST_CASE("the type to paste compiles and is the manager of that name") {
    CHECK_TYPE(hbm::manager<hbm::best_fit>);
    CHECK_TYPE(hbm::manager<hbm::buddy>);
    CHECK_TYPE(hbm::manager<hbm::bfc, hbm::never_evict, hbm::donate_same_size>);
    CHECK_TYPE(hbm::manager<hbm::compacting<hbm::first_fit>>);
    CHECK_TYPE(hbm::manager<hbm::best_fit_lifo, hbm::evict_greedy_dual>);
    CHECK_TYPE(hbm::manager<hbm::good_fit, hbm::never_evict, hbm::donate_fitting>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_cheapest_window,
                            hbm::donate_same_size>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size,
                            hbm::rent_or_buy>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size,
                            hbm::never_relieve>);
    CHECK_TYPE(hbm::manager<hbm::compacting<hbm::lifetimes_learned<hbm::lifetimes_apart<hbm::best_fit>>>>);
    CHECK_TYPE(hbm::manager<hbm::free_together<hbm::best_fit>>);
}

TEST_CASE("every shipped type is written with nothing but names of the library") {
    for (const hbm::compare::manager_entry& each : hbm::compare::shipped_managers()) {
        const std::string text = hbm::compare::type_text(each, false);
        CAPTURE(text);
        CHECK(text.starts_with("hbm::"));
        CHECK(std::count(text.begin(), text.end(), '<') == std::count(text.begin(), text.end(), '>'));
        CHECK(text.find('/') == std::string::npos);
    }
}

TEST_CASE("a recommendation is three sentences and a type, in Markdown and in the table's place") {
    const workplace here;
    here.write("t.csv", "op,id,bytes\nalloc,a,1024\nalloc,b,1024\nalloc,c,1024\nfree,b,\nalloc,d,2560\n");
    const std::string job = "--trace t.csv --rounds 0 --recommend --manager best_fit --manager 'compacting<best_fit>' ";
    const std::string out = here.run(job).out;
    CHECK(
        out ==
        "Take compacting<best_fit>: it completes the workload, for 2 us of modelled moves and reloads.\n"
        "Of the 2 that complete as much, none needs over 1 % less memory and costs no more on any workload; the next, "
        "best_fit, needs 22.2 % more memory and spends 0 us.\n"
        "The simpler best_fit completes as much and needs 22.2 % more memory, and saves 2 us.\n"
        "\n"
        "#include <hbm/hbm.hpp>\n"
        "using memory = hbm::manager<hbm::compacting<hbm::best_fit>>;\n");
    CHECK(here.run(job + "--format csv").status == 2);
    const ending alone = here.run("--trace t.csv --rounds 0 --recommend --manager best_fit --wide");
    CHECK(count_of(alone.out,
                   "\nIt is the only manager that takes part: without --manager the usual ones are compared.\n") == 1);
    CHECK(alone.err ==
          "hbm_compare: warning: --wide has no effect beside --recommend: it writes sentences instead of tables\n");
    CHECK(count_of(here.run(job + "--format json").out, "\n],\n\"recommendation\":{\"workloads\":1,\"best\":{") == 1);
}

}  // namespace hbm::test::manager_type_tests
