#pragma once

#include <hbm/adapt/synchronized.hpp>
#include <hbm/mesh.hpp>

#include <cstddef>
#include <utility>

namespace hbm::inline v0 {

/// A mesh with a lock around each call, such as `hbm::synchronized<hbm::mesh<memory_type>, std::mutex>`.
/// Calls have the meaning, results and costs of the mesh's, plus the lock: see there, and the table of `synchronized`.
/// `memory` and `name_of` are absent, because they refer to the inside of the mesh: use `with`.
template <class Manager, class Mutex>
class synchronized<mesh<Manager>, Mutex> : public locked<mesh<Manager>, Mutex> {
    using locked<mesh<Manager>, Mutex>::hold;
    using locked<mesh<Manager>, Mutex>::memory_;

public:
    using manager_type = mesh<Manager>;
    using mutex_type = Mutex;
    using forked = typename manager_type::forked;

    /// Constructs a mesh without devices; every request fails with `no_devices`.
    constexpr synchronized() = default;
    constexpr explicit synchronized(manager_type taken) : locked<mesh<Manager>, Mutex>(std::move(taken)) {}

    [[nodiscard]] constexpr mesh_result<mesh_buffer> allocate(const shares& bytes, const char* label = "",
                                                              const request& like = {}) {
        return hold(), memory_.allocate(bytes, label, like);
    }
    constexpr mesh_result<done> free(mesh_buffer freed) { return hold(), memory_.free(freed); }
    constexpr mesh_result<done> free(mesh_buffer freed, fence until) { return hold(), memory_.free(freed, until); }
    constexpr mesh_result<done> pin(mesh_buffer pinned) { return hold(), memory_.pin(pinned); }
    constexpr mesh_result<done> unpin(mesh_buffer pinned) { return hold(), memory_.unpin(pinned); }

    [[nodiscard]] constexpr mesh_result<mesh_program> load(const program_spec& spec) {
        return hold(), memory_.load(spec);
    }
    constexpr mesh_result<done> load(mesh_program evicted) { return hold(), memory_.load(evicted); }
    constexpr mesh_result<done> evict(mesh_program victim) { return hold(), memory_.evict(victim); }
    constexpr mesh_result<done> unload(mesh_program ended) { return hold(), memory_.unload(ended); }
    [[nodiscard]] constexpr mesh_result<mesh_run_result> run(mesh_program started, const mesh_run_spec& spec) {
        return hold(), memory_.run(started, spec);
    }

    constexpr mesh_result<done> retire(fence upto) { return hold(), memory_.retire(upto); }
    constexpr void sync() { return hold(), memory_.sync(); }

    [[nodiscard]] constexpr error check(mesh_buffer held) const { return hold(), memory_.check(held); }
    [[nodiscard]] constexpr error check(mesh_program held) const { return hold(), memory_.check(held); }
    [[nodiscard]] constexpr buffer part(mesh_buffer held, std::size_t device) const {
        return hold(), memory_.part(held, device);
    }
    [[nodiscard]] constexpr program part(mesh_program held, std::size_t device) const {
        return hold(), memory_.part(held, device);
    }
    [[nodiscard]] constexpr mesh_shape shape() const { return hold(), memory_.shape(); }
    [[nodiscard]] constexpr std::size_t devices() const { return hold(), memory_.devices(); }
    [[nodiscard]] constexpr std::size_t device_of(const mesh_failure& failed) const {
        return hold(), memory_.device_of(failed);
    }
    [[nodiscard]] constexpr fence issued() const { return hold(), memory_.issued(); }
    [[nodiscard]] constexpr fence reached() const { return hold(), memory_.reached(); }

    /// Returns a mesh without lock, devices and observers.
    [[nodiscard]] constexpr forked fork() const { return hold(), memory_.fork(); }
};

}  // namespace hbm::inline v0
