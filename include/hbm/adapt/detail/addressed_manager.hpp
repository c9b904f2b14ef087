#pragma once

#include <hbm/adapt/detail/address_book.hpp>
#include <hbm/adapt/detail/range_device.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/manager.hpp>

#include <concepts>
#include <type_traits>

namespace hbm::inline v0 {

/// The manager inside `addressed`: its policies, and a copying device and an observer of moves if buffers may move.
template <class Manager>
struct addressed_manager;

template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct addressed_manager<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    static constexpr bool moves = compacts<Placement>;

    using quanta = typename Placement::quanta;
    using book = address_book<quanta>;
    /// The user's own device if it copies, as for memory that the host cannot access.
    using device = std::conditional_t<moves && !copies<Device>, range_device, Device>;
    using events =
        std::conditional_t<!moves, Events,
                           std::conditional_t<std::same_as<Events, no_events>, book, observers<book, Events>>>;
    using type = manager<Placement, Eviction, Donation, Relief, device, events>;

    template <class Options>
    [[nodiscard]] static constexpr typename type::options options(const Options& given, const address_range& memory) {
        typename type::options result{
            .eviction = given.eviction, .donation = given.donation, .relief = given.relief, .salt = given.salt};
        if constexpr (std::same_as<device, Device>)
            result.device = given.device;
        else
            result.device = device{memory};
        if constexpr (!moves)
            result.events = given.events;
        else if constexpr (std::same_as<Events, no_events>)
            result.events = book(memory);
        else
            result.events = events(book(memory), given.events);
        return result;
    }

    [[nodiscard]] static constexpr book& book_of(type& memory) noexcept requires moves {
        if constexpr (std::same_as<Events, no_events>)
            return memory.events();
        else
            return memory.events().template get<book>();
    }
};

}  // namespace hbm::inline v0
