#pragma once

/// A runtime in the manner of PJRT: a device has buffers and loaded executables. It has two managers, of HBM and of
/// pinned host memory, through which transfers go, and a lock. Executions are asynchronous; a transfer blocks its
/// thread alone. Both memories are bytes on the host; everything else is as it would be with an accelerator.

#include <hbm/device/host_device.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace runtime_client {

/// What computes and copies: a thread that does its work in order. Each piece of work has the number of its fence.
class device_queue {
public:
    device_queue() : worker_([this] { run(); }) {}
    ~device_queue() {
        submit(~std::uint64_t{0}, {});
        worker_.join();
    }
    void submit(std::uint64_t number, std::function<void()> work) {
        const std::lock_guard held(mutex_);
        work_.emplace_back(number, std::move(work));
        changed_.notify_all();
    }
    /// Returns when no work under `number`, or a lower one, is left.
    void wait(std::uint64_t number) {
        std::unique_lock held(mutex_);
        changed_.wait(held, [&] { return work_.empty() || work_.front().first > number; });
    }

private:
    void run() {
        std::unique_lock held(mutex_);
        while (true) {
            changed_.wait(held, [&] { return !work_.empty(); });
            const std::function<void()>& next = work_.front().second;  // which `submit` does not move
            if (!next) return;
            held.unlock();
            next();
            held.lock();
            work_.pop_front();
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<std::uint64_t, std::function<void()>>> work_;  // the first is in progress
    std::thread worker_;                                                // last: it uses all of the above
};

/// What a kernel sees of the device's memory, valid for this run.
struct kernel_call {
    std::vector<std::span<float>> arguments = {};
    std::vector<std::span<float>> outputs = {};
    float* scratch = nullptr;
    const std::byte* code = nullptr;
};

/// A compiled program, before it is on a device.
struct program_image {
    const char* name = "";
    std::vector<std::byte> code;  ///< copied to the device, again after each eviction
    std::uint64_t scratch = 0;    ///< bytes
    std::uint64_t run_us = 0;     ///< microseconds that a run takes
    void (*kernel)(const kernel_call&) = nullptr;
    std::vector<std::size_t> outputs;  ///< floats of each
    bool in_place = false;             ///< outputs take over the last arguments: XLA's input-output aliases
};

class device;

/// A buffer on a device. Frees itself; moved only. Its memory stays until the runs that use it are over.
struct device_buffer {
    struct release {
        hbm::buffer handle;
        void operator()(device* owner) const;
    };
    std::unique_ptr<device, release> on;
    std::size_t floats = 0;

    [[nodiscard]] hbm::buffer handle() const { return on.get_deleter().handle; }
};

/// A program on a device. It may be evicted at any time; `execute` brings it back.
struct executable {
    hbm::program handle;
    const program_image* image = nullptr;
};

using hbm_memory = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>, hbm::evict_lru,
                                hbm::donate_same_size, hbm::relieve_cheapest, hbm::host_device>;
using host_memory =
    hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::never_relieve, hbm::host_device>;

/// A device, for any number of threads. A call that returns nothing has failed (see `why`) and changed nothing.
class device {
public:
    device(const hbm::memory_spec& hbm, const hbm::memory_spec& host)
        : hbm_(hbm, {.device = hbm::host_device(hbm.capacity)}),
          host_(host, {.device = hbm::host_device(host.capacity)}) {}

    /// Returns a new buffer with values.
    [[nodiscard]] std::optional<device_buffer> from_host(std::vector<float> values, const char* name) {
        const auto allocate = [&](auto& memory) { return memory.allocate(values.size() * sizeof(float), name); };
        lock held = lock_for(allocate);
        const auto target = allocate(hbm_);
        if (failed(hbm_, target)) return std::nullopt;
        if (!transfer(held, *target, values, true)) return hbm_.free(*target), std::nullopt;
        return device_buffer{{this, {*target}}, values.size()};
    }

    /// Returns the values of a buffer, once they are computed.
    [[nodiscard]] std::vector<float> to_host(const device_buffer& from) {
        std::vector<float> values(from.floats);
        lock held(mutex_);
        return transfer(held, from.handle(), values, false) ? values : std::vector<float>();
    }

    [[nodiscard]] std::optional<executable> load(const program_image& image) {
        const auto load_image = [&](auto& memory) {
            return memory.load({.name = image.name, .code = image.code.size(), .scratch = image.scratch});
        };
        const lock held = lock_for(load_image);
        const auto handle = load_image(hbm_);
        if (failed(hbm_, handle)) return std::nullopt;
        copy_code({*handle, &image});
        return executable{*handle, &image};
    }

    /// Begins a run, and returns the outputs before they are computed. Arguments that an output takes over are gone.
    [[nodiscard]] std::optional<std::vector<device_buffer>> execute(executable started,
                                                                    const std::vector<device_buffer*>& arguments) {
        const program_image& image = *started.image;
        const std::size_t inputs = arguments.size() - (image.in_place ? image.outputs.size() : 0);
        std::vector<hbm::buffer> handles;
        for (const device_buffer* argument : arguments) handles.push_back(argument->handle());
        std::vector<hbm::output> outputs;
        for (const std::size_t floats : image.outputs) {
            hbm::output& added = outputs.emplace_back(floats * sizeof(float));
            if (!image.in_place) continue;
            added.alias = hbm::aliasing::must;
            added.partner = static_cast<std::uint32_t>(outputs.size() - 1);
        }
        const hbm::run_spec spec{.inputs = {handles.data(), inputs},
                                 .donated = {handles.data() + inputs, handles.size() - inputs},
                                 .outputs = outputs,
                                 .run_us = image.run_us,
                                 .arguments_may_move = true};
        const auto run = [&](auto& memory) { return memory.run(started.handle, spec); };
        const lock held = lock_for(run);
        const auto ran = run(hbm_);
        if (failed(hbm_, ran)) return std::nullopt;
        if (ran->reloaded) copy_code(started);

        // Arguments may have moved to make room. From here until the run is over they stay, and so do code and outputs.
        kernel_call call{.scratch = reinterpret_cast<float*>(at(hbm_, 0)),
                         .code = at(hbm_, hbm_.where(started.handle).offset)};
        std::vector<device_buffer> results;
        for (const hbm::buffer output : ran->outputs) {
            const std::size_t floats = image.outputs[results.size()];
            call.outputs.push_back(values_of(output, floats));
            results.push_back({{this, {output}}, floats});
        }
        for (std::size_t at = 0; at < inputs; ++at)
            call.arguments.push_back(values_of(handles[at], arguments[at]->floats));
        for (std::size_t at = inputs; at < arguments.size(); ++at) {
            call.arguments.push_back(call.outputs[at - inputs]);
            static_cast<void>(arguments[at]->on.release());
        }
        queue_.submit(ran->over.number, [kernel = image.kernel, call = std::move(call)] { kernel(call); });
        return results;
    }

    /// Return the explanation of the latest failure, and the manager. Requires: no other thread calls.
    [[nodiscard]] const std::string& why() const { return why_; }
    [[nodiscard]] const hbm_memory& memory() const { return hbm_; }

private:
    friend device_buffer;
    using lock = std::unique_lock<std::mutex>;
    /// Returns the lock, once `call(memory)` waits for nothing.
    template <class Call>
    [[nodiscard]] lock lock_for(Call call) {
        lock held(mutex_);
        while (true) {
            const hbm::fence until = hbm::awaited_fence(hbm_, call);
            if (until == hbm::fence{}) return held;
            wait_without(held, until);
        }
    }
    /// Waits for the device without the lock, and takes it back.
    void wait_without(lock& held, hbm::fence until) {
        held.unlock();
        queue_.wait(until.number);
        held.lock();
        hbm_.retire(until);
    }
    /// Copies on the queue, through pinned memory, and waits. The pin keeps the buffer in its place while others have
    /// the lock; after `compact` a buffer may be in two places, and a pin brings it to one.
    bool transfer(lock& held, hbm::buffer subject, std::span<float> values, bool to_device) {
        const auto pinned = host_.allocate(values.size_bytes());
        if (failed(host_, pinned)) return false;
        hbm_.pin(subject);
        std::byte* const staged = at(host_, host_.where(*pinned).offset);
        std::byte* const there = at(hbm_, hbm_.where(subject).offset);
        if (to_device) std::memcpy(staged, values.data(), values.size_bytes());
        const hbm::fence over = hbm_.issue({.us = 10});
        queue_.submit(over.number, [to = to_device ? there : staged, from = to_device ? staged : there,
                                    bytes = values.size_bytes()] { std::memcpy(to, from, bytes); });
        wait_without(held, over);
        if (!to_device) std::memcpy(values.data(), staged, values.size_bytes());
        hbm_.unpin(subject);
        host_.free(*pinned);
        return true;
    }
    void copy_code(executable loaded) {
        std::memcpy(at(hbm_, hbm_.where(loaded.handle).offset), loaded.image->code.data(), loaded.image->code.size());
    }
    template <class Memory>
    [[nodiscard]] static std::byte* at(Memory& memory, std::uint64_t offset) {
        return memory.device().bytes(offset, 0).data();
    }
    [[nodiscard]] std::span<float> values_of(hbm::buffer held, std::size_t floats) {
        return {reinterpret_cast<float*>(at(hbm_, hbm_.where(held).offset)), floats};
    }
    template <class Memory, class T>
    [[nodiscard]] bool failed(const Memory& memory, const hbm::result<T>& outcome) {
        if (!outcome) why_ = hbm::explain(memory, outcome.error());
        return !outcome;
    }

    hbm_memory hbm_;
    host_memory host_;
    std::string why_;
    std::mutex mutex_;    // for all of the above
    device_queue queue_;  // after the memories: it ends first, and finishes what works on the bytes there
};

inline void device_buffer::release::operator()(device* owner) const {
    const std::lock_guard held(owner->mutex_);
    owner->hbm_.free(handle);  // effective when the runs that use it are over
}

}  // namespace runtime_client
