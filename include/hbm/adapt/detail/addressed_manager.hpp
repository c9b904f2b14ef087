#pragma once

/// The manager inside `addressed<Manager>`: the same policies, with a device that has the bytes and an observer that
/// hears of moves, where there are moves.

#include <hbm/adapt/detail/address_book.hpp>
#include <hbm/adapt/detail/range_device.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/manager.hpp>

#include <concepts>
#include <type_traits>

namespace hbm {

/// What a manager type becomes; only of managers.
template <class Manager>
struct addressed_manager;

template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct addressed_manager<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    /// Whether buffers may move. Where they may not, device and observer stay as they are, and cost nothing more.
    static constexpr bool moves = compacts<Placement>;

    using quanta = typename Placement::quanta;
    using book = address_book<quanta>;
    /// A device that copies is the user's own, as for memory that the host cannot reach.
    using device = std::conditional_t<moves && !copies<Device>, range_device, Device>;
    using events =
        std::conditional_t<!moves, Events,
                           std::conditional_t<std::same_as<Events, no_events>, book, observers<book, Events>>>;
    using type = manager<Placement, Eviction, Donation, Relief, device, events>;

    /// The options of the manager inside, from those that the user gave.
    template <class Options>
    [[nodiscard]] static constexpr typename type::options options(const Options& given, const address_range& memory) {
        typename type::options made{
            .eviction = given.eviction, .donation = given.donation, .relief = given.relief, .salt = given.salt};
        if constexpr (std::same_as<device, Device>)
            made.device = given.device;
        else
            made.device = device{memory};
        if constexpr (!moves)
            made.events = given.events;
        else if constexpr (std::same_as<Events, no_events>)
            made.events = book(memory);
        else
            made.events = events(book(memory), given.events);
        return made;
    }

    /// The book that hears of the moves of a manager.
    [[nodiscard]] static constexpr book& book_of(type& memory) noexcept requires moves {
        if constexpr (std::same_as<Events, no_events>)
            return memory.events();
        else
            return memory.events().template get<book>();
    }
};

}  // namespace hbm
