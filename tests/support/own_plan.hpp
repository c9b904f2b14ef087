#pragma once

/// Plans for any sequence of requests, for suites that make requests of their own.

#include <hbm/placement/scheduled.hpp>

#include <array>
#include <cstdint>

namespace hbm::test {

/// A `scheduled<P>` that follows a plan of `count` requests whenever it follows none. It writes each item of the plan
/// when its request comes: at any offset, with any block below, which is only a hint.
template <class P>
class own_plan : public scheduled<P> {
public:
    static constexpr std::uint32_t count = 12;
    static constexpr std::uint32_t height = 24;

    using typename P::quanta;
    using scheduled<P>::scheduled;

    block_index place(const need<quanta>& n) {
        const own_plan before = *this;
        if (!this->is_following() && n.length <= height) this->follow({.blocks = items, .height = height});
        if (this->is_following() && this->followed() < count) {
            const auto next = static_cast<std::uint32_t>(this->followed());
            const auto any = static_cast<std::uint32_t>(2654435761u * (next + 31 * n.length + 1)) >> 8;
            const std::uint64_t room = n.length < height ? height - n.length : 0;
            items[next] = {.offset = any % (room + 1),
                           .length = n.length <= height ? n.length : 0,
                           .below = next == 0 || any % 3 == 0 ? scheduled_block::none : any % next};
        }
        const block_index block = scheduled<P>::place(n);
        if (block == no_block) *this = before;
        return block;
    }

    friend constexpr bool operator==(const own_plan&, const own_plan&) = default;

private:
    inline static std::array<scheduled_block, count> items{};  // of all memories: each item is written before its use
};

}  // namespace hbm::test

template <hbm::placement P>
struct hbm::from_the_top<hbm::test::own_plan<P>> {
    using type = hbm::test::own_plan<hbm::from_the_top_t<P>>;
};
