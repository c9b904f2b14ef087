#pragma once

#include <hbm/core/call_site.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/language.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/mesh/specs.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void ask_for_a_device_that_is_not_there() noexcept {
    trap();
}

[[nodiscard]] constexpr std::uint32_t mixed(std::uint32_t salt, mesh_shape shape) noexcept {
    return call_site{salt}.salted(shape.replicas, shape.partitions);
}
[[nodiscard]] constexpr std::uint32_t mixed(std::uint32_t salt, const memory_spec& spec) noexcept {
    return call_site{salt}.salted(spec.capacity, spec.quantum, spec.top_reserved, spec.bounce);
}

/// The parts of all handles of a kind: each handle has a slot with a part for each device.
template <class Handle, class Part>
struct mesh_table {
    trivial_vector<Part> parts;                 // slot by slot
    trivial_vector<std::uint32_t> generations;  // by slot; odd while the handle is valid
    trivial_vector<std::uint32_t> unused;       // free slots; the last is used first

    constexpr Handle begin(std::span<const Part> on_devices, std::uint32_t salt) {
        std::uint32_t slot = static_cast<std::uint32_t>(generations.size());
        if (unused.empty()) {
            generations.push_back(0);
            parts.append(on_devices.data(), on_devices.data() + on_devices.size());
        } else {
            slot = unused.back();
            unused.pop_back();
            for (std::size_t device = 0; device < on_devices.size(); ++device)
                parts[slot * on_devices.size() + device] = on_devices[device];
        }
        return {slot, ++generations[slot], salt};
    }
    constexpr void end(Handle ended) {
        ++generations[ended.index];
        unused.push_back(ended.index);
    }
    [[nodiscard]] constexpr error check(Handle held, std::uint32_t salt) const noexcept {
        if (!held) return error::stale_handle;
        if (held.salt != salt) return error::foreign_handle;
        const bool good =
            held.index < generations.size() && held.generation % 2 == 1 && generations[held.index] == held.generation;
        return good ? error::none : error::stale_handle;
    }
    /// Returns the part of a valid handle on a device; `devices` is the number of parts of a slot.
    [[nodiscard]] constexpr Part& part(Handle held, std::size_t device, std::size_t devices) noexcept {
        return parts[held.index * devices + device];
    }
    [[nodiscard]] constexpr const Part& part(Handle held, std::size_t device, std::size_t devices) const noexcept {
        return parts[held.index * devices + device];
    }

    friend bool operator==(const mesh_table&, const mesh_table&) = default;
};

}  // namespace detail

}  // namespace hbm::inline v0
