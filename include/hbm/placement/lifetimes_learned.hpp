#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/placement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// Learns from the past of a tag how long its blocks live, for requests that do not say. A clock counts blocks that are
/// placed. On average a block sees as many come as are live (Little, "A proof for the queuing formula L = lambda W",
/// 1961), so that no threshold need be set: it lived briefly if it saw fewer than a quarter of that. Each tag has a
/// counter from 0 to 3 that goes up with a brief life and down with another, as in Smith's branch predictor ("A study
/// of branch prediction strategies", 1981); from 2 on the next block is expected to be brief. Blocks without a tag, of
/// programs and at given places teach nothing. A block that an output takes over was born when it was placed, and
/// teaches under the output's tag.
///
/// 1,024 bytes for counters, which tags share that are 1,024 apart, and 4 bytes a block. What is learned is part of the
/// value: copies know it, and equal placements know the same. Under another placement (`manager::under`) it begins
/// anew.
template <class P>
class lifetimes_learned : public P {
    static_assert(check_placement<P>());
    static_assert(heeds_lifetimes<P>,
                  "lifetimes_learned<P> needs a placement to which lifetimes matter: lifetimes_apart<...>");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"lifetimes_learned<"} + P::name + fixed_string{">"};

    using P::P;

    /// Cost of a placement of `P`.
    constexpr block_index place(const need<quanta>& n) {
        const block_index block = P::place(n);
        if (block == no_block) return block;
        if (++now_ == never) ++now_;
        if (P::map().number_of(block) >= born_.size()) born_.resize(P::map().nodes(), never);
        born_[P::map().number_of(block)] = now_;
        return block;
    }

    /// Cost of a release of `P`.
    constexpr void release(block_index block) {
        learn(block);
        P::release(block);
    }

    /// How long a block under this tag is expected to live: briefly, or unknown. O(1).
    [[nodiscard]] constexpr lifetime expected(tag label) const noexcept {
        return brief_lives_[counter_of(static_cast<std::uint32_t>(label))] >= from_here_brief ? lifetime::brief
                                                                                              : lifetime::unknown;
    }

    /// Room for `blocks` live blocks without asking the host again.
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

    /// Counts the life of a block that is about to go.
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

    std::array<std::uint8_t, 1024> brief_lives_{};  // by tag
    trivial_vector<std::uint32_t> born_;            // by block: when it was placed, or never
    std::uint32_t now_ = never;
};

template <placement P>
struct from_the_top<lifetimes_learned<P>> {
    using type = lifetimes_learned<from_the_top_t<P>>;
};

}  // namespace hbm
