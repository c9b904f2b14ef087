#pragma once

#include <hbm/adapt/any_placement.hpp>
#include <hbm/c/c_values.hpp>
#include <hbm/device/no_device.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/explain/explained.hpp>
#include <hbm/manager.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <any>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace hbm::inline v0 {

/// An eviction policy of any type that evicts, chosen at run time; `relieve_any` has its victims. `evict_lru` by
/// default.
/// Cost: an indirect call each, and an allocation on the host for each copy of a policy that is larger than a pointer.
class any_eviction {
public:
    static constexpr fixed_string name{"any_eviction"};
    static constexpr victims choice = victims::one_at_a_time;

    any_eviction() : any_eviction(evict_lru{}) {}
    template <class E>
    requires(!std::same_as<E, any_eviction> && eviction<E> && evicts<E>) explicit any_eviction(const E& chosen)
        : chosen_(chosen), calls_(&calls_of<E>) {}

    [[nodiscard]] std::uint64_t score(const program_record& record, std::uint64_t now) const {
        return calls_->score(chosen_, record, now);
    }
    [[nodiscard]] std::uint64_t credit(const program_record& record, std::uint64_t now) const {
        return calls_->credit(chosen_, record, now);
    }
    void evicted(const program_record& record) { calls_->evicted(chosen_, record); }
    friend bool operator==(const any_eviction& a, const any_eviction& b) {
        return a.calls_ == b.calls_ && a.calls_->is_equal(a.chosen_, b.chosen_);
    }

private:
    /// The calls of a policy, of which each type has one.
    struct calls {
        std::uint64_t (*score)(const std::any& chosen, const program_record& record, std::uint64_t now);
        std::uint64_t (*credit)(const std::any& chosen, const program_record& record, std::uint64_t now);
        void (*evicted)(std::any& chosen, const program_record& record);
        bool (*is_equal)(const std::any& a, const std::any& b);
    };
    template <class E>
    static constexpr calls calls_of{
        [](const std::any& chosen, const program_record& record, std::uint64_t now) {
            return std::any_cast<E>(&chosen)->score(record, now);
        },
        []([[maybe_unused]] const std::any& chosen, const program_record& record, [[maybe_unused]] std::uint64_t now) {
            if constexpr (gives_credit<E>)
                return std::any_cast<E>(&chosen)->credit(record, now);
            else
                return record.credit;
        },
        []([[maybe_unused]] std::any& chosen, [[maybe_unused]] const program_record& record) {
            if constexpr (learns_from_evictions<E>) std::any_cast<E>(&chosen)->evicted(record);
        },
        [](const std::any& a, const std::any& b) { return *std::any_cast<E>(&a) == *std::any_cast<E>(&b); }};

    std::any chosen_;
    const calls* calls_;
};

/// `relieve_cheapest` with victims chosen at run time.
struct relieve_any {
    static constexpr fixed_string name{"relieve_any"};

    victims choice = victims::none;

    [[nodiscard]] std::optional<plan> choose(const planner& ways) const {
        planning_problem problem = ways.problem();
        problem.choice = choice;
        return relieve_cheapest{}.choose(planner(problem));
    }

    friend constexpr bool operator==(const relieve_any&, const relieve_any&) = default;
};

static_assert(eviction<any_eviction> && relief<relieve_any> && chooses_plans<relieve_any>);

// Defined in explain.cpp.
extern template class basic_planner<planning_problem>;

/// An observer that passes every event on to the callbacks of C, if there are any.
struct hooked_events {
    static constexpr fixed_string name{"hooked_events"};

    c_face::callbacks* hooks = nullptr;

    void on(const event& occurred, const memory_view<std::uint64_t>& memory) const noexcept {
        if (hooks != nullptr) hooks->on(occurred, memory);
    }

    friend constexpr bool operator==(const hooked_events&, const hooked_events&) = default;
};

/// A device that copies by the callbacks of C; without them it copies nothing.
struct hooked_device {
    static constexpr fixed_string name{"hooked_device"};

    c_face::callbacks* hooks = nullptr;

    [[nodiscard]] bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) const noexcept {
        return hooks == nullptr || hooks->copy(to, from, bytes);
    }

    friend constexpr bool operator==(const hooked_device&, const hooked_device&) = default;
};

static_assert(observer<hooked_events> && hears_events_of<hooked_events, memory_view<std::uint64_t>>);
static_assert(device<hooked_device> && copies<hooked_device>);

/// Returns the place of failures in a memory: its device by name.
[[nodiscard]] inline failure_place place_of(const memory_spec& spec) noexcept {
    return {.device = spec.name == nullptr ? "" : spec.name};
}

/// The name and the abilities of a manager, as its C++ type has them.
struct manager_traits {
    const char* name = "";
    bool imports = false;
    bool extends = false;
    bool moves = false;
};
template <placement P, eviction E, donation D>
inline constexpr manager_traits traits_of{manager<P, E, D>::name.c_str(), imports<P>, extends<P>, compacts<P>};

/// A manager of any type over 64-bit quanta, chosen at run time. Each function is that of the manager, see manager.hpp.
class any_manager {
public:
    explicit any_manager(const manager_traits& traits) noexcept : traits_(traits) {}
    any_manager(const any_manager&) = delete;
    any_manager& operator=(const any_manager&) = delete;
    virtual ~any_manager() = default;

    /// Returns the name, and the abilities: without them, `import`, `extend` and `compact` fail.
    [[nodiscard]] const manager_traits& traits() const noexcept { return traits_; }
    [[nodiscard]] virtual error unusable() const noexcept = 0;
    /// Returns a view, valid until the next change. Its `largest_free_bytes` costs O(blocks).
    [[nodiscard]] virtual memory_view<std::uint64_t> view() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t largest_free_bytes() const = 0;

    /// Returns a copy without callbacks.
    [[nodiscard]] virtual any_manager* fork() const = 0;
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
    virtual compaction compact(std::uint64_t budget) = 0;

    [[nodiscard]] virtual std::string explain(const failure& why) const = 0;
    [[nodiscard]] virtual std::string dump(const failure& why) const = 0;

private:
    const manager_traits& traits_;
};

/// An `any_manager` of these policies. Without moves it has no device.
template <class P, class E, class D>
class held_manager final : public any_manager {
    static constexpr bool plans = compacts<P> || evicts<E>;

public:
    using relief_type = std::conditional_t<plans, relieve_any, relieve_cheapest>;
    using device_type = std::conditional_t<compacts<P>, hooked_device, no_device>;
    using manager_type = manager<P, E, D, relief_type, device_type, hooked_events>;

    /// `make()` returns the manager.
    template <class Make>
    held_manager(const manager_traits& traits, Make make) : any_manager(traits), memory_(make()) {}

    [[nodiscard]] error unusable() const noexcept override { return memory_.unusable(); }
    [[nodiscard]] memory_view<std::uint64_t> view() const noexcept override { return memory_.view(); }
    [[nodiscard]] std::uint64_t largest_free_bytes() const override { return memory_.largest_free_bytes(); }

    [[nodiscard]] any_manager* fork() const override {
        auto* const copy = new held_manager(traits(), [this] { return memory_.copy(); });
        copy->memory_.events().hooks = nullptr;
        if constexpr (compacts<P>) copy->memory_.device().hooks = nullptr;
        return copy;
    }
    bool extend(std::uint64_t bytes) override { return memory_.extend(bytes); }

    [[nodiscard]] result<buffer> import(extent where, const char* label) override {
        return memory_.import(where, memory_.tag_for_call(label));
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
    result<done> relieve(const plan& steps) override {
        if constexpr (!compacts<P>)  // there is no device to copy what a step of the user's own moves
            for (const step& next : steps.steps)
                if (next.what == step_kind::move) return failure{.reason = error::range_is_taken};
        return memory_.relieve(steps);
    }
    result<done> finish_moves() override { return memory_.finish_moves(); }
    compaction compact([[maybe_unused]] std::uint64_t budget) override {
        if constexpr (compacts<P>)
            return memory_.compact(budget);
        else
            return {};
    }

    [[nodiscard]] std::string explain(const failure& why) const override {
        return explained(memory_, why, {.place = place_of(memory_.spec())});
    }
    [[nodiscard]] std::string dump(const failure& why) const override {
        detail::manager_facts facts = detail::facts_of(memory_);
        facts.name = traits().name;
        return detail::dumped(memory_.view(), memory_.state(), facts, why, {.place = place_of(memory_.spec())});
    }

private:
    manager_type memory_;
};

/// Returns a new manager, to be deleted by the caller; an entry for tables of managers by name.
/// `salt` distinguishes handles from those of other managers.
template <placement P, eviction E, donation D>
[[nodiscard]] any_manager* make_any_manager(const memory_spec& spec, std::uint32_t salt, c_face::callbacks& hooks) {
    // `any_placement` has each ability, so the manager's own check of `copies` does not see that `P` lacks this one.
    static_assert(!compacts<P> || stretches<P>,
                  "where real bytes move, the placement lets a block occupy both places meanwhile with "
                  "bool stretch(block_index, basic_extent<quanta>)");
    using held = held_manager<any_placement<abilities_of_placement<P>()>,
                              std::conditional_t<evicts<E>, any_eviction, never_evict>, D>;
    typename held::manager_type::options policies{.events = {&hooks}};
    if constexpr (evicts<E>) policies.eviction = any_eviction(E{});
    if constexpr (compacts<P>) policies.device = {&hooks};
    if constexpr (compacts<P> || evicts<E>) policies.relief = {E::choice};
    return new held(traits_of<P, E, D>, [&] {
        return manager<P>(spec, {.salt = salt}).template under<typename held::manager_type>(policies);
    });
}

}  // namespace hbm::inline v0
