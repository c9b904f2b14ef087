#pragma once

#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/joint_call.hpp>
#include <hbm/mesh/fences.hpp>
#include <hbm/mesh/specs.hpp>
#include <hbm/mesh/table.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

/// The managers of several devices that run the same programs; every call is made on all devices, or changes none.
/// A failed call leaves all memories as they were (`==`), and its failure names the first device that failed. So a call
/// that may fail is first tried on forks, device by device. The observer of that device receives the failure; explain
/// it with `explain(mesh.memory(mesh.device_of(failed)), failed.why)`.
///
/// After that only a device that fails to copy can fail. Devices with moves go first; if one fails, the devices before
/// it undo the call: they free, unload or evict what it allocated, loaded or reloaded.
/// An undone run has no fence of the mesh. Its memory returns when a later run of the mesh is over, or at `sync`.
/// Relief is not undone. Parts of donated buffers are lost where the run was done (`part` returns an empty handle); on
/// other devices they remain, and `free` frees them.
///
/// Requires: observers and devices do not throw. After an exception the devices before it keep what the call changed.
/// A regular value if managers are: copies honour each other's handles.
/// Cost: that of the managers' calls. `run` forks each manager; so do `allocate` unless the request surely fits, and
/// `load` of a program that is not in memory. If one device alone may fail, none is forked. Other calls: O(1) for each
/// device.
template <class Manager>
class mesh {
    static_assert(
        requires(Manager copy, const Manager memory) {
            Manager{};
            copy = Manager{};
            static_cast<bool>(memory == memory);
        },
        "a mesh is made of managers, or of another type with their functions that is default-made, moved, and compared "
        "with ==");

public:
    using manager_type = Manager;
    /// A fork: this mesh without devices and observers.
    using forked = mesh<typename Manager::forked>;

    /// Constructs a mesh without devices; every request fails with `no_devices`.
    constexpr mesh() = default;
    // Copyable if managers are.
    constexpr mesh(const mesh&) noexcept requires std::copyable<Manager>
    = default;
    constexpr mesh& operator=(const mesh&) noexcept requires std::copyable<Manager>
    = default;
    constexpr mesh(mesh&&) = default;
    constexpr mesh& operator=(mesh&&) = default;
    constexpr ~mesh() = default;
    /// Constructs devices with equal memories, or one for each spec; a single spec in braces is that of all devices.
    /// Handles of the mesh and its managers depend on `salt`, shape and memories. By default `salt` is that of the
    /// source location: equal meshes made in a loop need their own.
    /// Fails: if the number of specs is not that of the devices, every request fails with `no_devices`.
    constexpr mesh(mesh_shape shape, const memory_spec& spec, std::uint32_t salt = call_site::here().number) noexcept
        : shape_(shape), salt_(detail::mixed(detail::mixed(salt, shape), spec)) {
        memories_.reserve(shape.devices());
        for (std::size_t device = 0; device < shape.devices(); ++device) memories_.emplace_back(spec, salt_of(device));
        start();
    }
    constexpr mesh(mesh_shape shape, list<memory_spec> specs, std::uint32_t salt = call_site::here().number) noexcept
        : shape_(shape), salt_(detail::mixed(salt, shape)) {
        memories_.reserve(specs.size());
        for (const memory_spec& spec : specs) salt_ = detail::mixed(salt_, spec);
        for (const memory_spec& spec : specs) memories_.emplace_back(spec, salt_of(memories_.size()));
        start();
    }
    /// Constructs a mesh of given managers, with their own policies, devices and observers.
    constexpr mesh(mesh_shape shape, std::vector<Manager> memories, std::uint32_t salt = call_site::here().number)
        : shape_(shape), memories_(std::move(memories)), salt_(detail::mixed(salt, shape)) {
        start();
    }

    // -- buffers --

    /// Allocates a buffer with a part on each device, aligned like `like`; a share of 0 bytes takes one quantum.
    /// Fails: `wrong_shares` if there are not as many shares as devices.
    [[nodiscard]] constexpr mesh_result<mesh_buffer> allocate(const shares& bytes, const char* label = "",
                                                              const request& like = {}) {
        if (memories_.empty()) return refuse(error::no_devices);
        if (!bytes.covers(devices())) return refuse(error::wrong_shares);
        buffer_parts_.resize(devices());
        const mesh_failure failed =
            all_or_none([&](const Manager& memory,
                            std::size_t device) { return detail::surely_fits(memory, bytes.on(device), like); },
                        [&](auto& memory, std::size_t device) {
                            request asked = like;
                            asked.bytes = bytes.on(device);
                            asked.label = memory.tag_for_call(label);
                            const auto made = memory.allocate(asked);
                            if (made) buffer_parts_[device] = *made;
                            return detail::reason_of(made);
                        },
                        [&](Manager& memory, std::size_t device) { memory.free(buffer_parts_[device]); });
        if (failed.why.reason != error::none) return failed;
        return buffers_.begin(buffer_parts_, salt_);
    }

    /// Frees a buffer on all devices; its handles become stale.
    /// Parts that were freed on their device alone, or lost in a failed run, are skipped.
    constexpr mesh_result<done> free(mesh_buffer freed) { return free_after(freed, nullptr); }
    /// Frees a buffer that is in use elsewhere until a fence is reached.
    constexpr mesh_result<done> free(mesh_buffer freed, fence until) { return free_after(freed, &until); }

    /// Pins or unpins a buffer on all devices.
    constexpr mesh_result<done> pin(mesh_buffer pinned) { return pin_or_unpin(pinned, true); }
    constexpr mesh_result<done> unpin(mesh_buffer pinned) { return pin_or_unpin(pinned, false); }

    // -- time --

    /// Marks a fence of the mesh as reached on all devices; deferred frees that waited only for its runs take effect.
    /// Fails: `unknown_fence` if the fence was not issued.
    constexpr mesh_result<done> retire(fence upto) {
        if (upto > fences_.issued) return refuse(error::unknown_fence);
        for (std::size_t device = 0; device < devices(); ++device)
            static_cast<void>(memories_[device].retire(fences_.on(memories_, device, upto)));
        fences_.forget_reached(memories_);
        return done{};
    }
    /// Marks all runs as over; all deferred frees take effect.
    constexpr void sync() {
        for (Manager& memory : memories_) memory.sync();
        fences_.forget_reached(memories_);
    }

    // -- programs --

    [[nodiscard]] constexpr mesh_result<mesh_program> load(const program_spec& spec) {
        if (memories_.empty()) return refuse(error::no_devices);
        program_parts_.resize(devices());
        const mesh_failure failed = all_or_none(
            never,
            [&](auto& memory, std::size_t device) {
                const auto result = memory.load(spec);
                if (result) program_parts_[device] = *result;
                return detail::reason_of(result);
            },
            [&](Manager& memory, std::size_t device) { memory.unload(program_parts_[device]); });
        if (failed.why.reason != error::none) return failed;
        return programs_.begin(program_parts_, salt_);
    }

    /// Reloads a program on the devices that evicted it.
    constexpr mesh_result<done> load(mesh_program evicted) {
        if (const error why = check(evicted); why != error::none) return refuse(why);
        was_resident_.resize(devices());
        const auto resident = [&](const Manager& memory, std::size_t device) {
            was_resident_[device] = memory.about(part(evicted, device)).resident;
            return was_resident_[device] != 0;
        };
        const mesh_failure failed = all_or_none(
            resident,
            [&](auto& memory, std::size_t device) { return detail::reason_of(memory.load(part(evicted, device))); },
            [&](Manager& memory, std::size_t device) {
                if (was_resident_[device] == 0) memory.evict(part(evicted, device));
            });
        if (failed.why.reason != error::none) return failed;
        return done{};
    }

    /// Evicts a program on all devices, once its runs are over; its handle stays valid.
    constexpr mesh_result<done> evict(mesh_program victim) {
        if (const mesh_failure why = check_parts(victim); why.why.reason != error::none) return why;
        for (std::size_t device = 0; device < devices(); ++device) memories_[device].evict(part(victim, device));
        return done{};
    }
    /// Unloads a program on all devices, once its runs are over; its handles become stale.
    /// Parts that were unloaded on their device alone are skipped.
    constexpr mesh_result<done> unload(mesh_program ended) {
        if (const error why = check(ended); why != error::none) return refuse(why);
        for (std::size_t device = 0; device < devices(); ++device)
            static_cast<void>(memories_[device].unload(part(ended, device)));
        programs_.end(ended);
        return done{};
    }

    /// Runs a program on all devices. Donation is decided device by device; donated buffers that are not kept end on
    /// all. A failure counts arguments as a manager does.
    [[nodiscard]] constexpr mesh_result<mesh_run_result> run(mesh_program started, const mesh_run_spec& spec) {
        if (const failure why = check_arguments(started, spec); why.reason != error::none) return mesh_failure{why};
        const std::size_t outputs = spec.outputs.size();
        buffer_parts_.resize(outputs * devices());
        runs_.resize(devices());
        const mesh_failure failed = all_or_none(
            never,
            [&](auto& memory, std::size_t device) {
                const auto ran = memory.run(part(started, device), bind(device, spec));
                if (!ran) return ran.error();
                for (std::size_t at = 0; at < outputs; ++at) buffer_parts_[at * devices() + device] = ran->outputs[at];
                runs_[device] = {ran->over, ran->donated, ran->reloaded};
                return failure{};
            },
            [&](Manager& memory, std::size_t device) {
                for (std::size_t at = 0; at < outputs; ++at) memory.free(buffer_parts_[at * devices() + device]);
                if (runs_[device].reloaded) memory.evict(part(started, device));
                for (const mesh_buffer donor : spec.donated)
                    if (memory.check(part(donor, device)) != error::none) buffers_.part(donor, device, devices()) = {};
            });
        if (failed.why.reason != error::none) return failed;
        ++fences_.issued.number;
        mesh_run_result total;
        total.over = fences_.issued;
        for (const run_on_device& ran : runs_) {
            fences_.on_devices.push_back(ran.over);
            total.donated += ran.donated;
            total.reloaded += ran.reloaded ? 1 : 0;
        }
        fences_.forget_reached(memories_);
        hand_over(spec, total.outputs);
        return total;
    }

    // -- queries --

    /// Returns an error if the handle is invalid.
    [[nodiscard]] constexpr error check(mesh_buffer held) const noexcept { return buffers_.check(held, salt_); }
    [[nodiscard]] constexpr error check(mesh_program held) const noexcept { return programs_.check(held, salt_); }

    /// Returns the part of a buffer or program on a device; empty if that or `held` is invalid or the part was lost.
    [[nodiscard]] constexpr buffer part(mesh_buffer held, std::size_t device) const noexcept {
        const bool there = device < devices() && check(held) == error::none;
        return there ? buffers_.part(held, device, devices()) : buffer{};
    }
    [[nodiscard]] constexpr program part(mesh_program held, std::size_t device) const noexcept {
        const bool there = device < devices() && check(held) == error::none;
        return there ? programs_.part(held, device, devices()) : program{};
    }

    [[nodiscard]] constexpr mesh_shape shape() const noexcept { return shape_; }
    /// Returns the number of devices: that of the shape, or 0.
    [[nodiscard]] constexpr std::size_t devices() const noexcept { return memories_.size(); }
    /// Returns the manager of a device, for queries and calls on that device alone. A part that is freed or unloaded
    /// there is stale for the mesh: calls that use it fail; `free` and `unload` end the other parts.
    /// Requires: the device exists; otherwise terminates.
    [[nodiscard]] constexpr const Manager& memory(std::size_t device) const noexcept {
        if (device >= devices()) [[unlikely]]
            detail::ask_for_a_device_that_is_not_there();
        return memories_[device];
    }
    [[nodiscard]] constexpr Manager& memory(std::size_t device) noexcept {
        return const_cast<Manager&>(std::as_const(*this).memory(device));
    }

    /// Return the fence of the latest run, and the latest fence that all devices have reached.
    /// Cost: O(runs in flight x devices).
    [[nodiscard]] constexpr fence issued() const noexcept { return fences_.issued; }
    [[nodiscard]] constexpr fence reached() const noexcept { return fences_.reached(memories_); }
    /// Returns the fence to reach so that each device is as far as in `later`, a copy that made a call; see
    /// `awaited_fence`.
    /// Cost: like `reached`.
    [[nodiscard]] constexpr fence first_covering(const mesh& later) const noexcept {
        return fences_.first_covering(memories_, later.memories_);
    }

    /// Returns the number of the device of a failure; `devices()` if it names none.
    [[nodiscard]] constexpr std::size_t device_of(const mesh_failure& failed) const noexcept {
        return failed.names_device() ? shape_.device(failed.replica, failed.partition) : devices();
    }
    /// Returns the name of the buffer or program of a failure, or "".
    [[nodiscard]] constexpr const char* name_of(const mesh_failure& failed) const noexcept {
        if (!failed.names_device()) return "";
        return memories_[device_of(failed)].name_of(failed.why.label);
    }

    /// Returns the mesh without devices and observers, to ask "what if". Handles are as those of `manager::fork`: never
    /// pass handles of a fork to the original.
    /// Cost: O(devices x (blocks + programs)).
    [[nodiscard]] constexpr forked fork() const noexcept {
        forked copy;
        copy.shape_ = shape_;
        copy.memories_.reserve(devices());
        for (const Manager& memory : memories_) copy.memories_.push_back(memory.fork());
        copy.salt_ = salt_;
        copy.buffers_ = buffers_;
        copy.programs_ = programs_;
        copy.fences_ = fences_;
        return copy;
    }

    friend constexpr bool operator==(const mesh& a, const mesh& b) {
        return a.shape_ == b.shape_ && a.memories_ == b.memories_ && a.salt_ == b.salt_ && a.buffers_ == b.buffers_ &&
               a.programs_ == b.programs_ && a.fences_ == b.fences_;
    }

private:
    template <class>
    friend class mesh;

    /// Returns options with a salt for a device's manager.
    [[nodiscard]] constexpr typename Manager::options salt_of(std::size_t device) const {
        typename Manager::options given;
        given.salt = salt_ + static_cast<std::uint32_t>(device);
        return given;
    }
    constexpr void start() {
        if (memories_.size() != shape_.devices()) memories_.clear();
    }

    // -- failures --

    [[nodiscard]] constexpr mesh_failure blame(std::size_t device, const failure& why) const noexcept {
        return {why, shape_.replica(device), shape_.partition(device)};
    }
    [[nodiscard]] static constexpr mesh_failure refuse(error why) noexcept { return {{.reason = why}}; }

    /// Checks the handle, and its part on each device.
    template <class Handle>
    [[nodiscard]] constexpr mesh_failure check_parts(Handle held) const noexcept {
        if (const error why = check(held); why != error::none) return refuse(why);
        for (std::size_t device = 0; device < devices(); ++device)
            if (const error why = memories_[device].check(part(held, device)); why != error::none)
                return blame(device, {.reason = why});
        return {};
    }

    /// Checks the handles of a run, and that its outputs have a share for each device. The managers check the rest.
    [[nodiscard]] constexpr failure check_arguments(mesh_program started, const mesh_run_spec& spec) const noexcept {
        if (const error why = check(started); why != error::none) return {.reason = why};
        std::uint32_t argument = 0;
        for (const list<mesh_buffer>& arguments : {spec.inputs, spec.donated})
            for (const mesh_buffer held : arguments) {
                if (const error why = check(held); why != error::none) return {.reason = why, .argument = argument};
                ++argument;
            }
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at)
            if (!spec.outputs[at].bytes.covers(devices())) return {.reason = error::wrong_shares, .argument = at};
        return {};
    }

    // -- all or none --

    /// Makes `call` on all devices, or on none; see `joint_call`.
    template <class Sure, class Call, class Undo>
    constexpr mesh_failure all_or_none(Sure sure, Call call, Undo undo) {
        const auto visit = [&](std::size_t device, auto act) { return act(memories_[device]); };
        const detail::joint_failure failed = joint_.make(devices(), visit, sure, call, undo);
        return failed.why.reason == error::none ? mesh_failure{} : blame(failed.at, failed.why);
    }
    static constexpr auto never = [](const Manager&, std::size_t) { return false; };

    /// Returns an error if a buffer cannot be pinned or unpinned on a device. Otherwise only finishing a move can fail.
    [[nodiscard]] constexpr error check_pins(mesh_buffer pinned, std::size_t device, bool pins) const noexcept {
        const Manager& memory = memories_[device];
        const buffer held = part(pinned, device);
        if (const error why = memory.check(held); why != error::none) return why;
        const std::uint32_t count = memory.pins(held);
        if (!pins) return count == 0 ? error::not_pinned : error::none;
        return count + 1 == block_map<typename Manager::quanta>::max_pins ? error::too_many_pins : error::none;
    }
    constexpr mesh_result<done> pin_or_unpin(mesh_buffer pinned, bool pins) {
        if (const error why = check(pinned); why != error::none) return refuse(why);
        // A pin finishes a move and drops copies of passes, which no undo brings back.
        for (std::size_t device = 0; device < devices(); ++device)
            if (const error why = check_pins(pinned, device, pins); why != error::none)
                return blame(device, {.reason = why});
        const auto call = [&](std::size_t device, bool pin) {
            const buffer held = part(pinned, device);
            return detail::reason_of(pin ? memories_[device].pin(held) : memories_[device].unpin(held));
        };
        for (std::size_t device = 0; device < devices(); ++device) {
            const failure why = call(device, pins);
            if (why.reason == error::none) continue;
            for (std::size_t undone = 0; undone < device; ++undone) static_cast<void>(call(undone, !pins));
            return blame(device, why);
        }
        return done{};
    }
    constexpr mesh_result<done> free_after(mesh_buffer freed, const fence* until) {
        if (const error why = check(freed); why != error::none) return refuse(why);
        if (until != nullptr && *until > fences_.issued) return refuse(error::unknown_fence);
        // Only a lost part can fail here: the fence was checked above.
        for (std::size_t device = 0; device < devices(); ++device) {
            const buffer held = part(freed, device);
            if (until == nullptr)
                static_cast<void>(memories_[device].free(held));
            else
                static_cast<void>(memories_[device].free(held, fences_.on(memories_, device, *until)));
        }
        buffers_.end(freed);
        return done{};
    }

    // -- runs --

    /// Returns the run of a device: handles of its parts, and its shares of the outputs.
    constexpr run_spec bind(std::size_t device, const mesh_run_spec& spec) {
        arguments_.clear();
        for (const list<mesh_buffer>& arguments : {spec.inputs, spec.donated})
            for (const mesh_buffer argument : arguments) arguments_.push_back(part(argument, device));
        output_shares_.clear();
        for (const mesh_output& output : spec.outputs)
            output_shares_.push_back({output.bytes.on(device), output.label, output.alias, output.partner});
        const std::size_t inputs = spec.inputs.size();
        return {.inputs = {arguments_.data(), inputs},
                .donated = {arguments_.data() + inputs, spec.donated.size()},
                .outputs = output_shares_,
                .kept = spec.kept,
                .run_us = spec.run_us,
                .arguments_may_move = spec.arguments_may_move};
    }

    /// Ends the handles of donated buffers and creates handles of the outputs.
    constexpr void hand_over(const mesh_run_spec& spec, trivial_vector<mesh_buffer>& outputs) {
        kept_.assign(spec.donated.size(), std::uint8_t{0});
        for (const std::uint32_t kept : spec.kept) kept_[kept] = 1;
        for (std::size_t at = 0; at < spec.donated.size(); ++at)
            if (kept_[at] == 0) buffers_.end(spec.donated[at]);
        for (std::size_t at = 0; at < spec.outputs.size(); ++at)
            outputs.push_back(buffers_.begin(std::span{buffer_parts_}.subspan(at * devices(), devices()), salt_));
    }

    struct run_on_device {
        fence over;
        std::uint32_t donated = 0;
        bool reloaded = false;
    };

    mesh_shape shape_{0, 0};
    std::vector<Manager> memories_;
    std::uint32_t salt_ = 0;
    detail::mesh_table<mesh_buffer, buffer> buffers_;
    detail::mesh_table<mesh_program, program> programs_;
    detail::mesh_fences fences_;

    // Used within a call only; members, so that their memory is allocated once.
    detail::joint_call joint_;
    trivial_vector<std::uint8_t> was_resident_;
    trivial_vector<std::uint8_t> kept_;
    trivial_vector<buffer> buffer_parts_;
    trivial_vector<program> program_parts_;
    trivial_vector<run_on_device> runs_;
    trivial_vector<buffer> arguments_;
    trivial_vector<output> output_shares_;
};

}  // namespace hbm::inline v0
