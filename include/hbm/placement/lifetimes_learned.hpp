#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/placement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Adaptor that learns the lifetimes of the blocks of each tag, for requests without a hint. A clock counts placed
/// blocks. On average a block sees as many placements as blocks are live (Little, 1961), so no threshold needs tuning:
/// a life is brief if it saw fewer than a quarter of that. Each tag has a counter from 0 to 3, incremented by brief
/// lives and decremented by others, as in a branch predictor (Smith, 1981); from 2 on the prediction is brief. Blocks
/// without a tag, of programs and at given offsets do not count. A block that an output takes over keeps its age, and
/// counts for the output's tag.
///
/// Memory: 1,024 bytes of counters, shared by tags with equal remainders, and 4 bytes per block. The counters are part
/// of the value, and are copied and compared. `manager::under` resets them.
template <class P>
class lifetimes_learned : public P {
    static_assert(check_placement<P>());
    static_assert(heeds_lifetimes<P>,
                  "lifetimes_learned<P> needs a placement to which lifetimes matter: lifetimes_apart<...>");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"lifetimes_learned<"} + P::name + fixed_string{">"};

    using P::P;

    constexpr block_index place(const need<quanta>& n) {
        const block_index block = P::place(n);
        if (block == no_block) return block;
        if (++now_ == never) ++now_;
        if (P::map().number_of(block) >= born_.size()) born_.resize(P::map().nodes(), never);
        born_[P::map().number_of(block)] = now_;
        return block;
    }

    constexpr void release(block_index block) {
        learn(block);
        P::release(block);
    }

    /// Returns the predicted lifetime of a block with this tag: brief or unknown.
    [[nodiscard]] constexpr lifetime expected(tag label) const noexcept {
        return brief_lives_[counter_of(static_cast<std::uint32_t>(label))] >= from_here_brief ? lifetime::brief
                                                                                              : lifetime::unknown;
    }

    constexpr void reserve_metadata(std::size_t blocks) requires reserves_metadata<P> {
        P::reserve_metadata(blocks);
        born_.reserve(P::map().reserved_nodes());
    }

    friend constexpr bool operator==(const lifetimes_learned&, const lifetimes_learned&) = default;

private:
    static constexpr std::uint32_t never = 0;
    static constexpr std::uint8_t most = 3;
    static constexpr std::uint8_t from_here_brief = 2;

    [[nodiscard]] static constexpr std::size_t counter_of(std::uint32_t label) noexcept { return label % 1024; }

    /// Updates the counters before a block is freed.
    constexpr void learn(block_index block) noexcept {
        const std::uint32_t number = P::map().number_of(block);
        if (number >= born_.size() || born_[number] == never) return;
        const std::uint32_t came = now_ - born_[number];
        born_[number] = never;
        const block_kind kind = P::map().kind(block);
        const std::uint32_t label = P::map().owner(block);
        if ((kind != block_kind::data && kind != block_kind::deferred) || label == 0) return;
        std::uint8_t& counter = brief_lives_[counter_of(label)];
        if (came < P::map().live_blocks() / 4)
            counter = static_cast<std::uint8_t>(counter < most ? counter + 1 : most);
        else if (counter != 0)
            --counter;
    }

    std::array<std::uint8_t, 1024> brief_lives_{};  // counter of each tag
    trivial_vector<std::uint32_t> born_;            // time of placement of each block, or `never`
    std::uint32_t now_ = never;
};

template <placement P>
struct from_the_top<lifetimes_learned<P>> {
    using type = lifetimes_learned<from_the_top_t<P>>;
};

}  // namespace hbm::inline v0
