// The small values that calls take and return: handles, fences, results, reasons, and lists of arguments.
#include <hbm/core/error.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/child_process.hpp"

namespace hbm::test::handle_and_result_tests {

template <class Left, class Right>
concept comparable = requires(Left left, Right right) {
    left == right;
};

// Handles are small, and those of different kinds are never taken for each other.
static_assert(sizeof(buffer) == 12);
static_assert(!std::same_as<buffer, program>);
static_assert(!std::convertible_to<buffer, program> && !std::constructible_from<program, buffer>);
static_assert(comparable<buffer, buffer> && !comparable<buffer, program>);
static_assert(!std::convertible_to<buffer, bool>, "a handle is no number by accident");
static_assert(std::is_trivially_copyable_v<buffer> && std::is_trivially_copyable_v<result<buffer>>);
static_assert(error{} == error::none && failure{}.reason == error::none);
static_assert(tag{} == tag::none);

namespace {

template <class T>
std::vector<T> items(list<T> given) {
    return {given.begin(), given.end()};
}

constexpr result<std::uint32_t> half(std::uint32_t number) {
    if (number % 2 != 0) return failure{.reason = error::bad_argument, .requested = number};
    return number / 2;
}
static_assert(half(8) && *half(8) == 4);
static_assert(!half(9) && half(9).error().requested == 9);

}  // namespace

TEST_CASE("a handle is made of its three numbers, at run time as in constant evaluation") {
    static_assert(program::of(4, 5, 6) == program{4, 5, 6});
    constexpr std::uint32_t most = ~std::uint32_t{0};
    for (const std::uint32_t index : {0U, 1U, most - 1, most})
        for (const std::uint32_t generation : {0U, 7U, most})
            for (const std::uint32_t salt : {0U, 9U, most})
                CHECK(buffer::of(index, generation, salt) == buffer{index, generation, salt});
}

TEST_CASE("a result holds a value, or why there is none") {
    const result<buffer> good = buffer{1, 3, 5};
    CHECK(good);
    CHECK(good.has_value());
    CHECK(*good == buffer{1, 3, 5});
    CHECK(good->generation == 3);
    CHECK(good.value_or(buffer{}) == buffer{1, 3, 5});

    const failure why{.reason = error::buffer_does_not_fit, .requested = 4096, .free = 512};
    const result<buffer> bad = why;
    CHECK_FALSE(bad);
    CHECK_FALSE(bad.has_value());
    CHECK(bad.error() == why);
    CHECK(bad.value_or(buffer{9, 9, 9}) == buffer{9, 9, 9});

    result<buffer> changed = good;
    changed = bad;
    CHECK_FALSE(changed);
    CHECK(changed.error() == why);
    changed = good;
    CHECK(*changed == buffer{1, 3, 5});
}

TEST_CASE("what a result holds can be changed and moved out") {
    result<buffer> good = buffer{1, 3, 5};
    *good = buffer{2, 3, 5};
    good->salt = 6;
    CHECK(*good == buffer{2, 3, 6});
    static_assert(std::is_same_v<decltype(*good), buffer&>);
    static_assert(std::is_same_v<decltype(*std::as_const(good)), const buffer&>);
    static_assert(std::is_trivially_copyable_v<result<buffer>>);  // returned in registers and memory, not by a call

    using owner = trivial_vector<std::uint32_t>;
    result<owner> list = owner{1, 2, 3};
    const std::uint32_t* const data = list->data();
    const owner taken = *std::move(list);
    CHECK(taken.data() == data);
    CHECK(taken.size() == 3);
    const result<owner> none = failure{.reason = error::bad_argument};
    CHECK(none.value_or(owner{7}).size() == 1);
    result<owner> other = none;
    CHECK(other.error().reason == error::bad_argument);
    other = taken;
    REQUIRE(other);
    CHECK(other->size() == 3);
}

namespace {

constexpr result<buffer> good_result() {
    return buffer{1, 3, 5};
}
constexpr result<buffer> failed_result() {
    return failure{.reason = error::bad_argument};
}

struct read_good_value {
    constexpr auto operator()() const { return *good_result(); }
};
struct read_good_member {
    constexpr auto operator()() const { return good_result()->index; }
};
struct read_failed_error {
    constexpr auto operator()() const { return failed_result().error().reason; }
};
struct read_failed_value {
    constexpr auto operator()() const { return *failed_result(); }
};
struct read_failed_member {
    constexpr auto operator()() const { return failed_result()->index; }
};
struct read_good_error {
    constexpr auto operator()() const { return good_result().error().reason; }
};

/// True when a call is a constant expression.
template <class Call>
concept is_constant = requires {
    typename std::bool_constant<(Call{}(), true)>;
};
static_assert(is_constant<read_good_value> && is_constant<read_good_member> && is_constant<read_failed_error>);
static_assert(!is_constant<read_failed_value> && !is_constant<read_failed_member> && !is_constant<read_good_error>);

/// Makes a call in a process of its own. Returns the signal that ends it; 0 if none does.
template <class Call>
int signal_of(Call call) {
    return test::run_in_child([&] { static_cast<void>(call()); }).signal;
}

}  // namespace

TEST_CASE("reading what a result does not hold ends the program") {
    CHECK(signal_of(read_good_value{}) == 0);
    CHECK(signal_of(read_good_member{}) == 0);
    CHECK(signal_of(read_failed_error{}) == 0);
    CHECK(signal_of(read_failed_value{}) != 0);
    CHECK(signal_of(read_failed_member{}) != 0);
    CHECK(signal_of(read_good_error{}) != 0);
    const result<trivial_vector<std::uint32_t>> failed = failure{};
    CHECK(signal_of([&] { return failed->size(); }) != 0);
    const mesh_result<mesh_run_result> good = mesh_run_result{};
    CHECK(signal_of([&] { return good.error().why.reason; }) != 0);
}

TEST_CASE("reading the value of a failed call prints the failure before the program ends") {
    const result<buffer> failed = failure{.reason = error::buffer_does_not_fit, .requested = 4096, .free = 512};
    CHECK(test::run_in_child([&] { static_cast<void>(*failed); }).messages ==
          "hbm: the value of a failed result was read: buffer_does_not_fit, 4096 bytes requested, 512 free\n");
    const mesh_result<mesh_buffer> refused = mesh_failure{.why = {.reason = error::no_devices, .requested = 8}};
    CHECK(test::run_in_child([&] { static_cast<void>(*refused); }).messages ==
          "hbm: the value of a failed result was read: no_devices, 8 bytes requested, 0 free\n");
    struct other_failure {
        int reason;
    };
    const basic_result<buffer, other_failure> outside = other_failure{1};
    CHECK(test::run_in_child([&] { static_cast<void>(*outside); }).messages ==
          "hbm: the value of a failed result was read\n");
}

TEST_CASE("value: returns a copy, and says at which place a failed result was read") {
    const buffer held{8, 1, 7};
    static_assert(result<int>(7).value() == 7);
    CHECK(result<buffer>(held).value() == held);
    const result<buffer> failed = failure{.reason = error::buffer_does_not_fit, .requested = 4096, .free = 512};
    const auto read = [&] { static_cast<void>(failed.value()); };
    CHECK(test::run_in_child(read).messages ==
          std::string(__FILE__) + ":" + std::to_string(__LINE__ - 2) +
              ": hbm: the value of a failed result was read: buffer_does_not_fit, 4096 bytes requested, 512 free\n");
}

TEST_CASE("a result may hold what looks like nothing, and is still a success") {
    const result<buffer> nothing = buffer{};
    CHECK(nothing);
    CHECK_FALSE(*nothing);
    const result<std::uint64_t> zero = std::uint64_t{0};
    CHECK(zero);
    CHECK(*zero == 0);
    const result<done> success = done{};
    CHECK(success);
    CHECK(*success == done{});
    const result<done> no_reason = failure{};
    CHECK_FALSE(no_reason);  // a failure without a reason is a failure
}

TEST_CASE("a list is made of anything that holds items in a row") {
    const std::vector<std::uint32_t> expected{4, 5, 6};
    const std::array<std::uint32_t, 3> array{4, 5, 6};
    const std::uint32_t plain[] = {4, 5, 6};
    CHECK(items<std::uint32_t>(expected) == expected);
    CHECK(items<std::uint32_t>(array) == expected);
    CHECK(items<std::uint32_t>(plain) == expected);
    CHECK(items<std::uint32_t>(std::span<const std::uint32_t>(plain)) == expected);
    CHECK(items<std::uint32_t>({4, 5, 6}) == expected);
    CHECK(items<std::uint32_t>({plain, 2}) == std::vector<std::uint32_t>{4, 5});

    const list<std::uint32_t> named = expected;
    CHECK(named.begin() == expected.data());  // a list owns nothing
    CHECK(named.size() == 3);
    CHECK(named[2] == 6);
    CHECK_FALSE(named.empty());
}

TEST_CASE("braces are items, not a place and a count") {
    CHECK(items<std::uint32_t>({0, 2}) == std::vector<std::uint32_t>{0, 2});
    CHECK(items<std::uint32_t>({0}) == std::vector<std::uint32_t>{0});
    CHECK(items<std::uint32_t>({}).empty());
    CHECK(list<std::uint32_t>{}.empty());
    CHECK(list<std::uint32_t>{}.begin() == list<std::uint32_t>{}.end());
    const std::vector<std::uint32_t> none;
    CHECK(list<std::uint32_t>(none).empty());
}

TEST_CASE("outputs are made of sizes alone, or of all that is said of them") {
    const auto sizes = items<output>({6144, 4096});
    REQUIRE(sizes.size() == 2);
    CHECK(sizes[0].bytes == 6144);
    CHECK(sizes[1].bytes == 4096);
    CHECK(sizes[1].label == tag::none);
    CHECK(sizes[1].alias == aliasing::any);
    CHECK(sizes[1].expected == lifetime::unknown);
    CHECK(sizes[1].partner == no_index);

    const auto full = items<output>({{512, tag{3}, aliasing::must, 1, lifetime::brief}});
    REQUIRE(full.size() == 1);
    CHECK(full[0].bytes == 512);
    CHECK(full[0].label == tag{3});
    CHECK(full[0].alias == aliasing::must);
    CHECK(full[0].partner == 1);
    CHECK(full[0].expected == lifetime::brief);
}

}  // namespace hbm::test::handle_and_result_tests
