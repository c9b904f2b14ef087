#pragma once

/// A runtime in the manner of PJRT: a client has devices, a device has buffers and loaded executables, and executions
/// and transfers are asynchronous. A device has a queue of work, done in order by a thread, and two kinds of memory:
/// its own, and pinned host memory, through which transfers go. Both are bytes on the host; everything else is as it
/// would be with an accelerator.

#include <hbm/device/host_device.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/memory_set.hpp>

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

/// The dimensions of an array of floats.
using shape = std::vector<std::uint64_t>;

/// The addresses that a kernel sees in the device's memory, valid for this run.
struct kernel_call {
    std::vector<const float*> inputs = {};  ///< the donated inputs among them, in the order of the arguments
    std::vector<float*> outputs = {};
    float* scratch = nullptr;
    const std::byte* code = nullptr;
    std::uint64_t rows = 0;  ///< the first dimension of the first argument
};

/// A compiled program, before it is on a device.
struct program_image {
    const char* name = "";
    std::vector<std::byte> code;  ///< copied to the device, again after each eviction
    std::uint64_t scratch = 0;    ///< bytes
    std::uint64_t run_us = 0;     ///< microseconds that a run takes
    void (*kernel)(const kernel_call&) = nullptr;
    std::vector<shape> outputs;
};

/// Blocks until the device has ended the runs that the manager declares over. Calls ask `awaited_fence` first and wait
/// without the lock, so this is for relief by hand alone.
template <class Queue>
struct waits_for_device {
    static constexpr hbm::fixed_string name{"waits_for_device"};
    Queue* queue = nullptr;

    void on(const hbm::event& happened) {
        if (happened.what == hbm::event_kind::reached) queue->wait(happened.from);
    }
    friend bool operator==(const waits_for_device&, const waits_for_device&) = default;
};

using blocks = hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>;
template <class Placement, class Queue>
using memory_on = hbm::manager<Placement, hbm::evict_lru, hbm::donate_same_size, hbm::relieve_cheapest,
                               hbm::host_device, waits_for_device<Queue>>;
using memory_type = memory_on<blocks, device_queue>;
using pinned_type =
    hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::never_relieve, hbm::host_device>;
using memories_type =
    hbm::memory_set<hbm::never_spill, hbm::of_kind<"device", memory_type>, hbm::of_kind<"pinned_host", pinned_type>>;

class device;

/// A buffer on a device. Frees itself; moved only. Its memory stays until the runs that use it are over.
class device_buffer {
public:
    device_buffer() = default;
    device_buffer(device& on, hbm::buffer handle, shape of, hbm::fence ready)
        : on_(&on, {handle}), shape_(std::move(of)), ready_(ready) {}

    [[nodiscard]] const shape& of() const { return shape_; }
    [[nodiscard]] hbm::buffer handle() const { return on_.get_deleter().handle; }
    /// Returns the fence that is reached when its bytes are there.
    [[nodiscard]] hbm::fence ready() const { return ready_; }
    /// Frees nothing any more: it was donated.
    void forget() { (void)on_.release(); }

private:
    struct release {
        hbm::buffer handle;
        void operator()(device* on) const;
    };

    std::unique_ptr<device, release> on_;
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
    /// Each device has a number of its own, so that a buffer of one is noticed if it is given to another.
    device(const hbm::memory_spec& spec, std::uint32_t number);

    /// Copies values into a new buffer, and returns it before they are there. A call
    /// that returns nothing has failed (see `why`) and changed nothing.
    [[nodiscard]] std::optional<device_buffer> from_host(const shape& of, std::span<const float> values,
                                                         const char* name);
    [[nodiscard]] std::optional<executable> load(const program_image& image);
    /// Begins a run of one argument at least, and returns the outputs before the device has computed them. What was
    /// donated is gone.
    [[nodiscard]] std::optional<std::vector<device_buffer>> execute(executable program,
                                                                    std::span<const argument> given);
    /// Returns the values of a buffer, once they are there.
    [[nodiscard]] std::vector<float> to_host(const device_buffer& from);
    /// Moves some bytes so that free memory lies together: for times in which the device has nothing to do.
    void tidy(std::uint64_t budget) {
        const std::lock_guard held(mutex_);
        memory().compact(budget);
    }
    void free(hbm::buffer handle) {
        const std::lock_guard held(mutex_);
        memory().free(handle);
    }

    /// Returns the explanation of the latest failure. Requires: no other thread calls.
    [[nodiscard]] const std::string& why() const { return why_; }
    /// Returns the manager of the device's own memory. Requires: no other thread calls.
    [[nodiscard]] memory_type& memory() { return memories_.memory<"device">(); }
    /// Returns the count of waits for the device before a call.
    [[nodiscard]] std::uint64_t waits() const { return waits_; }

private:
    /// Returns the lock, once `call(memory)` waits for nothing.
    template <class Call>
    [[nodiscard]] std::unique_lock<std::mutex> lock_for(Call call) {
        std::unique_lock held(mutex_);
        while (true) {
            const hbm::fence until = hbm::awaited_fence(memory(), call);
            if (until == hbm::fence{}) return held;
            ++waits_;
            wait_without(held, until);
        }
    }
    /// Waits for the device without the lock, and takes it back.
    void wait_without(std::unique_lock<std::mutex>& held, hbm::fence until) {
        held.unlock();
        queue_.wait(until.number);
        held.lock();
        memory().retire(until);
    }
    /// Unpins the targets of transfers that are over, and frees the pinned memory that they used.
    void end_transfers();
    /// Returns pinned memory, once transfers that are under way leave room for it; nothing if it can never be.
    [[nodiscard]] std::optional<hbm::set_buffer> stage(std::uint64_t bytes, std::unique_lock<std::mutex>& held);
    [[nodiscard]] std::byte* pinned_at(hbm::set_buffer staged) {
        return memories_.memory<"pinned_host">().device().bytes(memories_.where(staged).offset, 0).data();
    }
    template <class T = std::byte>
    [[nodiscard]] T* at(std::uint64_t offset) {
        return reinterpret_cast<T*>(memory().device().bytes(offset, 0).data());
    }
    [[nodiscard]] float* values_of(hbm::buffer of) { return at<float>(memory().where(of).offset); }
    template <class T>
    [[nodiscard]] bool failed(const hbm::result<T>& outcome) {
        if (!outcome) why_ = hbm::explain(memory(), outcome.error());
        return !outcome;
    }
    void copy_code(executable loaded);

    memories_type memories_;
    struct transfer {
        hbm::fence over;
        hbm::set_buffer staged;
        hbm::buffer target;  // pinned until then
    };
    std::vector<transfer> transfers_;  // in, in the order of their fences
    device_queue queue_;               // after the memories: it ends first, and finishes what works on the bytes there
    std::string why_;
    std::uint64_t waits_ = 0;
    std::mutex mutex_;  // for all of the above except the queue
};

}  // namespace runtime_client
