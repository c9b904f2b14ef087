#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace hbm::inline v0 {

struct mesh_buffer_tag {};
struct mesh_program_tag {};

/// A handle to a buffer with a part on each device of a mesh, as a sharded or replicated array has.
using mesh_buffer = basic_handle<mesh_buffer_tag>;
/// A handle to a program that is loaded on each device of a mesh.
using mesh_program = basic_handle<mesh_program_tag>;

/// The number of devices: replicas, each of `partitions`. Device numbers: replica * partitions + partition.
struct mesh_shape {
    std::uint32_t replicas = 1;
    std::uint32_t partitions = 1;

    [[nodiscard]] constexpr std::size_t devices() const noexcept { return std::size_t{replicas} * partitions; }
    /// Converts between a device's number and its replica and partition; 0 if there are no partitions.
    [[nodiscard]] constexpr std::size_t device(std::uint32_t replica, std::uint32_t partition) const noexcept {
        return std::size_t{replica} * partitions + partition;
    }
    [[nodiscard]] constexpr std::uint32_t replica(std::size_t device) const noexcept {
        return partitions == 0 ? 0 : static_cast<std::uint32_t>(device / partitions);
    }
    [[nodiscard]] constexpr std::uint32_t partition(std::size_t device) const noexcept {
        return partitions == 0 ? 0 : static_cast<std::uint32_t>(device % partitions);
    }

    friend constexpr bool operator==(const mesh_shape&, const mesh_shape&) = default;
};

/// The bytes on each device: one number for all, or one each. Does not own its numbers: use it only as an argument.
/// Clang warns about braces in a variable, g++ does not.
class shares {
public:
    constexpr shares(std::uint64_t on_each_device = 0) noexcept : same_(on_each_device) {}  // NOLINT: meant to convert
    // NOLINTBEGIN: braces are meant to convert
#ifdef __clang__
    constexpr shares([[clang::lifetimebound]] std::initializer_list<std::uint64_t> by_device) noexcept
#else
    constexpr shares(std::initializer_list<std::uint64_t> by_device) noexcept
#endif
        : by_device_(by_device.begin(), by_device.size()), uneven_(true) {
    }
    // NOLINTEND
    template <class Items>
    requires requires(const Items& items) {
        { items.data() } -> std::convertible_to<const std::uint64_t*>;
        { items.size() } -> std::convertible_to<std::size_t>;
    }
    constexpr shares(const Items& by_device) noexcept : by_device_(by_device), uneven_(true) {}  // NOLINT
    template <std::size_t Size>
    constexpr shares(const std::uint64_t (&by_device)[Size]) noexcept
        : by_device_(by_device), uneven_(true) {}  // NOLINT

    [[nodiscard]] constexpr bool covers(std::size_t devices) const noexcept {
        return !uneven_ || by_device_.size() == devices;
    }
    /// Returns the share of a device.
    /// Requires: the device is covered.
    [[nodiscard]] constexpr std::uint64_t on(std::size_t device) const noexcept {
        return uneven_ ? by_device_[device] : same_;
    }

private:
    std::uint64_t same_ = 0;
    list<std::uint64_t> by_device_;
    bool uneven_ = false;
};

/// An output of a run on a mesh: its bytes on each device, and the other members of `output`.
struct mesh_output {
    shares bytes;
    const char* label = "";
    aliasing alias = aliasing::any;
    std::uint32_t partner = no_index;  ///< index in `mesh_run_spec::donated`; no other output takes that donor over

    constexpr mesh_output() = default;
    constexpr mesh_output(std::uint64_t size, const char* name = "", aliasing bound = aliasing::any,
                          std::uint32_t donor = no_index) noexcept
        : mesh_output(shares(size), name, bound, donor) {}  // NOLINT: sizes are meant to convert
    // NOLINTBEGIN: braces are meant to convert
#ifdef __clang__
    constexpr mesh_output([[clang::lifetimebound]] std::initializer_list<std::uint64_t> by_device) noexcept
#else
    constexpr mesh_output(std::initializer_list<std::uint64_t> by_device) noexcept
#endif
        : bytes(by_device) {
    }
    // NOLINTEND
    constexpr mesh_output(const shares& sizes, const char* name = "", aliasing bound = aliasing::any,
                          std::uint32_t donor = no_index) noexcept
        : bytes(sizes), label(name), alias(bound), partner(donor) {}  // NOLINT
};

/// A run of a program on all devices of a mesh.
using mesh_run_spec = basic_run_spec<mesh_buffer, mesh_output>;

/// The failure of the first device that cannot do a call, and that device; `no_index` if the call itself is invalid.
struct mesh_failure {
    failure why;
    std::uint32_t replica = no_index;
    std::uint32_t partition = no_index;

    [[nodiscard]] constexpr bool names_device() const noexcept { return replica != no_index; }
    friend constexpr bool operator==(const mesh_failure&, const mesh_failure&) = default;
};

template <class T>
using mesh_result = basic_result<T, mesh_failure>;

struct mesh_run_result {
    trivial_vector<mesh_buffer> outputs;  ///< in the order of the spec
    fence over = {};                      ///< fence of the mesh, reached when the run is over on all devices
    std::uint64_t donated = 0;            ///< count of outputs that took over an input, summed over the devices
    std::uint32_t reloaded = 0;           ///< count of devices that reloaded the program
};

}  // namespace hbm::inline v0
