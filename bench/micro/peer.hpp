#pragma once

/// The shape of what is measured. A peer is a class with a small common shape, so that one loop drives them all:
///
/// | expression         | result          | meaning                                                          |
/// |--------------------|-----------------|------------------------------------------------------------------|
/// | `P::name`          | `fixed_string`  | what the report calls it                                         |
/// | `P::keeps`         | `promise`       | what `verify` insists on, besides that blocks are apart          |
/// | `P::handle`        | type            | what a caller holds; a default-made one holds nothing            |
/// | `P(quanta, blocks)`| `P`             | an arena of so many quanta, ready for so many live blocks        |
/// | `p.allocate(n)`    | `handle`        | n quanta, or nothing                                             |
/// | `P::holds(h)`      | `bool`          | whether there is something                                       |
/// | `p.offset(h)`      | `std::uint64_t` | where it is, in quanta                                           |
/// | `p.free(h)`        | -               | frees it                                                         |
/// | `p.moves()`        | `std::uint64_t` | optional: how many blocks were moved so far to make room         |
/// | `p.reach()`        | `std::uint64_t` | no block ends beyond; the capacity unless the peer pads its arena|
///
/// Peers of your own: see bench/README.md.

#include <hbm/core/fixed_string.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::micro {

/// Sizes are whole quanta of so many bytes.
inline constexpr std::uint64_t quantum = 512;

/// What a peer says of its placements.
enum class promise : std::uint8_t {
    apart,                ///< only that blocks do not overlap
    smallest,             ///< as well: a smallest hole that fits, and no failure while one does
    smallest_at_an_end,   ///< as well: at an end of the lowest of those
    smallest_and_lowest,  ///< as well: at the low end of it
    from_the_top,         ///< the mirror image of that, but the hole at the bottom only when no other fits
};

/// The shape of a peer.
template <class P>
concept peer = requires(P p, const P c, const typename P::handle h, std::uint32_t n) {
    { P::name.c_str() } -> std::same_as<const char*>;
    { P::keeps } -> std::convertible_to<promise>;
    { p.allocate(n) } -> std::same_as<typename P::handle>;
    { P::holds(h) } -> std::same_as<bool>;
    { c.offset(h) } -> std::convertible_to<std::uint64_t>;
    p.free(h);
    { c.reach() } -> std::convertible_to<std::uint64_t>;
}
&&std::default_initializable<typename P::handle>&& std::constructible_from<P, std::uint64_t, std::size_t>;

/// Some peers.
template <class... Peers>
struct peer_list {
    static_assert((peer<Peers> && ...), "every peer has the shape that the table in peer.hpp describes");
};
template <class... Left, class... Right>
peer_list<Left..., Right...> operator+(peer_list<Left...>, peer_list<Right...>) {
    return {};
}
/// Calls `visit(std::type_identity<P>{})` for each peer, in order.
template <class... Peers, class Visit>
void for_each(peer_list<Peers...>, Visit&& visit) {
    (visit(std::type_identity<Peers>{}), ...);
}

}  // namespace hbm::micro
