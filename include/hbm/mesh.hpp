#pragma once

#include <hbm/core/call_site.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/run_result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

/// The number of devices: replicas, each of `partitions`. Device numbers: replica * partitions + partition.
struct mesh_shape {
    std::uint32_t replicas = 1;
    std::uint32_t partitions = 1;

    [[nodiscard]] constexpr std::size_t devices() const noexcept { return std::size_t{replicas} * partitions; }
    [[nodiscard]] constexpr std::size_t device(std::uint32_t replica, std::uint32_t partition) const noexcept {
        return std::size_t{replica} * partitions + partition;
    }

    friend constexpr bool operator==(const mesh_shape&, const mesh_shape&) = default;
};

/// A buffer with a part on each device, as a sharded or replicated array has: the handles of the devices' managers.
struct mesh_buffer {
    std::vector<buffer> parts;
    friend bool operator==(const mesh_buffer&, const mesh_buffer&) = default;
};
/// A program that is loaded on each device.
struct mesh_program {
    std::vector<program> parts;
    friend bool operator==(const mesh_program&, const mesh_program&) = default;
};

/// A run of a program on all devices; its outputs have the same sizes on each.
using mesh_run_spec = basic_run_spec<mesh_buffer, output>;

struct mesh_run_result {
    std::vector<mesh_buffer> outputs;    ///< in the order of the spec
    std::vector<run_result> on_devices;  ///< what each manager returned: fences, donations, reloads
};

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

/// The managers of several devices that run the same programs; every call is made on all devices, or changes none.
///
///     hbm::mesh<hbm::tpu::runtime_memory> devices{{.replicas = 2, .partitions = 2}, hbm::tpu::v5e};
///     const auto weights = devices.allocate(4_GiB, "weights");  // on each device
///
/// A call is first tried on a fork of each device, and then made. What succeeded on a fork can fail only if the device
/// fails to copy: then the devices before it free or unload what the call gave them, but moves and evictions stay, and
/// so does the end of donated buffers. A failed call is made on the device that refuses it, so its observer hears of
/// it, and `explain(devices.memory(number), failed.why)` explains it.
///
/// The mesh has no state but its managers: calls on one device alone, such as `retire`, `evict` or `pin`, are those of
/// `memory(device)`, with the parts of handles. A part that was ended alone makes calls with its handle fail.
/// Cost: that of the managers' calls, twice, and of a fork of each; none is forked if there is one device.
template <class Manager>
class mesh {
public:
    using manager_type = Manager;
    /// A fork: this mesh without devices and observers.
    using forked = mesh<typename Manager::forked>;

    /// Constructs a mesh without devices; every request fails with `no_devices`.
    mesh() = default;
    /// Constructs devices with equal memories, or one for each spec. Handles depend on `salt`, shape and specs; by
    /// default `salt` is that of the source location: equal meshes made in a loop need their own.
    /// Fails: if the number of specs is not that of the devices, every request fails with `no_devices`.
    mesh(mesh_shape shape, const memory_spec& spec, std::uint32_t salt = call_site::here().number)
        : mesh(shape, std::vector<memory_spec>(shape.devices(), spec), salt) {}
    mesh(mesh_shape shape, list<memory_spec> specs, std::uint32_t salt = call_site::here().number) : shape_(shape) {
        if (specs.size() != shape.devices()) return;
        // Each device has a salt of its own, so that it refuses the parts of the others.
        salt = call_site{salt}.salted(shape.replicas, shape.partitions);
        for (const memory_spec& spec : specs) {
            typename Manager::options given;
            given.salt = call_site{salt++}.salted(spec.capacity, spec.quantum, spec.top_reserved, spec.bounce);
            memories_.emplace_back(spec, given);
        }
    }
    /// Constructs a mesh of given managers, with their own policies, devices and observers.
    /// Requires: their salts differ.
    mesh(mesh_shape shape, std::vector<Manager> memories) : shape_(shape), memories_(std::move(memories)) {
        if (memories_.size() != shape_.devices()) memories_.clear();
    }

    /// Allocates a buffer with parts of equal sizes, or of a size for each device, with the hints of `like`.
    /// Fails: `wrong_shares` if there are not as many sizes as devices.
    [[nodiscard]] mesh_result<mesh_buffer> allocate(std::uint64_t bytes, const char* label = "",
                                                    const request& like = {}) {
        return allocate(std::vector<std::uint64_t>(devices(), bytes), label, like);
    }
    [[nodiscard]] mesh_result<mesh_buffer> allocate(list<std::uint64_t> bytes, const char* label = "",
                                                    const request& like = {}) {
        if (!memories_.empty() && bytes.size() != devices()) return refuse(error::wrong_shares);
        mesh_buffer held{std::vector<buffer>(devices())};
        const auto call = [&](auto& memory, std::size_t device) {
            request wanted = like;
            wanted.bytes = bytes[device];
            wanted.label = memory.tag_for_call(label);
            const result<buffer> part = memory.allocate(wanted);
            if (part) held.parts[device] = *part;
            return reason_of(part);
        };
        const auto undo = [&](Manager& memory, std::size_t device) { memory.free(held.parts[device]); };
        const mesh_failure failed = all_or_none(call, undo);
        if (failed.why.reason != error::none) return failed;
        return held;
    }

    /// Frees a buffer on all devices; its handles become stale.
    /// Fails: if a part is no buffer of its device.
    mesh_result<done> free(const mesh_buffer& freed) {
        if (const mesh_failure bad = check(freed.parts); bad.why.reason != error::none) return bad;
        for (std::size_t device = 0; device < devices(); ++device) memories_[device].free(freed.parts[device]);
        return done{};
    }

    [[nodiscard]] mesh_result<mesh_program> load(const program_spec& spec) {
        mesh_program loaded{std::vector<program>(devices())};
        const auto call = [&](auto& memory, std::size_t device) {
            const result<program> part = memory.load(spec);
            if (part) loaded.parts[device] = *part;
            return reason_of(part);
        };
        const auto undo = [&](Manager& memory, std::size_t device) { memory.unload(loaded.parts[device]); };
        const mesh_failure failed = all_or_none(call, undo);
        if (failed.why.reason != error::none) return failed;
        return loaded;
    }

    /// Unloads a program on all devices, once its runs are over; its handles become stale.
    mesh_result<done> unload(const mesh_program& ended) {
        if (const mesh_failure bad = check(ended.parts); bad.why.reason != error::none) return bad;
        for (std::size_t device = 0; device < devices(); ++device) memories_[device].unload(ended.parts[device]);
        return done{};
    }

    /// Runs a program on all devices. Donation is decided device by device; donated buffers that are not kept end on
    /// all.
    [[nodiscard]] mesh_result<mesh_run_result> run(const mesh_program& started, const mesh_run_spec& spec) {
        if (const mesh_failure bad = check(started.parts); bad.why.reason != error::none) return bad;
        for (const list<mesh_buffer>& arguments : {spec.inputs, spec.donated})
            for (const mesh_buffer& argument : arguments)
                if (argument.parts.size() != devices()) return refuse(error::foreign_handle);

        mesh_run_result ran;
        ran.outputs.assign(spec.outputs.size(), mesh_buffer{std::vector<buffer>(devices())});
        ran.on_devices.resize(devices());
        const auto call = [&](auto& memory, std::size_t device) {
            std::vector<buffer> parts;
            for (const list<mesh_buffer>& arguments : {spec.inputs, spec.donated})
                for (const mesh_buffer& argument : arguments) parts.push_back(argument.parts[device]);
            const run_spec own{.inputs = {parts.data(), spec.inputs.size()},
                               .donated = {parts.data() + spec.inputs.size(), spec.donated.size()},
                               .outputs = spec.outputs,
                               .kept = spec.kept,
                               .run_us = spec.run_us,
                               .arguments_may_move = spec.arguments_may_move};
            const result<run_result> done_here = memory.run(started.parts[device], own);
            if (!done_here) return done_here.error();
            ran.on_devices[device] = *done_here;
            for (std::size_t at = 0; at < ran.outputs.size(); ++at)
                ran.outputs[at].parts[device] = done_here->outputs[at];
            return failure{};
        };
        const auto undo = [&](Manager& memory, std::size_t device) {
            for (const mesh_buffer& output : ran.outputs) memory.free(output.parts[device]);
        };
        const mesh_failure failed = all_or_none(call, undo);
        if (failed.why.reason != error::none) return failed;
        return ran;
    }

    [[nodiscard]] mesh_shape shape() const noexcept { return shape_; }
    /// Returns the number of devices: that of the shape, or 0.
    [[nodiscard]] std::size_t devices() const noexcept { return memories_.size(); }
    /// Returns the manager of a device.
    /// Requires: the device exists.
    [[nodiscard]] const Manager& memory(std::size_t device) const noexcept { return memories_[device]; }
    [[nodiscard]] Manager& memory(std::size_t device) noexcept { return memories_[device]; }

    /// Returns the number of the device of a failure; `devices()` if it names none.
    [[nodiscard]] std::size_t device_of(const mesh_failure& failed) const noexcept {
        return failed.names_device() ? shape_.device(failed.replica, failed.partition) : devices();
    }
    /// Returns the name of the buffer or program of a failure, or "".
    [[nodiscard]] const char* name_of(const mesh_failure& failed) const noexcept {
        return failed.names_device() ? memories_[device_of(failed)].name_of(failed.why.label) : "";
    }

    /// Returns the mesh without devices and observers, to ask "what if"; see `manager::fork`.
    [[nodiscard]] forked fork() const {
        std::vector<typename Manager::forked> forks;
        for (const Manager& memory : memories_) forks.push_back(memory.fork());
        return forked(shape_, std::move(forks));
    }

    friend bool operator==(const mesh&, const mesh&) = default;

private:
    [[nodiscard]] static mesh_failure refuse(error why) noexcept { return {{.reason = why}}; }
    [[nodiscard]] mesh_failure blame(std::size_t device, const failure& why) const noexcept {
        return {why, static_cast<std::uint32_t>(device / shape_.partitions),
                static_cast<std::uint32_t>(device % shape_.partitions)};
    }
    template <class T>
    [[nodiscard]] static failure reason_of(const result<T>& outcome) noexcept {
        return outcome ? failure{} : outcome.error();
    }

    /// Checks that each device knows its part.
    template <class Part>
    [[nodiscard]] mesh_failure check(const std::vector<Part>& parts) const noexcept {
        if (memories_.empty()) return refuse(error::no_devices);
        if (parts.size() != devices()) return refuse(error::foreign_handle);
        for (std::size_t device = 0; device < devices(); ++device)
            if (const error why = memories_[device].check(parts[device]); why != error::none)
                return blame(device, {.reason = why});
        return {};
    }

    /// Makes `call(manager, device)` on all devices or on none. Managers are deterministic, so what succeeds on all
    /// forks succeeds on the memories, until a device fails to copy: then `undo` ends what the devices before it were
    /// given. What fails on a fork is repeated on its memory, which it does not change: for the observer, and for
    /// `explain`. Copies of the memories to go back to would not do: bytes have moved by then, and a copy of a manager
    /// says where they were.
    template <class Call, class Undo>
    mesh_failure all_or_none(Call call, Undo undo) {
        if (memories_.empty()) return refuse(error::no_devices);
        for (std::size_t device = 0; device < devices() && devices() > 1; ++device) {
            auto trial = memories_[device].fork();
            if (call(trial, device).reason != error::none) return blame(device, call(memories_[device], device));
        }
        for (std::size_t device = 0; device < devices(); ++device) {
            const failure why = call(memories_[device], device);
            if (why.reason == error::none) continue;
            for (std::size_t before = 0; before < device; ++before) undo(memories_[before], before);
            return blame(device, why);
        }
        return {};
    }

    mesh_shape shape_{0, 0};
    std::vector<Manager> memories_;
};

}  // namespace hbm::inline v0
