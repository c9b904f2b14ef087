#pragma once

/// A manager under the allocator interface of IREE's HAL.

#include <hbm/adapt/no_mutex.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/request.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// What the functions `allocate_buffer`, `deallocate_buffer` and `query_statistics` of an `iree_hal_allocator_t` need,
/// over `addressed`, which it refers to and which has to outlive it. The types are those of the caller: the params are
/// `iree_hal_buffer_params_t`, the statistics `iree_hal_allocator_statistics_t` (runtime/src/iree/hal/allocator.h in
/// iree-org/iree). How a buffer is made of a pointer has changed between IREE's versions: therefore the caller does it.
///
///     static iree_status_t allocate_buffer(iree_hal_allocator_t* base, const iree_hal_buffer_params_t* params,
///                                          iree_device_size_t size, iree_hal_buffer_t** out_buffer) {
///         return of(base)->hbm.allocate_buffer(
///             *params, size,
///             [&](void* data, std::uint64_t bytes) { return wrap_with_release(base, params, data, bytes, out_buffer);
///             },
///             [](const hbm::address_failure& why) { return iree_status_from_code(hbm::iree_code(why.reason)); },
///             [](iree_status_t status) { return iree_status_is_ok(status); });
///     }
///
/// and the release callback of the buffer calls `deallocate`. What it allocates never moves. IREE calls its allocators
/// from several threads: give it a `Mutex` then, `std::mutex`, and call the memory in no other way.
template <class Addressed, lockable Mutex = no_mutex>
class iree_allocator {
public:
    explicit iree_allocator(Addressed& memory) : memory_(memory) {}

    /// Allocates `bytes` with the alignment that `params` asks for, and returns the status of `wrap(data, bytes)`,
    /// which makes a buffer of them. If there is no room, returns `refuse(why)`, with an `address_failure`; if
    /// `succeeded(status)` is false, the memory is free again. Cost of the manager's `allocate`, and of what is called.
    template <class Params, class Wrap, class Refuse, class Succeeded>
    [[nodiscard]] auto allocate_buffer(const Params& params, std::uint64_t bytes, Wrap wrap, Refuse refuse,
                                       Succeeded succeeded) {
        const auto made = allocate(request{.bytes = bytes, .alignment = params.min_alignment});
        if (!made) return refuse(made.error());
        auto status = wrap(*made, bytes);
        if (!succeeded(status)) static_cast<void>(deallocate(*made));
        return status;
    }

    /// Frees a buffer's memory by its first address. False, and nothing done, if no live buffer begins there;
    /// `last_failure` of the memory says what is wrong. Cost of the manager's `free`.
    bool deallocate(void* data) {
        const locked_scope lock(mutex_);
        return memory_.deallocate(data).has_value();
    }

    /// Writes the bytes that were allocated and freed since the beginning, as granted, and the most in use at a time
    /// since the peaks were cleared; those of the host are 0. Where IREE was built without statistics, the struct has
    /// no such fields and stays as it is. O(1).
    template <class Statistics>
    void query_statistics(Statistics* found) const {
        if constexpr (requires { found->device_bytes_peak; }) {
            const locked_scope lock(mutex_);
            *found = {};
            found->device_bytes_peak = counted(found->device_bytes_peak, memory_.use().peak);
            found->device_bytes_allocated = counted(found->device_bytes_allocated, memory_.use().allocated_bytes);
            found->device_bytes_freed = counted(found->device_bytes_freed, memory_.use().freed_bytes);
        }
    }

private:
    [[nodiscard]] auto allocate(const request& asked) {
        const locked_scope lock(mutex_);
        return memory_.allocate_fixed(asked);
    }
    /// A number in the width of the struct's field.
    template <class Field>
    [[nodiscard]] static Field counted(const Field&, std::uint64_t bytes) noexcept {
        return static_cast<Field>(bytes);
    }

    Addressed& memory_;
    [[no_unique_address]] mutable Mutex mutex_;
};

/// The number of IREE's status code for a request that was refused (runtime/src/iree/base/status.h): 8, resource
/// exhausted, where there is no room, 3, invalid argument, where the call is wrong, 13, internal, where the device
/// failed. Cast it to `iree_status_code_t`. O(1).
[[nodiscard]] constexpr int iree_code(error why) noexcept {
    switch (why) {
    case error::none:
        return 0;
    case error::buffer_does_not_fit:
    case error::size_too_large:
    case error::too_many_pins:
        return 8;
    case error::device_failed:
        return 13;
    default:
        return 3;
    }
}

}  // namespace hbm
