#pragma once

#include <hbm/placement/placement.hpp>

namespace hbm {

/// Blocks that are expected to live briefly come from the low end of memory, all others from the high end: what lasts
/// does not end up between holes that brief blocks leave. Which hole is taken is still the choice of `P`; of equal ones
/// (of all, where `P` takes the first) it is the nearest to the block's end of memory, and of the hole the end on that
/// side. It matters where memory is nearly full: see bench/README.md for what it saves. `lifetimes_learned` knows what
/// to expect where callers do not say. Over or under `bottom_reserve` alike, brief blocks lie towards the reservation
/// but, while any other hole fits, not in the hole above it. As under `bottom_reserve` there is no footprint: compare
/// by minimum capacity. Which end of memory a request prefers has no say.
template <class P>
class lifetimes_apart : public P {
    static_assert(check_placement<P>());
    static_assert(!heeds_lifetimes<P>, "lifetimes_apart<P> needs a placement that does not keep lifetimes apart yet");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"lifetimes_apart<"} + P::name + fixed_string{">"};
    static constexpr bool heeds_lifetimes = true;

    using P::P;

    /// Cost of a placement of `P`.
    constexpr block_index place(need<quanta> n) {
        n.from = n.at = n.expected == lifetime::brief ? end::low : end::high;
        n.ends_chosen = true;
        return P::place(n);
    }

    friend constexpr bool operator==(const lifetimes_apart&, const lifetimes_apart&) = default;
};

template <placement P>
struct from_the_top<lifetimes_apart<P>> {
    using type = lifetimes_apart<from_the_top_t<P>>;
};

}  // namespace hbm
