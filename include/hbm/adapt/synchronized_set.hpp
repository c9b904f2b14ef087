#pragma once

#include <hbm/adapt/synchronized.hpp>
#include <hbm/memory_set.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace hbm::inline v0 {

/// A `memory_set` with a lock around each call. Calls have the meaning, results and costs of the set's, plus the lock:
/// see there, and the table of `synchronized`. `memory`, `visit` and `name_of` are absent, because they refer to the
/// inside of the set: use `with`. `move_to` copies under the lock, and owners of adopted memory are called under it.
template <class Spill, class... Memories, class Mutex>
class synchronized<memory_set<Spill, Memories...>, Mutex> : public locked<memory_set<Spill, Memories...>, Mutex> {
    using base = locked<memory_set<Spill, Memories...>, Mutex>;
    using base::hold;
    using base::memory_;

public:
    using manager_type = memory_set<Spill, Memories...>;
    using mutex_type = Mutex;
    using forked = typename manager_type::forked;
    using kind = typename manager_type::kind;

    /// Constructs memories of no bytes: every request fails.
    constexpr synchronized() = default;
    constexpr explicit synchronized(manager_type taken) : base(std::move(taken)) {}

    [[nodiscard]] constexpr set_result<set_buffer> allocate(kind where, std::uint64_t bytes, const char* label = "",
                                                            const request& like = {}) {
        return hold(), memory_.allocate(where, bytes, label, like);
    }
    template <std::signed_integral Int>
    [[nodiscard]] constexpr set_result<set_buffer> allocate(kind where, Int bytes, const char* label = "",
                                                            const request& like = {}) {
        return hold(), memory_.allocate(where, bytes, label, like);
    }
    template <std::floating_point Float>
    set_result<set_buffer> allocate(kind, Float, const char* = "", const request& = {}) = delete;  // whole bytes
    [[nodiscard]] constexpr set_result<set_buffer> adopt(kind where, extent range, const memory_owner& owner = {}) {
        return hold(), memory_.adopt(where, range, owner);
    }
    constexpr set_result<done> free(set_buffer freed) { return hold(), memory_.free(freed); }
    constexpr set_result<done> free(set_buffer freed, fence until) { return hold(), memory_.free(freed, until); }
    constexpr set_result<done> pin(set_buffer pinned) { return hold(), memory_.pin(pinned); }
    constexpr set_result<done> unpin(set_buffer pinned) { return hold(), memory_.unpin(pinned); }
    template <class Copy>
    [[nodiscard]] constexpr set_result<set_buffer> move_to(set_buffer moved, kind target, Copy copy,
                                                           const request& like = {}) {
        return hold(), memory_.move_to(moved, target, copy, like);
    }

    [[nodiscard]] constexpr set_result<set_program> load(const set_program_spec<kind>& spec) {
        return hold(), memory_.load(spec);
    }
    constexpr set_result<done> load(set_program evicted) { return hold(), memory_.load(evicted); }
    constexpr set_result<done> evict(set_program victim) { return hold(), memory_.evict(victim); }
    constexpr set_result<done> unload(set_program ended) { return hold(), memory_.unload(ended); }
    [[nodiscard]] constexpr set_result<set_run_result> run(set_program subject, const set_run_spec<kind>& spec) {
        return hold(), memory_.run(subject, spec);
    }

    constexpr set_result<done> retire(fence upto) { return hold(), memory_.retire(upto); }
    constexpr void sync() { return hold(), memory_.sync(); }

    [[nodiscard]] constexpr error check(set_buffer held) const { return hold(), memory_.check(held); }
    [[nodiscard]] constexpr error check(set_program held) const { return hold(), memory_.check(held); }
    [[nodiscard]] static constexpr kind kind_of(set_buffer held) noexcept { return manager_type::kind_of(held); }
    [[nodiscard]] constexpr extent where(set_buffer held) const { return hold(), memory_.where(held); }
    [[nodiscard]] constexpr std::uint64_t granted(set_buffer held) const { return hold(), memory_.granted(held); }
    [[nodiscard]] constexpr program part(set_program held, kind where) const {
        return hold(), memory_.part(held, where);
    }
    [[nodiscard]] constexpr fence issued() const { return hold(), memory_.issued(); }
    [[nodiscard]] constexpr fence reached() const { return hold(), memory_.reached(); }

    /// Returns a set without lock, devices, observers and owners.
    [[nodiscard]] constexpr forked fork() const { return hold(), memory_.fork(); }
};

}  // namespace hbm::inline v0
