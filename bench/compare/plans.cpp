#include "compare/plans.hpp"

#include <hbm/pack/find_steps.hpp>
#include <hbm/pack/plan_sequence.hpp>
#include <hbm/report/words.hpp>
#include <hbm/trace/sequence_of.hpp>

#include <algorithm>
#include <memory>
#include <time.h>

#include "compare/followed_plan.hpp"
#include "compare/interrupt.hpp"
#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"
#include "compare/parallel.hpp"
#include "compare/seen_requests.hpp"

namespace hbm::compare {

namespace {

/// So many rows a workload may have that is planned for: seconds, or, unasked, some tenths of a second.
constexpr std::size_t most_rows = 1'000'000;
constexpr std::size_t most_rows_unasked = 50'000;

/// A fifth of the time of `plan_effort`, and the same footprints on the recorded traces, to a thousandth of the peak.
constexpr pack::effort effort_for_a_step{.max_steps = 300, .max_looks = 40'000'000};

/// The processor time of this thread in microseconds: it does not depend on what others do meanwhile.
std::uint64_t thread_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

/// Plans for a sequence if there are steps in it.
no_plan plan_into(workload_plan& into, const known_sequence& seen) {
    if (find_steps(seen).size() < 2) return no_plan::no_steps;
    into.plan = plan_for(seen, effort_for_a_step);
    return into.plan.events.empty() ? no_plan::best_fit_can : no_plan::is_made;
}

workload_plan make_plan(const manager_entry& who, const scenario& in, bool is_asked, bool is_timed) {
    workload_plan made;
    made.group = plan_group(who, in);
    made.rows = in.load.rows.size() / 3;
    made.why_none = in.load.rows.size() > most_rows ? no_plan::too_long : no_plan::not_asked;
    if (in.load.rows.size() > (is_asked ? most_rows : most_rows_unasked) || (in.has_programs && !is_asked)) return made;
    const std::uint64_t before = thread_us();
    const known_sequence of_rows = trace::sequence_of(in.load, made.rows, in.device.quantum);
    made.why_none = plan_into(made, in.has_programs ? seen_requests(who, in, made.rows) : of_rows);
    if (in.has_programs && !made.exists())
        if (const no_plan otherwise = plan_into(made, of_rows); otherwise == no_plan::is_made)
            made.why_none = otherwise;
    if (is_timed) made.us = thread_us() - before;
    return made;
}

/// A manager for each plan of a workload: the first that follows it.
std::vector<const manager_entry*> planners_of(const selection& who, const scenario& in) {
    std::vector<const manager_entry*> made;
    for (const manager_entry* each : who.managers) {
        const bool is_known = std::any_of(made.begin(), made.end(), [&](const manager_entry* known) {
            return plan_group(*known, in) == plan_group(*each, in);
        });
        if (each->follows_plans && !is_known) made.push_back(each);
    }
    return made;
}

std::string why_words(no_plan why, std::size_t rows) {
    switch (why) {
    case no_plan::not_asked:
        return "making one takes longer here, and is done if the manager is named, --manager 'planned<best_fit>'";
    case no_plan::too_long:
        return "the workload is too long";
    case no_plan::no_steps:
        return "nothing repeats in the first " + counted(rows, "event");
    case no_plan::best_fit_can:
        return "best fit needs less for the first " + counted(rows, "event") + " than a plan";
    case no_plan::is_made:
        break;
    }
    return {};
}

}  // namespace

void make_plans(const options& asked, const selection& who, std::vector<scenario>& all) {
    /// A plan to make, and the workloads with the same rows, which follow one another.
    struct order {
        const manager_entry* who = nullptr;
        std::size_t first = 0;
        std::size_t end = 0;
        std::shared_ptr<const workload_plan> made;
    };
    const bool is_timed = asked.rounds != std::optional<std::uint64_t>(0);
    std::vector<order> orders;
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
        do ++end;
        while (end < all.size() && have_same_rows(all[first], all[end]));
        for (const manager_entry* each : planners_of(who, all[first])) orders.push_back({each, first, end, nullptr});
    }
    in_parallel(orders.size(), asked.jobs, [&](std::size_t at) {
        if (stop_request::is_made()) return;
        order& each = orders[at];
        each.made = std::make_shared<const workload_plan>(
            make_plan(*each.who, all[each.first], !asked.managers.empty(), is_timed));
    });
    for (const order& each : orders)
        for (std::size_t at = each.first; at < each.end; ++at) all[at].plans.push_back(each.made);
}

std::vector<std::string> plan_words(const scenario& in, const selection& who) {
    std::vector<std::string> made;
    for (const manager_entry* each : planners_of(who, in)) {
        const workload_plan* const plan = plan_of(*each, in);
        if (plan == nullptr) continue;
        std::string words(each->name);
        if (plan->exists()) {
            words += " follows a plan of the first " + counted(plan->rows, "event") + ", " +
                     size_in_words(plan->plan.height * in.device.quantum) + " high";
            if (plan->us) words += ", which was made in " + duration(*plan->us);
        } else {
            words += " has no plan here, and places as without: " + why_words(plan->why_none, plan->rows);
        }
        made.push_back(words + ".");
    }
    return made;
}

bool is_left_unplanned(const scenario& in) {
    return std::any_of(in.plans.begin(), in.plans.end(),
                       [](const auto& plan) { return plan != nullptr && plan->why_none == no_plan::not_asked; });
}

}  // namespace hbm::compare
