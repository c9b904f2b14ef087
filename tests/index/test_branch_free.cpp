#include <hbm/index/branch_free.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

namespace hbm::test {

namespace {

template <class Unsigned>
constexpr bool masks_as_a_choice_does() {
    const auto all = static_cast<Unsigned>(~Unsigned{0});
    for (const Unsigned value : {Unsigned{0}, Unsigned{1}, static_cast<Unsigned>(all / 2), all}) {
        if (opaque(value) != value) return false;
        for (const bool condition : {false, true})
            if ((value & mask_if<Unsigned>(condition)) != (condition ? value : 0)) return false;
    }
    return mask_if<Unsigned>(true) == all && mask_if<Unsigned>(false) == 0;
}
static_assert(masks_as_a_choice_does<std::uint32_t>());
static_assert(masks_as_a_choice_does<std::uint64_t>());

}  // namespace

TEST_CASE("a mask keeps a number or makes it 0, as a choice would") {
    CHECK(masks_as_a_choice_does<std::uint32_t>());
    CHECK(masks_as_a_choice_does<std::uint64_t>());
}

}  // namespace hbm::test
