#pragma once

#include <hbm/adapt/locked.hpp>
#include <hbm/core/call_site.hpp>
#include <hbm/core/label_text.hpp>
#include <hbm/manager.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hbm::inline v0 {

/// A manager with a lock around each call, such as `hbm::synchronized<memory_type, std::mutex>`.
/// Calls have the meaning, results and costs of the manager's, plus the lock. Returned references become copies.
/// With `no_mutex` it compiles to the same instructions as the manager. Not copyable or movable, like a mutex.
///
/// | call                                    | from several threads                                                 |
/// |-----------------------------------------|----------------------------------------------------------------------|
/// | each call below                         | safe and atomic                                                      |
/// | two calls in a row                      | another thread may call in between; `with` makes them atomic         |
/// | handles, tags, fences, failures, copies | values: safe to pass to other threads                                |
/// | `run_result`                            | belongs to the caller; each thread needs its own                     |
/// | arguments of a call                     | must not change during the call: handles, lists, names, specs        |
/// | `fork`, `copy`, `under`                 | made under the lock; the copy is for one thread at a time            |
/// | `plan_for`, then `relieve`              | `relieve` fails, without effect, if a change in between matters      |
/// | `view`, `blocks`, `blocks_and_holes`,   | absent, because their results refer to the inside of the manager:    |
/// | `programs`, `flights`, `state`,         | use `with`, and return nothing that refers to the manager            |
/// | `name_of`, `device`, `events`           |                                                                      |
/// | observers, devices, policies            | called under the lock; they must not call this object (deadlock)     |
/// | construction and destruction            | not safe while another thread calls                                  |
///
/// `explain` needs the memory as it was when the call failed; `call_or_fork` keeps it:
///
///     auto [weights, refused] = memory.call_or_fork([](auto& held) { return held.allocate(6_GiB, "weights"); });
///     if (refused) puts(hbm::explain(*refused, weights.error()).c_str());  // without the lock
///
/// A fork lacks the latest refused run: `hbm::explain(*refused, hbm::attempt(step, spec))` passes the run's arguments.
template <class Manager, class Mutex>
class synchronized : public locked<Manager, Mutex> {
    static_assert(
        !requires(Manager memory) { memory.devices(); },
        "a mesh behind a mutex: include <hbm/adapt/synchronized_mesh.hpp>");
    static_assert(!requires { typename Manager::kind; },
                  "a memory_set behind a mutex: include <hbm/adapt/synchronized_set.hpp>");
    using locked<Manager, Mutex>::hold;
    using locked<Manager, Mutex>::memory_;
    using placed = typename Manager::placement_type;

public:
    using manager_type = Manager;
    using mutex_type = Mutex;
    using options = typename Manager::options;
    using forked = typename Manager::forked;

    /// Constructs an unusable manager: every request fails.
    constexpr synchronized() = default;
    constexpr explicit synchronized(const memory_spec& spec, const options& given = {},
                                    call_site site = call_site::here())
        : locked<Manager, Mutex>(spec, given, site) {}
    constexpr explicit synchronized(Manager taken) : locked<Manager, Mutex>(std::move(taken)) {}

    // -- calls of the manager: see there --
    // Arguments are passed by reference, because a second copy costs instructions.

    [[nodiscard]] constexpr error unusable() const { return hold(), memory_.unusable(); }
    [[nodiscard]] static constexpr memory_spec unlimited(std::uint64_t quantum = default_quantum) noexcept {
        return Manager::unlimited(quantum);
    }

    [[nodiscard]] constexpr result<buffer> allocate(const request& request) {
        return hold(), memory_.allocate(request);
    }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes) { return hold(), memory_.allocate(bytes); }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes, const char* label) {
        return hold(), memory_.allocate(bytes, label);
    }
    template <std::signed_integral Int>
    [[nodiscard]] constexpr result<buffer> allocate(Int bytes, const char* label = nullptr) {
        return hold(), memory_.allocate(bytes, label);
    }
    template <std::integral Int, detail::label_text Text>
    [[nodiscard]] constexpr result<buffer> allocate(Int bytes, const Text& label) {
        return hold(), memory_.allocate(bytes, label);
    }
    template <std::floating_point Float>
    result<buffer> allocate(Float bytes, const char* label = nullptr) = delete;
    [[nodiscard]] constexpr result<buffer> import(const extent& where,
                                                  tag label = tag::none) requires imports<placed> {
        return hold(), memory_.import(where, label);
    }
    constexpr result<done> free(const buffer& freed) { return hold(), memory_.free(freed); }
    constexpr result<done> free(const buffer& freed, const fence& until) { return hold(), memory_.free(freed, until); }
    constexpr result<done> pin(const buffer& pinned) { return hold(), memory_.pin(pinned); }
    constexpr result<done> unpin(const buffer& pinned) { return hold(), memory_.unpin(pinned); }
    constexpr result<done> rename(const buffer& held, const char* label) { return hold(), memory_.rename(held, label); }

    [[nodiscard]] constexpr result<program> load(const program_spec& spec) { return hold(), memory_.load(spec); }
    constexpr result<done> load(const program& evicted) { return hold(), memory_.load(evicted); }
    constexpr result<done> evict(const program& victim) { return hold(), memory_.evict(victim); }
    constexpr result<done> unload(const program& ended) { return hold(), memory_.unload(ended); }
    constexpr result<done> unload_for_now(const program& subject) { return hold(), memory_.unload_for_now(subject); }

    [[nodiscard]] constexpr result<run_result> run(const program& subject, const run_spec& spec) {
        return hold(), memory_.run(subject, spec);
    }
    constexpr result<done> run(const program& subject, const run_spec& spec, run_result& ran) {
        return hold(), memory_.run(subject, spec, ran);
    }
    [[nodiscard]] constexpr trivial_vector<std::uint32_t> donors_of(const run_spec& spec) {
        return hold(), memory_.donors_of(spec);
    }
    /// Returns a copy. Another thread's run may have been refused since.
    [[nodiscard]] constexpr failed_run refused() const { return hold(), memory_.refused(); }

    constexpr fence issue(const work_spec& work) { return hold(), memory_.issue(work); }
    constexpr result<done> retire(const fence& upto) { return hold(), memory_.retire(upto); }
    constexpr void sync() { return hold(), memory_.sync(); }

    [[nodiscard]] constexpr planning_result plan_for(const request& request) const {
        return hold(), memory_.plan_for(request);
    }
    constexpr result<done> relieve(const plan& steps) { return hold(), memory_.relieve(steps); }
    constexpr result<done> finish_moves() { return hold(), memory_.finish_moves(); }
    constexpr compaction compact(std::uint64_t budget) requires compacts<placed> {
        return hold(), memory_.compact(budget);
    }
    constexpr bool extend(std::uint64_t bytes) requires extends<placed> { return hold(), memory_.extend(bytes); }
    template <class Plan>
    constexpr bool follow(const Plan& plan) requires requires(Manager& memory) {
        memory.follow(plan);
    }
    { return hold(), memory_.follow(plan); }

    [[nodiscard]] constexpr error check(const buffer& held) const { return hold(), memory_.check(held); }
    [[nodiscard]] constexpr error check(const program& held) const { return hold(), memory_.check(held); }
    [[nodiscard]] constexpr extent where(const buffer& held) const { return hold(), memory_.where(held); }
    [[nodiscard]] constexpr extent where(const program& held) const { return hold(), memory_.where(held); }
    [[nodiscard]] constexpr buffer_pieces pieces(const buffer& held) const { return hold(), memory_.pieces(held); }
    [[nodiscard]] constexpr pending_move moving() const { return hold(), memory_.moving(); }
    [[nodiscard]] constexpr std::uint64_t granted(const buffer& held) const { return hold(), memory_.granted(held); }
    [[nodiscard]] constexpr std::uint32_t pins(const buffer& held) const { return hold(), memory_.pins(held); }
    [[nodiscard]] constexpr program_record about(const program& held) const { return hold(), memory_.about(held); }
    [[nodiscard]] constexpr program handle_of(std::uint32_t slot) const { return hold(), memory_.handle_of(slot); }
    [[nodiscard]] constexpr std::uint64_t capacity_bytes() const { return hold(), memory_.capacity_bytes(); }
    [[nodiscard]] constexpr std::uint64_t free_bytes() const { return hold(), memory_.free_bytes(); }
    [[nodiscard]] constexpr std::uint64_t live_bytes() const { return hold(), memory_.live_bytes(); }
    [[nodiscard]] constexpr std::uint64_t peak_live_bytes() const { return hold(), memory_.peak_live_bytes(); }
    [[nodiscard]] constexpr std::uint64_t highest_end_bytes() const { return hold(), memory_.highest_end_bytes(); }
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const { return hold(), memory_.largest_free_bytes(); }
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const { return hold(), memory_.reserved_bytes(); }
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const { return hold(), memory_.reservable_bytes(); }
    [[nodiscard]] constexpr fence issued() const { return hold(), memory_.issued(); }
    [[nodiscard]] constexpr fence reached() const { return hold(), memory_.reached(); }
    [[nodiscard]] constexpr totals done_so_far() const { return hold(), memory_.done_so_far(); }
    [[nodiscard]] constexpr memory_spec spec() const { return hold(), memory_.spec(); }
    constexpr tag tag_of(const char* label) { return hold(), memory_.tag_of(label); }
    template <detail::label_text Text>
    constexpr tag tag_of(const Text& label) {
        return hold(), memory_.tag_of(label);
    }
    constexpr tag tag_for_call(const char* label) { return hold(), memory_.tag_for_call(label); }
    constexpr void reserve_metadata(std::size_t blocks, std::size_t arguments = 1024) {
        return hold(), memory_.reserve_metadata(blocks, arguments);
    }

    /// Returns a manager without lock, device and observer.
    [[nodiscard]] constexpr forked fork() const { return hold(), memory_.fork(); }
    [[nodiscard]] constexpr forked fork(search_budget& budget) const { return hold(), memory_.fork(budget); }
    template <class Other>
    [[nodiscard]] constexpr Other under(const typename Other::options& given = {}) const {
        return hold(), memory_.template under<Other>(given);
    }
    /// Returns a manager without lock, with a copy of device and observer.
    [[nodiscard]] constexpr Manager copy() const { return hold(), memory_.copy(); }
};

}  // namespace hbm::inline v0
