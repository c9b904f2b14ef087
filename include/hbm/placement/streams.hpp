#pragma once

#include <hbm/placement/placement.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// Adaptor whose manager has `N` streams: runs, transfers and collectives that are done at once. `P` places blocks.
/// The calls are in <hbm/manager/streams.hpp>, which such a manager needs.
template <class P, std::uint32_t N>
class streams : public P {
    static_assert(check_placement<P>());
    static_assert(N >= 2 && N <= 99, "streams<P, N> has 2 to 99 streams: with one, take P itself");
    static_assert(!has_streams<P>, "streams<P, N> needs a placement that has no streams yet: write it once");

    static constexpr auto number = [] {
        constexpr fixed_string<1> units{{'0' + N % 10, 0}};
        if constexpr (N < 10)
            return units;
        else
            return fixed_string<1>{{'0' + N / 10, 0}} + units;
    }();

public:
    static constexpr auto name = fixed_string{"streams<"} + P::name + fixed_string{","} + number + fixed_string{">"};
    static constexpr std::uint32_t time_lines = N;

    using P::P;

    friend constexpr bool operator==(const streams&, const streams&) = default;
};

template <placement P, std::uint32_t N>
struct from_the_top<streams<P, N>> {
    using type = streams<from_the_top_t<P>, N>;
};

}  // namespace hbm::inline v0
