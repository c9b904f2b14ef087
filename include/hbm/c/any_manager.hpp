#pragma once

#include <hbm/device/no_device.hpp>
#include <hbm/events/events.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/manager.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace hbm {

/// The hooks of an `any_manager`: an observer and a device of its owner.
/// Requires: they outlive the manager.
class manager_hooks {
public:
    /// Receives an event; `memory` is the manager after it.
    virtual void on(const event& occurred, const memory_view<std::uint32_t>& memory) noexcept = 0;
    /// Copies bytes that are moved; see the contract in device/device.hpp.
    [[nodiscard]] virtual bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept = 0;

protected:
    manager_hooks() = default;
    manager_hooks(const manager_hooks&) = default;
    manager_hooks& operator=(const manager_hooks&) = default;
    ~manager_hooks() = default;
};

/// An observer that passes every event on to hooks, if there are any.
struct hooked_events {
    static constexpr fixed_string name{"hooked_events"};

    manager_hooks* hooks = nullptr;

    void on(const event& occurred, const memory_view<std::uint32_t>& memory) const noexcept {
        if (hooks != nullptr) hooks->on(occurred, memory);
    }

    friend constexpr bool operator==(const hooked_events&, const hooked_events&) = default;
};

/// A device that copies by hooks; without hooks it copies nothing.
struct hooked_device {
    static constexpr fixed_string name{"hooked_device"};

    manager_hooks* hooks = nullptr;

    [[nodiscard]] bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) const noexcept {
        return hooks == nullptr || hooks->copy(to, from, bytes);
    }

    friend constexpr bool operator==(const hooked_device&, const hooked_device&) = default;
};

static_assert(observer<hooked_events> && hears_events_of<hooked_events, memory_view<std::uint32_t>>);
static_assert(device<hooked_device> && copies<hooked_device>);

/// Returns the place of failures in a memory: its device by name.
[[nodiscard]] inline failure_place place_of(const memory_spec& spec) noexcept {
    return {.device = spec.name == nullptr ? "" : spec.name};
}

/// A manager of any type over 32-bit quanta, chosen at run time. Each function is that of the manager, see manager.hpp.
class any_manager {
public:
    any_manager() = default;
    any_manager(const any_manager&) = delete;
    any_manager& operator=(const any_manager&) = delete;
    virtual ~any_manager() = default;

    [[nodiscard]] virtual const char* name() const noexcept = 0;
    [[nodiscard]] virtual error unusable() const noexcept = 0;
    /// Returns a view, valid until the next change. Its `largest_free_bytes` costs O(blocks).
    [[nodiscard]] virtual memory_view<std::uint32_t> view() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t largest_free_bytes() const = 0;

    /// Returns a copy without hooks.
    [[nodiscard]] virtual any_manager* fork() const = 0;
    /// Returns true if the manager takes over given ranges, or grows; otherwise `import` and `extend` fail.
    [[nodiscard]] virtual bool imports_ranges() const noexcept = 0;
    [[nodiscard]] virtual bool extends_memory() const noexcept = 0;
    virtual bool extend(std::uint64_t bytes) = 0;

    [[nodiscard]] virtual result<buffer> allocate(const request& request, const char* label) = 0;
    [[nodiscard]] virtual result<buffer> import(extent where, const char* label) = 0;
    virtual result<done> free(buffer freed) = 0;
    virtual result<done> free(buffer freed, fence until) = 0;
    virtual result<done> pin(buffer pinned) = 0;
    virtual result<done> unpin(buffer pinned) = 0;

    [[nodiscard]] virtual result<program> load(const program_spec& spec) = 0;
    virtual result<done> load(program evicted) = 0;
    virtual result<done> evict(program victim) = 0;
    virtual result<done> unload(program ended) = 0;
    virtual result<done> unload_for_now(program subject) = 0;
    virtual result<done> run(program subject, const run_spec& spec, run_result& ran) = 0;

    virtual result<done> retire(fence upto) = 0;
    [[nodiscard]] virtual planning_result plan_for(const request& request) const = 0;
    virtual result<done> relieve(const plan& steps) = 0;
    virtual result<done> finish_moves() = 0;
    /// Returns true if blocks may move; otherwise `compact` does nothing.
    [[nodiscard]] virtual bool moves_blocks() const noexcept = 0;
    virtual compaction compact(std::uint64_t budget) = 0;

    [[nodiscard]] virtual std::string explain(const failure& why) const = 0;
    [[nodiscard]] virtual std::string dump(const failure& why) const = 0;
};

/// An `any_manager` of these policies. Without moves it has no device.
template <placement P, eviction E, donation D>
class held_manager final : public any_manager {
    static_assert(std::is_same_v<typename P::quanta, std::uint32_t>, "an any_manager is one over quanta of 32 bits");

    using device_type = std::conditional_t<compacts<P>, hooked_device, no_device>;
    using manager_type = manager<P, E, D, relieve_cheapest, device_type, hooked_events>;

public:
    /// `salt` distinguishes handles from those of other managers.
    held_manager(const memory_spec& spec, std::uint32_t salt, manager_hooks& hooks)
        : memory_(spec, {.device = device_of(hooks), .events = {&hooks}, .salt = salt}) {}

    [[nodiscard]] const char* name() const noexcept override { return manager_type::name.c_str(); }
    [[nodiscard]] error unusable() const noexcept override { return memory_.unusable(); }
    [[nodiscard]] memory_view<std::uint32_t> view() const noexcept override { return memory_.view(); }
    [[nodiscard]] std::uint64_t largest_free_bytes() const override { return memory_.largest_free_bytes(); }

    [[nodiscard]] any_manager* fork() const override { return new held_manager(memory_.copy()); }
    [[nodiscard]] bool imports_ranges() const noexcept override { return imports<P>; }
    [[nodiscard]] bool extends_memory() const noexcept override { return extends; }
    bool extend([[maybe_unused]] std::uint64_t bytes) override {
        if constexpr (extends)
            return memory_.extend(bytes);
        else
            return false;
    }

    [[nodiscard]] result<buffer> import(extent where, const char* label) override {
        if constexpr (imports<P>)
            return memory_.import(where, memory_.tag_for_call(label));
        else
            return failure{.reason = error::range_is_taken};
    }
    [[nodiscard]] result<buffer> allocate(const request& request, const char* label) override {
        hbm::request named = request;
        named.label = memory_.tag_for_call(label);
        return memory_.allocate(named);
    }
    result<done> free(buffer freed) override { return memory_.free(freed); }
    result<done> free(buffer freed, fence until) override { return memory_.free(freed, until); }
    result<done> pin(buffer pinned) override { return memory_.pin(pinned); }
    result<done> unpin(buffer pinned) override { return memory_.unpin(pinned); }

    [[nodiscard]] result<program> load(const program_spec& spec) override { return memory_.load(spec); }
    result<done> load(program evicted) override { return memory_.load(evicted); }
    result<done> evict(program victim) override { return memory_.evict(victim); }
    result<done> unload(program ended) override { return memory_.unload(ended); }
    result<done> unload_for_now(program subject) override { return memory_.unload_for_now(subject); }
    result<done> run(program subject, const run_spec& spec, run_result& ran) override {
        return memory_.run(subject, spec, ran);
    }

    result<done> retire(fence upto) override { return memory_.retire(upto); }
    [[nodiscard]] planning_result plan_for(const request& request) const override { return memory_.plan_for(request); }
    result<done> relieve(const plan& steps) override { return memory_.relieve(steps); }
    result<done> finish_moves() override { return memory_.finish_moves(); }
    [[nodiscard]] bool moves_blocks() const noexcept override { return compacts<P>; }
    compaction compact([[maybe_unused]] std::uint64_t budget) override {
        if constexpr (compacts<P>)
            return memory_.compact(budget);
        else
            return {};
    }

    [[nodiscard]] std::string explain(const failure& why) const override {
        return hbm::explain(memory_, why, {.place = place_of(memory_.spec())});
    }
    [[nodiscard]] std::string dump(const failure& why) const override {
        return to_text(hbm::dump(memory_, why, {.place = place_of(memory_.spec())}));
    }

private:
    static constexpr bool extends = requires(manager_type memory) { memory.extend(std::uint64_t{}); };

    explicit held_manager(manager_type copied) : memory_(std::move(copied)) {
        memory_.events().hooks = nullptr;
        if constexpr (compacts<P>) memory_.device().hooks = nullptr;
    }
    [[nodiscard]] static device_type device_of([[maybe_unused]] manager_hooks& hooks) noexcept {
        if constexpr (compacts<P>)
            return {&hooks};
        else
            return {};
    }

    manager_type memory_;
};

/// Returns a new `held_manager`, to be deleted by the caller; an entry for tables of managers by name.
template <class P, class E, class D>
[[nodiscard]] any_manager* make_held_manager(const memory_spec& spec, std::uint32_t salt, manager_hooks& hooks) {
    return new held_manager<P, E, D>(spec, salt, hooks);
}

template <class P, class E, class D>
inline constexpr const char* held_name = manager<P, E, D>::name.c_str();

}  // namespace hbm
