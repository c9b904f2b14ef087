#pragma once

/// The interface of the allocators that are measured, called peers. One loop drives all of them:
///
/// | expression         | result          | meaning                                                          |
/// |--------------------|-----------------|------------------------------------------------------------------|
/// | `P::name`          | `fixed_string`  | name in the report                                               |
/// | `P::handle`        | type            | handle of a caller; empty if default-constructed                 |
/// | `P(quanta, blocks)`| `P`             | an arena of `quanta`, ready for this many live blocks            |
/// | `p.allocate(n)`    | `handle`        | n quanta, or nothing                                             |
/// | `P::holds(h)`      | `bool`          | true if it is not empty                                          |
/// | `p.offset(h)`      | `std::uint64_t` | offset in quanta                                                 |
/// | `p.free(h)`        | -               | frees it                                                         |
/// | `p.moves()`        | `std::uint64_t` | optional: number of blocks moved so far to make room             |
/// | `p.reach()`        | `std::uint64_t` | no block ends beyond; the capacity unless the peer pads its arena|
///
/// To add a peer see bench/README.md.

#include <hbm/core/fixed_string.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::micro {

/// All sizes are multiples of this many bytes.
inline constexpr std::uint64_t quantum = 512;

/// A peer.
template <class P>
concept peer = requires(P p, const P c, const typename P::handle h, std::uint32_t n) {
    { P::name.c_str() } -> std::same_as<const char*>;
    { p.allocate(n) } -> std::same_as<typename P::handle>;
    { P::holds(h) } -> std::same_as<bool>;
    { c.offset(h) } -> std::convertible_to<std::uint64_t>;
    p.free(h);
    { c.reach() } -> std::convertible_to<std::uint64_t>;
}
&&std::default_initializable<typename P::handle>&& std::constructible_from<P, std::uint64_t, std::size_t>;

/// A list of peers.
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
