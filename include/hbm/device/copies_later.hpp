#pragma once

/// The contract of a device whose copies take time, such as a DMA engine with a stream of its own. A manager with
/// streams takes it as `copies_later<D>`.
///
/// | expression                      | result   | meaning                                                                       |
/// |---------------------------------|----------|-------------------------------------------------------------------------------|
/// | `D::name`                       |          | the type as a user would write it, a `fixed_string`                           |
/// | `D::copies_on`                  | `stream` | the stream of its copies                                                      |
/// | `d.copy(to, from, bytes, over)` | `bool`   | begins a copy between ranges that do not overlap, which is over with the      |
/// |                                 |          | fence `over`; several copies may have one fence. False if it cannot begin     |
/// | `d.copied(over)`                | `bool`   | called once after `over` is reached: true if all copies of this fence arrived |
///
/// A copy that failed leaves its source unchanged, and anything at its target. Until a fence is retired, or reported
/// with `event_kind::reached`, nothing is written to the sources and targets of its copies, except by the user's own
/// work, after which the copy is out of date and dropped.

#include <hbm/core/stream.hpp>
#include <hbm/device/device.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

namespace detail {

inline constexpr std::uint64_t names_fence = 0;
inline constexpr std::uint64_t asks_if_copied = 1;

}  // namespace detail

/// A device whose copies take time.
template <class D>
concept copying_device = regular_value<D> && names_itself<D> &&
    requires(D device, std::uint64_t to, std::uint64_t from, std::uint64_t bytes, fence over) {
    { D::copies_on } -> std::convertible_to<stream>;
    { device.copy(to, from, bytes, over) } -> std::same_as<bool>;
    { device.copied(over) } -> std::same_as<bool>;
};

/// Adaptor for a device whose copies take time. `begin_compaction` of the manager begins moves and returns; the blocks
/// move when the fence is retired. Relief first waits for such copies, then for each copy that it makes. If one of them
/// fails, and there is no room then, the call fails after it has waited.
template <class D>
class copies_later {
    static_assert(copying_device<D>,
                  "a device that copies later has static constexpr hbm::stream copies_on, "
                  "bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, hbm::fence over) and "
                  "bool copied(hbm::fence over)");

public:
    static constexpr auto name = fixed_string{"copies_later<"} + D::name + fixed_string{">"};
    static constexpr stream copies_on = D::copies_on;

    constexpr copies_later() = default;
    constexpr copies_later(const D& given) : device_(given) {}  // NOLINT: implicit

    /// Returns the device.
    [[nodiscard]] constexpr D& device() noexcept { return device_; }
    [[nodiscard]] constexpr const D& device() const noexcept { return device_; }

    /// Begins a copy for the fence named last, or, without bytes, does what `from` says of the fence `to`: names it as
    /// that of the next copies, or returns true if all copies of it arrived. Only the manager calls it.
    constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        if (bytes != 0) return device_.copy(to, from, bytes, next_);
        if (from == detail::asks_if_copied) return device_.copied(fence{to});
        next_ = fence{to};
        return true;
    }

    friend bool operator==(const copies_later&, const copies_later&) = default;

private:
    D device_{};
    fence next_;
};

}  // namespace hbm::inline v0
