#pragma once

#include <hbm/eviction/evict_lru.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace hbm::inline v0 {

/// An eviction policy of any type that evicts, chosen at run time; `relieve_any` has its victims. `evict_lru` by
/// default.
/// Cost: a virtual call each, and an allocation on the host for each copy.
class any_eviction {
public:
    static constexpr fixed_string name{"any_eviction"};
    static constexpr victims choice = victims::one_at_a_time;

    any_eviction() : any_eviction(evict_lru{}) {}
    template <class E>
    requires(!std::same_as<E, any_eviction> && eviction<E> && evicts<E>) explicit any_eviction(const E& chosen)
        : held_(new held<E>(chosen)) {}
    any_eviction(const any_eviction& other) : held_(other.held_->copy()) {}
    any_eviction& operator=(const any_eviction& other) {
        if (this != &other) delete std::exchange(held_, other.held_->copy());
        return *this;
    }
    ~any_eviction() { delete held_; }

    [[nodiscard]] std::uint64_t score(const program_record& record, std::uint64_t now) const {
        return held_->score(record, now);
    }
    [[nodiscard]] std::uint64_t credit(const program_record& record, std::uint64_t now) const {
        return held_->credit(record, now);
    }
    void evicted(const program_record& record) { held_->evicted(record); }

    friend bool operator==(const any_eviction& a, const any_eviction& b) { return a.held_->is_equal(*b.held_); }

private:
    class policy {
    public:
        policy() = default;
        policy(const policy&) = delete;
        policy& operator=(const policy&) = delete;
        virtual ~policy() = default;

        [[nodiscard]] virtual policy* copy() const = 0;
        [[nodiscard]] virtual bool is_equal(const policy& other) const = 0;
        /// Returns an address, one for each type of policy.
        [[nodiscard]] virtual const void* type() const noexcept = 0;
        [[nodiscard]] virtual std::uint64_t score(const program_record& record, std::uint64_t now) const = 0;
        [[nodiscard]] virtual std::uint64_t credit(const program_record& record, std::uint64_t now) const = 0;
        virtual void evicted(const program_record& record) = 0;
    };
    template <class E>
    class held final : public policy {
    public:
        explicit held(const E& chosen) : chosen_(chosen) {}

        [[nodiscard]] policy* copy() const override { return new held(chosen_); }
        [[nodiscard]] bool is_equal(const policy& other) const override {
            return other.type() == type() && static_cast<const held&>(other).chosen_ == chosen_;
        }
        [[nodiscard]] const void* type() const noexcept override { return &number; }
        [[nodiscard]] std::uint64_t score(const program_record& record, std::uint64_t now) const override {
            return chosen_.score(record, now);
        }
        [[nodiscard]] std::uint64_t credit(const program_record& record,
                                           [[maybe_unused]] std::uint64_t now) const override {
            if constexpr (gives_credit<E>)
                return chosen_.credit(record, now);
            else
                return record.credit;
        }
        void evicted([[maybe_unused]] const program_record& record) override {
            if constexpr (learns_from_evictions<E>) chosen_.evicted(record);
        }

    private:
        static constexpr char number = 0;

        E chosen_;
    };

    policy* held_;
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

}  // namespace hbm::inline v0
