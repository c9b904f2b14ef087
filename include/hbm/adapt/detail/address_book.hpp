#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/block_table.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/device/device.hpp>
#include <hbm/events/events.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/manager.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::inline v0 {

/// A function that is called during the call that moved a buffer from `from` to `to`; `bytes` is its granted size.
/// Requires: it does not change the memory.
using move_callback = void (*)(void* context, void* from, void* to, std::uint64_t bytes);

/// An observer that tracks which buffer begins where. `addressed` adds and erases buffers; moves are observed. A value.
template <class Quanta>
class address_book {
public:
    static constexpr fixed_string name{"address_book"};

    constexpr address_book() = default;
    constexpr explicit address_book(const address_range& memory) : memory_(memory) {}

    /// Updates the address of a moved buffer and calls the callback.
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        if (e.what == event_kind::begun) return begin(e);
        if (e.what == event_kind::moved || e.what == event_kind::stayed) end(e.subject);
        if (e.what == event_kind::stayed) return stay(e, memory);
        if (e.what != event_kind::moved) return;
        const block_index block = table.erase(static_cast<Quanta>(e.from / memory.spec().quantum));
        if (block == no_block) return;
        table.insert(static_cast<Quanta>(e.where.offset / memory.spec().quantum), block);
        const std::uint64_t bytes = std::uint64_t{memory.map().granted(block)} * memory.spec().quantum;
        auto* const base = static_cast<std::byte*>(memory_.base);
        if (memory_.on_host) {
            poison(base + e.from, e.where.size);
            poison(base + e.where.offset, e.where.size);
            unpoison(base + e.where.offset, bytes);
        }
        if (tell != nullptr) tell(context, base + e.from, base + e.where.offset, bytes);
    }

    /// Returns true if a pass moves the block: its bytes may still be read if it is freed.
    [[nodiscard]] constexpr bool is_moving(block_index block) const noexcept {
        for (const block_index other : moving_)
            if (other == block) return true;
        return false;
    }

    friend constexpr bool operator==(const address_book&, const address_book&) = default;

    block_table<Quanta> table;
    move_callback tell = nullptr;
    void* context = nullptr;

private:
    /// A pass copies whole blocks, with bytes that no buffer has.
    void begin(const event& e) {
        moving_.push_back(e.subject);
        if (!memory_.on_host) return;
        auto* const base = static_cast<std::byte*>(memory_.base);
        unpoison(base + e.from, e.where.size);
        unpoison(base + e.where.offset, e.where.size);
    }
    constexpr void end(block_index block) noexcept {
        for (const block_index& other : moving_)
            if (other == block) return moving_.erase(&other);
    }
    template <class Memory>
    void stay(const event& e, const Memory& memory) const {
        if (!memory_.on_host) return;
        auto* const base = static_cast<std::byte*>(memory_.base);
        poison(base + e.where.offset, e.where.size);
        const block_kind kind = memory.map().kind(e.subject);
        if (kind != block_kind::data && kind != block_kind::deferred) return;
        const std::uint64_t granted = std::uint64_t{memory.map().granted(e.subject)} * memory.spec().quantum;
        const std::uint64_t live = kind == block_kind::data ? granted : 0;
        poison(base + e.from + live, memory.where(e.subject).size - live);
    }

    address_range memory_;
    trivial_vector<block_index> moving_;  // by passes
};

/// A device whose bytes are a range of addresses on the host. A value: copies refer to the same bytes.
struct range_device {
    static constexpr fixed_string name{"range_device"};

    address_range bytes = {};

    /// Copies `size` bytes; the ranges may overlap. Clears the poison of AddressSanitizer in both ranges first, as
    /// bytes of a block beyond its buffer are poisoned.
    /// Fails: returns false, with nothing changed, if a range is outside the memory or not on the host.
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) noexcept {
        if (!bytes.on_host || !inside(to, size) || !inside(from, size)) return false;
        auto* const base = static_cast<std::byte*>(bytes.base);
        unpoison(base + from, size);
        unpoison(base + to, size);
        detail::move_bytes(base + to, base + from, static_cast<std::size_t>(size));
        return true;
    }

    friend constexpr bool operator==(const range_device&, const range_device&) = default;

private:
    [[nodiscard]] constexpr bool inside(std::uint64_t offset, std::uint64_t size) const noexcept {
        return offset <= bytes.bytes && size <= bytes.bytes - offset;
    }
};

static_assert(device<range_device> && copies<range_device>);

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
