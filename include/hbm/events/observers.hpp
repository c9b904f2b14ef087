#pragma once

#include <hbm/events/events.hpp>

#include <concepts>

namespace hbm::inline v0 {

namespace detail {

/// An observer as a base class, so that an observer without state takes no space.
template <class Part>
struct observer_part {
    [[no_unique_address]] Part part;

    constexpr observer_part() = default;
    // Without it, GCC 12 copies a byte of an empty part over its neighbour.
    constexpr explicit observer_part(const Part& its_part) : part(its_part) {}

    friend constexpr bool operator==(const observer_part&, const observer_part&) = default;
};

template <class First, class... Rest>
[[nodiscard]] consteval auto observer_names() {
    if constexpr (sizeof...(Rest) == 0)
        return First::name;
    else
        return First::name + fixed_string{","} + observer_names<Rest...>();
}

template <class Part, class Memory>
constexpr void show(Part& part, const Memory& memory) {
    if constexpr (looks_at<Part, Memory>) part.look_at(memory);
}

}  // namespace detail

/// Several observers as one; calls its parts in order.
/// Requires: the parts have different types, as `get` finds them by type.
/// Cost: events cost nothing if no part receives them.
template <observer... Parts>
class observers : detail::observer_part<Parts>... {
public:
    static constexpr auto name = [] {
        if constexpr (sizeof...(Parts) == 0)
            return fixed_string{"observers<>"};
        else
            return fixed_string{"observers<"} + detail::observer_names<Parts...>() + fixed_string{">"};
    }();

    constexpr observers() = default;
    constexpr explicit observers(const Parts&... parts) requires(sizeof...(Parts) != 0)
        : detail::observer_part<Parts>(parts)... {}

    template <class Memory>
    requires((hears_events<Parts> || hears_events_of<Parts, Memory>) || ...) constexpr void on(const event& e,
                                                                                               const Memory& memory) {
        (tell<Parts>(e, memory), ...);
    }
    template <class Memory>
    requires(looks_at<Parts, Memory> || ...) constexpr void look_at(const Memory& memory) {
        (detail::show(get<Parts>(), memory), ...);
    }

    template <class Part>
    requires(std::same_as<Part, Parts> || ...) [[nodiscard]] constexpr Part& get() noexcept {
        return static_cast<detail::observer_part<Part>&>(*this).part;
    }
    template <class Part>
    requires(std::same_as<Part, Parts> || ...) [[nodiscard]] constexpr const Part& get() const noexcept {
        return static_cast<const detail::observer_part<Part>&>(*this).part;
    }

    friend constexpr bool operator==(const observers& a, const observers& b) {
        return (... && (a.template get<Parts>() == b.template get<Parts>()));
    }

private:
    template <class Part, class Memory>
    constexpr void tell(const event& e, const Memory& memory) {
        if constexpr (hears_events_of<Part, Memory>)
            get<Part>().on(e, memory);
        else if constexpr (hears_events<Part>)
            get<Part>().on(e);
    }
};

/// Returns the observer of type `Part`: `events` itself, or a part at any depth; null if there is none.
template <class Part, class Events>
[[nodiscard]] constexpr const Part* observer_in(const Events& events) noexcept {
    if constexpr (std::same_as<Part, Events>)
        return &events;
    else
        return nullptr;
}
/// The first of several of that type wins, in the order of the parts.
template <class Part, observer... Parts>
[[nodiscard]] constexpr const Part* observer_in(const observers<Parts...>& events) noexcept {
    if constexpr (std::same_as<Part, observers<Parts...>>) return &events;
    const Part* match = nullptr;
    ((match = match == nullptr ? observer_in<Part>(events.template get<Parts>()) : match), ...);
    return match;
}

/// Combined observers may receive nothing; each part is checked by itself.
template <class... Parts, class Memory>
inline constexpr bool hears_wrongly<observers<Parts...>, Memory> = (hears_wrongly<Parts, Memory> || ...);

}  // namespace hbm::inline v0
