#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <vector>

namespace hbm::inline v0::detail {

/// The runs of a mesh that some device may still execute: each has a fence of the mesh, and one on each device.
struct mesh_fences {
    fence issued;
    fence forgotten;                   // reached by all devices
    trivial_vector<fence> on_devices;  // of the runs after `forgotten`, run by run

    /// Returns the fence of a device for a fence of the mesh; for a forgotten fence, the latest reached.
    template <class Manager>
    [[nodiscard]] constexpr fence on(const std::vector<Manager>& memories, std::size_t device,
                                     fence of_mesh) const noexcept {
        if (of_mesh <= forgotten) return memories[device].reached();
        return on_devices[(of_mesh.number - forgotten.number - 1) * memories.size() + device];
    }
    /// Returns the latest fence that all devices have reached.
    /// Cost: O(runs in flight x devices).
    template <class Manager>
    [[nodiscard]] constexpr fence reached(const std::vector<Manager>& memories) const noexcept {
        std::size_t at = 0;
        while (at < on_devices.size() && on_devices[at] <= memories[at % memories.size()].reached()) ++at;
        return {forgotten.number + (at == 0 ? 0 : at / memories.size())};
    }
    /// Returns the first fence of the mesh with which every device has reached what it has in `later`; the default
    /// fence if no device has reached more there, `issued` if one has reached more than the runs of the mesh.
    /// Cost: O(runs in flight x devices).
    template <class Manager>
    [[nodiscard]] constexpr fence first_covering(const std::vector<Manager>& now,
                                                 const std::vector<Manager>& later) const noexcept {
        fence covering;
        for (std::size_t device = 0; device < now.size(); ++device) {
            if (later[device].reached() <= now[device].reached()) continue;
            fence needed = forgotten;
            while (needed < issued && on(now, device, needed) < later[device].reached()) ++needed.number;
            if (covering < needed) covering = needed;
        }
        return covering;
    }
    /// Forgets the fences that all devices have reached.
    template <class Manager>
    constexpr void forget_reached(const std::vector<Manager>& memories) {
        const fence over = reached(memories);
        const std::size_t count = (over.number - forgotten.number) * memories.size();
        on_devices.erase(on_devices.begin(), on_devices.begin() + count);
        forgotten = over;
    }

    friend constexpr bool operator==(const mesh_fences&, const mesh_fences&) = default;
};

}  // namespace hbm::inline v0::detail
