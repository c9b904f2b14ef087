// Eviction, donation, relief, devices and observers. tests/CMakeLists.txt tells how to read the sections.

#include <hbm/device/device.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/relief.hpp>

#include <string>

#include "parts.hpp"

// The parts of eviction policies.
struct one_at_a_time {
    static constexpr hbm::victims choice = hbm::victims::one_at_a_time;
};
struct scoring {
    std::uint64_t score(const hbm::program_record& record, std::uint64_t) const { return record.last_use; }
};

#ifdef eviction_complete
// compiles
struct my_eviction : named, comparable, one_at_a_time, scoring {};
static_assert(hbm::check_eviction<my_eviction>());
#endif

#ifdef eviction_without_choice
// expect: an eviction policy has a choice of victims: static constexpr hbm::victims choice =
struct my_eviction : named, comparable, scoring {};
static_assert(hbm::check_eviction<my_eviction>());
#endif

#ifdef eviction_without_score
// expect: an eviction policy scores programs: std::uint64_t score(const hbm::program_record&, std::uint64_t now) const
struct my_eviction : named, comparable, one_at_a_time {};
static_assert(hbm::check_eviction<my_eviction>());
#endif

#ifdef eviction_credit_without_time
// expect: credit takes the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const
struct my_eviction : named, comparable, one_at_a_time, scoring {
    std::uint64_t credit(const hbm::program_record& record) const { return record.uses; }
};
static_assert(hbm::check_eviction<my_eviction>());
#endif

#ifdef eviction_told_of_a_handle
// expect: an eviction policy receives evictions: void evicted(const hbm::program_record&)
#include <hbm/hbm.hpp>
struct my_eviction : named, comparable, one_at_a_time, scoring {
    void evicted(hbm::program) {}
};
hbm::manager<hbm::best_fit, my_eviction> memory;
#endif

#ifdef score_complete
// compiles
#include <hbm/eviction/policies.hpp>
struct my_score : named, comparable, scoring {};
static_assert(hbm::check_score<my_score>());
static_assert(hbm::check_eviction<hbm::evict_window<hbm::product<my_score, hbm::expected_reload>>>());
#endif

#ifdef product_of_two_that_keep_credit
// expect: a program's record has one word of credit: only one part of a score may keep one there
#include <hbm/eviction/more_scores.hpp>
hbm::product<hbm::fading_frequency, hbm::greedy_dual<hbm::reload_cost>> worth;
#endif

// The part of a donation policy.
struct choosing {
    std::size_t choose(std::span<const std::uint64_t>, std::uint64_t) const { return hbm::no_donor; }
};

#ifdef donation_complete
// compiles
struct my_donation : named, comparable, choosing {};
static_assert(hbm::check_donation<my_donation>());
#endif

#ifdef donation_name_is_a_member
// expect: a donation policy has a name: static constexpr hbm::fixed_string name
#include <hbm/hbm.hpp>
struct my_donation : comparable, choosing {
    std::string name = "my_donation";
};
hbm::manager<hbm::best_fit, hbm::never_evict, my_donation> memory;
#endif

#ifdef donation_choose_not_const
// expect: choose is near but not right: std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size)
struct my_donation : named, comparable {
    std::size_t choose(std::span<const std::uint64_t>, std::uint64_t) { return hbm::no_donor; }
};
static_assert(hbm::check_donation<my_donation>());
#endif

#ifdef relief_that_chooses_no_plan
// expect: a relief policy chooses: std::optional<hbm::plan> choose(const hbm::planner&) const
struct my_relief : named, comparable {
    bool choose(const hbm::planner&) const { return false; }
};
static_assert(hbm::check_relief<my_relief>());
#endif

#ifdef relief_told_of_nothing
// expect: a relief policy receives the plan that was carried out: void relieved(const hbm::plan&)
struct my_relief : named, comparable {
    template <class Planner>
    std::optional<hbm::plan> choose(const Planner& ways) const {
        return ways.cheapest().found;
    }
    void relieved(std::uint64_t nanoseconds) { spent += nanoseconds; }

    std::uint64_t spent = 0;
};
static_assert(hbm::check_relief<my_relief>());
#endif

#ifdef device_complete
// compiles
struct my_device : named, comparable {
    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) { return true; }
};
static_assert(hbm::check_device<my_device>());
#endif

#ifdef device_copy_returns_nothing
// expect: copy is near but not right: bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
struct my_device : named, comparable {
    void copy(std::uint64_t, std::uint64_t, std::uint64_t) {}
};
static_assert(hbm::check_device<my_device>());
#endif

#ifdef observer_without_name
// expect: an observer has a name: static constexpr hbm::fixed_string name
struct my_observer : comparable {
    void on(const hbm::event&) {}
};
static_assert(hbm::check_observer<my_observer>());
#endif

#ifdef observer_on_changes_the_event
// expect: on is near but not right: void on(const hbm::event&)
#include <hbm/events/observers.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
struct my_observer : named, comparable {
    void on(hbm::event&) {}
};
using watched = hbm::observers<hbm::statistics, my_observer>;
hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::no_device, watched> memory;
#endif
