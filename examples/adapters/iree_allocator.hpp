#pragma once
// A manager under the allocator interface of IREE's HAL. To paste. Not compiled against IREE.
#include <hbm/core/error.hpp>
#include <hbm/core/request.hpp>

#include <cstdint>
#include <mutex>

namespace adapters {

/// Functions for an `iree_hal_allocator_t` over an `hbm::addressed`, which must outlive it. `Params` is
/// `iree_hal_buffer_params_t` (runtime/src/iree/hal/allocator.h in iree-org/iree). The caller makes the buffer of a
/// pointer, because that differs between IREE's versions; the buffer's release callback calls `deallocate`. Allocated
/// memory never moves.
template <class Addressed>
class iree_allocator {
public:
    explicit iree_allocator(Addressed& memory) : memory_(memory) {}

    /// Allocates `bytes` and returns the status of `wrap(data, bytes)`, which makes a buffer of them; frees them if
    /// `succeeded(status)` is false. Returns `fail(failure)` if there is no room.
    template <class Params, class Wrap, class Fail, class Succeeded>
    auto allocate_buffer(const Params& params, std::uint64_t bytes, Wrap wrap, Fail fail, Succeeded succeeded) {
        std::unique_lock lock(mutex_);
        const auto data = memory_.allocate_fixed(hbm::request{.bytes = bytes, .alignment = params.min_alignment});
        lock.unlock();
        if (!data) return fail(data.error());
        auto status = wrap(*data, bytes);
        if (!succeeded(status)) deallocate(*data);
        return status;
    }

    /// Frees a buffer by its first address. Returns false if no live buffer begins there.
    bool deallocate(void* data) {
        const std::lock_guard lock(mutex_);
        return memory_.deallocate(data).has_value();
    }

    /// Fills in `iree_hal_allocator_statistics_t`, which has no fields if IREE was built without statistics.
    template <class Statistics>
    void query_statistics(Statistics& result) {
        if constexpr (requires { result.device_bytes_peak; }) {
            const std::lock_guard lock(mutex_);
            result = {};
            result.device_bytes_peak = memory_.use().peak;
            result.device_bytes_allocated = memory_.use().allocated_bytes;
            result.device_bytes_freed = memory_.use().freed_bytes;
        }
    }

private:
    Addressed& memory_;
    std::mutex mutex_;
};

/// Returns the number of IREE's status code (runtime/src/iree/base/status.h): 8 resource exhausted, 13 internal, 3
/// invalid argument.
constexpr int iree_code(hbm::error error) {
    if (error == hbm::error::none) return 0;
    if (error == hbm::error::device_failed) return 13;
    const bool is_room = error == hbm::error::buffer_does_not_fit || error == hbm::error::size_too_large;
    return is_room || error == hbm::error::too_many_pins ? 8 : 3;
}

}  // namespace adapters
