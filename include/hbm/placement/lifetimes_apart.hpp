#pragma once

#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// Adaptor that places blocks with brief lifetimes at the low end of memory and all others at the high end. So lasting
/// blocks do not end up between holes of brief ones. `P` chooses the hole; ties (with first fit, all holes) go to the
/// nearest to the block's end of memory. It matters if memory is nearly full: see bench/README.md. Ignores which end a
/// request prefers.
///
/// Over or under `bottom_reserve` it is equivalent: brief blocks lie towards the reservation, and the hole above it is
/// the last choice. There is no footprint: compare by minimum capacity.
template <class P>
class lifetimes_apart : public P {
    static_assert(check_placement<P>());
    static_assert(!heeds_lifetimes<P>, "lifetimes_apart<P> needs a placement that does not keep lifetimes apart yet");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"lifetimes_apart<"} + P::name + fixed_string{">"};
    static constexpr bool heeds_lifetimes = true;

    using P::P;

    constexpr block_index place(need<quanta> n) {
        // The end at which the search begins breaks ties between holes, the end of the hole is where the block lies:
        // both are those of the lifetime. `ends_chosen` keeps adaptors below from choosing others.
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

}  // namespace hbm::inline v0
