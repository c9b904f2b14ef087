#pragma once

/// What a mesh is asked for and what it answers: shapes, shares, runs, failures.

#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace hbm {

struct mesh_buffer_tag {};
struct mesh_program_tag {};

/// A buffer with a part on each device of a mesh: what a sharded or replicated array is.
using mesh_buffer = basic_handle<mesh_buffer_tag>;
/// A program loaded on each device of a mesh.
using mesh_program = basic_handle<mesh_program_tag>;

/// How many devices there are: replicas, each cut into partitions. Devices are numbered replica by replica: device =
/// replica * partitions + partition.
struct mesh_shape {
    std::uint32_t replicas = 1;
    std::uint32_t partitions = 1;

    /// How many devices that are.
    [[nodiscard]] constexpr std::size_t devices() const noexcept { return std::size_t{replicas} * partitions; }
    /// The number of a device; and where the device of a number is.
    [[nodiscard]] constexpr std::size_t device(std::uint32_t replica, std::uint32_t partition) const noexcept {
        return std::size_t{replica} * partitions + partition;
    }
    [[nodiscard]] constexpr std::uint32_t replica(std::size_t device) const noexcept {
        return static_cast<std::uint32_t>(device / partitions);
    }
    [[nodiscard]] constexpr std::uint32_t partition(std::size_t device) const noexcept {
        return static_cast<std::uint32_t>(device % partitions);
    }

    friend constexpr bool operator==(const mesh_shape&, const mesh_shape&) = default;
};

/// How many bytes each device has of something: as many as all others, or one number a device, in their order. Like a
/// list it does not own its numbers: use it in the call, do not keep it.
class shares {
public:
    constexpr shares(std::uint64_t on_each_device = 0) noexcept : same_(on_each_device) {}  // NOLINT: meant to convert
    constexpr shares(std::initializer_list<std::uint64_t> by_device) noexcept  // NOLINT: braces are meant to convert
        : by_device_(by_device.begin(), by_device.size()), uneven_(true) {}
    template <class Items>
    requires requires(const Items& items) {
        { items.data() } -> std::convertible_to<const std::uint64_t*>;
        { items.size() } -> std::convertible_to<std::size_t>;
    }
    constexpr shares(const Items& by_device) noexcept : by_device_(by_device), uneven_(true) {}  // NOLINT
    template <std::size_t Size>
    constexpr shares(const std::uint64_t (&by_device)[Size]) noexcept
        : by_device_(by_device), uneven_(true) {}  // NOLINT

    /// True when every one of so many devices has its share.
    [[nodiscard]] constexpr bool covers(std::size_t devices) const noexcept {
        return !uneven_ || by_device_.size() == devices;
    }
    /// The share of a device, one of those that are covered. O(1).
    [[nodiscard]] constexpr std::uint64_t on(std::size_t device) const noexcept {
        return uneven_ ? by_device_[device] : same_;
    }

private:
    std::uint64_t same_ = 0;
    list<std::uint64_t> by_device_;
    bool uneven_ = false;
};

/// An output of a run on a mesh: how large it is on each device, and the rest of what `output` says.
struct mesh_output {
    shares bytes;
    const char* label = "";
    aliasing alias = aliasing::any;
    std::uint32_t partner = no_index;  ///< index into `mesh_run_spec::donated`; nobody else takes that one over

    constexpr mesh_output() = default;
    constexpr mesh_output(std::uint64_t size, const char* name = "", aliasing bound = aliasing::any,
                          std::uint32_t donor = no_index) noexcept
        : mesh_output(shares(size), name, bound, donor) {}  // NOLINT: sizes are meant to convert
    constexpr mesh_output(std::initializer_list<std::uint64_t> by_device) noexcept : bytes(by_device) {}  // NOLINT
    constexpr mesh_output(const shares& sizes, const char* name = "", aliasing bound = aliasing::any,
                          std::uint32_t donor = no_index) noexcept
        : bytes(sizes), label(name), alias(bound), partner(donor) {}  // NOLINT
};

/// One run of a program on all devices of a mesh; an argument is the same on each of them, its part there.
struct mesh_run_spec {
    list<mesh_buffer> inputs = {};
    list<mesh_buffer> donated = {};
    list<mesh_output> outputs = {};
    list<std::uint32_t> kept = {};  ///< indices into `donated` of those that are only read, this time
    std::uint64_t run_us = 0;       ///< microseconds it takes: the price of waiting for it, as in `run_spec`
};

/// What a failed call reports: what the manager of the first device that cannot do it says, and which device that is,
/// or `no_index` where it is the call itself that is wrong.
struct mesh_failure {
    failure why;
    std::uint32_t replica = no_index;
    std::uint32_t partition = no_index;

    /// True when a device is to blame.
    [[nodiscard]] constexpr bool names_device() const noexcept { return replica != no_index; }
    friend constexpr bool operator==(const mesh_failure&, const mesh_failure&) = default;
};

/// A `T`, or a `mesh_failure`; reading the side that is not there is the caller's mistake.
template <class T>
class mesh_result {
public:
    constexpr mesh_result(const T& value) noexcept : value_(value), good_(true) {}        // NOLINT: meant to convert
    constexpr mesh_result(const mesh_failure& why) noexcept : why_(why), good_(false) {}  // NOLINT: meant to convert

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return good_; }
    [[nodiscard]] constexpr bool has_value() const noexcept { return good_; }
    [[nodiscard]] constexpr const T& operator*() const noexcept { return value_; }
    [[nodiscard]] constexpr const T* operator->() const noexcept { return &value_; }
    /// Why it failed; only when it did.
    [[nodiscard]] constexpr const mesh_failure& error() const noexcept { return why_; }

private:
    union {
        T value_;
        mesh_failure why_;
    };
    bool good_;
};

/// What a run on a mesh returns.
struct mesh_run_result {
    std::span<const mesh_buffer> outputs;  ///< in the order of the spec; valid until the end of the mesh's next run,
                                           ///< whose arguments they may be, or assignment
    fence over = {};                       ///< the mesh's own: reached when the run is over on all devices
    std::uint64_t donated = 0;             ///< how many outputs took over an input, summed over the devices
    std::uint32_t reloaded = 0;            ///< on how many devices the program had been evicted and came back
};

}  // namespace hbm
