#pragma once

/// A runtime in the manner of PJRT: a client has devices, a device has buffers and loaded executables, and an execution
/// is asynchronous. The device is a thread, and its memory is bytes on the host; everything else is as it would be with
/// an accelerator.

#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device_queue.hpp"

namespace runtime_client {

enum class dtype : std::uint8_t { f32, f64 };

struct shape {
    dtype type = dtype::f32;
    std::vector<std::uint64_t> dimensions = {};

    [[nodiscard]] std::uint64_t bytes() const;
    friend bool operator==(const shape&, const shape&) = default;
};

/// What a kernel sees: addresses in the device's memory, good for this run.
struct kernel_call {
    std::vector<const std::byte*> inputs = {};  ///< the donated inputs among them, in the order of the arguments
    std::vector<std::byte*> outputs = {};
    std::byte* scratch = nullptr;
    const std::byte* code = nullptr;
    std::uint64_t rows = 0;  ///< the first dimension of the first argument
};

/// A compiled program, before it is on a device.
struct program_image {
    const char* name = "";
    std::vector<std::byte> code;  ///< is copied to the device, again after each eviction
    std::uint64_t scratch = 0;    ///< bytes
    std::uint64_t run_us = 0;     ///< what a run takes, in microseconds
    void (*kernel)(const kernel_call&) = nullptr;
    std::vector<shape> outputs;
};

/// Blocks until the device has ended the runs that the manager declares over. Calls ask `awaited_fence` first and wait
/// without the lock, so this is for relief by hand alone.
struct waits_for_device {
    static constexpr hbm::fixed_string name{"waits_for_device"};
    device_queue* queue = nullptr;

    void on(const hbm::event& happened) {
        if (happened.what == hbm::event_kind::reached) queue->wait(happened.from);
    }
    friend bool operator==(const waits_for_device&, const waits_for_device&) = default;
};

using memory_type = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>, hbm::evict_lru,
                                 hbm::donate_same_size, hbm::relieve_cheapest, hbm::host_device, waits_for_device>;

class device;

/// A buffer on a device. Frees itself; moved only. Its memory stays until the runs that use it are over.
class device_buffer {
public:
    device_buffer() = default;
    device_buffer(device& on, hbm::buffer handle, shape of, hbm::fence ready)
        : on_(&on), handle_(handle), shape_(std::move(of)), ready_(ready) {}
    device_buffer(device_buffer&& other) noexcept { swap(other); }
    device_buffer& operator=(device_buffer&& other) noexcept {
        device_buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~device_buffer();

    [[nodiscard]] const shape& of() const { return shape_; }
    [[nodiscard]] hbm::buffer handle() const { return handle_; }
    /// Reached when its bytes are there.
    [[nodiscard]] hbm::fence ready() const { return ready_; }
    /// It was donated: there is nothing to free any more.
    void forget() { on_ = nullptr, handle_ = {}; }

private:
    void swap(device_buffer& other) noexcept {
        std::swap(on_, other.on_), std::swap(handle_, other.handle_);
        std::swap(shape_, other.shape_), std::swap(ready_, other.ready_);
    }

    device* on_ = nullptr;
    hbm::buffer handle_ = {};
    shape shape_;
    hbm::fence ready_ = {};
};

/// A program on a device. It may be evicted at any time; `execute` brings it back.
struct executable {
    hbm::program handle;
    const program_image* image = nullptr;
};

struct argument {
    device_buffer* buffer = nullptr;
    bool donated = false;
};

/// A device, for any number of threads. A call that has to wait for the device does so without the lock.
class device {
public:
    device(const hbm::memory_spec& spec, std::uint32_t number);

    /// Calls that return nothing have failed: see `why`. Nothing has changed then.
    [[nodiscard]] std::optional<device_buffer> from_host(const shape& of, std::span<const float> values,
                                                         const char* name);
    [[nodiscard]] std::optional<executable> load(const program_image& image);
    /// Begins a run of one argument at least, and returns the outputs before the device has computed them. What was
    /// donated is gone.
    [[nodiscard]] std::optional<std::vector<device_buffer>> execute(executable program,
                                                                    std::span<const argument> given);
    /// Waits until the device has reached a fence.
    void await(hbm::fence until);
    /// The values of a buffer, once they are there.
    [[nodiscard]] std::vector<float> to_host(const device_buffer& from);
    /// Moves some bytes so that free memory lies together: for times in which the device has nothing to do.
    void tidy(std::uint64_t budget) {
        const std::lock_guard held(mutex_);
        memory_.compact(budget);
    }
    void free(hbm::buffer handle) {
        const std::lock_guard held(mutex_);
        memory_.free(handle);
    }

    /// Returns the explanation of the latest failure. Requires: no other thread calls.
    [[nodiscard]] const std::string& why() const { return why_; }
    /// Returns the manager. Requires: no other thread calls.
    [[nodiscard]] memory_type& memory() { return memory_; }
    /// Returns the count of waits for the device before a call.
    [[nodiscard]] std::uint64_t waits() const { return waits_; }
    /// Runs that succeeded only after what the explanation of their failure had advised.
    [[nodiscard]] std::uint64_t second_attempts() const { return second_attempts_; }

private:
    /// Returns the lock, once `call(memory)` waits for nothing.
    template <class Call>
    [[nodiscard]] std::unique_lock<std::mutex> lock_for(Call call) {
        std::unique_lock held(mutex_);
        while (true) {
            const hbm::fence until = hbm::awaited_fence(memory_, call);
            if (until == hbm::fence{}) return held;
            ++waits_;
            held.unlock();
            queue_.wait(until.number);
            held.lock();
            memory_.retire(until);
        }
    }
    [[nodiscard]] std::byte* at(std::uint64_t offset) { return memory_.device().bytes(offset, 0).data(); }
    [[nodiscard]] std::byte* code_of(hbm::program of);
    void copy_code(executable of);

    memory_type memory_;
    device_queue queue_;  // after the memory: it ends first, and finishes what works on the bytes there
    std::string why_;
    std::uint64_t second_attempts_ = 0;
    std::uint64_t waits_ = 0;
    std::mutex mutex_;  // for all of the above except the queue
};

/// All devices.
struct client {
    std::vector<std::unique_ptr<device>> devices;

    /// Each has a salt of its own, so that a buffer of one device is noticed when it is given to another.
    client(const hbm::memory_spec& spec, std::uint32_t count) {
        for (std::uint32_t at = 0; at < count; ++at) devices.push_back(std::make_unique<device>(spec, at));
    }
};

}  // namespace runtime_client
