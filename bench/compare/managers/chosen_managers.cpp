#include "compare/managers/chosen_managers.hpp"

#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/planning/relief.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "compare/managers/chosen_placement.hpp"
#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/explain.hpp"

namespace hbm::compare {

namespace {

using quanta = std::uint64_t;

// A manager of a placement that is chosen at run time has one of two types: one that waits for runs at most, and one
// that plans. The first is faster, and only the second can move and evict.
template <class Placement>
using waiting = manager<Placement, never_evict, chosen_donation, never_relieve>;
template <class Placement>
using planning = manager<Placement, chosen_eviction, chosen_donation, chosen_relief>;

bool plans(const policy_choices& chosen) {
    return chosen.relief != relief_choice::never && (chosen.moves || chosen.eviction != eviction_choice::never);
}

template <class Placement>
std::unique_ptr<trace::replayed_memory> make_chosen(const manager<Placement>& empty, const policy_choices& chosen) {
    if (!plans(chosen)) {
        using type = waiting<Placement>;
        return std::make_unique<trace::replayed<type>>(empty.template under<type>({.donation = {chosen.donation}}));
    }
    using type = planning<Placement>;
    return std::make_unique<trace::replayed<type>>(empty.template under<type>(
        {.eviction = {.which = chosen.eviction}, .donation = {chosen.donation}, .relief = {.chosen = chosen}}));
}

/// Makes a memory of the placement `P`. Only the making depends on `P`: the rest is compiled once.
template <class P>
std::unique_ptr<trace::replayed_memory> make(const memory_spec& spec, const policy_choices& chosen) {
    return make_chosen(manager<P>(spec).template under<manager<any_placement<reserves<P>>>>(), chosen);
}

/// A shipped placement, with and without scratch reserved at its bottom; `make_reserving` is null under bfc.
struct placement_row {
    std::string_view name;
    bool has_footprint = true;
    memory_spec (*unlimited)(std::uint64_t) = nullptr;
    std::unique_ptr<trace::replayed_memory> (*make)(const memory_spec&, const policy_choices&) = nullptr;
    std::unique_ptr<trace::replayed_memory> (*make_reserving)(const memory_spec&, const policy_choices&) = nullptr;
};

template <class P>
constexpr placement_row row_without_adaptors() {
    return {.name = {P::name.c_str(), P::name.size()},
            .has_footprint = !heeds_lifetimes<P>,
            .unlimited = &manager<P>::unlimited,
            .make = &make<P>};
}

template <class P>
constexpr placement_row row() {
    placement_row made = row_without_adaptors<P>();
    made.make_reserving = &make<bottom_reserve<P>>;
    return made;
}

constexpr std::array placements{row<basic_best_fit<quanta>>(),
                                row<basic_best_fit_lifo<quanta>>(),
                                row<basic_first_fit<quanta>>(),
                                row<basic_good_fit<quanta>>(),
                                row<basic_buddy<quanta>>(),
                                row_without_adaptors<basic_bfc<quanta>>(),
                                row<free_together<basic_best_fit<quanta>>>(),
                                row<lifetimes_apart<basic_best_fit<quanta>>>()};

// Names by the values of the choices.
constexpr std::array<std::string_view, 4> evictions{"never_evict", "evict_lru", "evict_greedy_dual",
                                                    "evict_cheapest_window"};
constexpr std::array<std::string_view, 3> donations{"never_donate", "donate_same_size", "donate_fitting"};
constexpr std::array<std::string_view, 5> reliefs{"relieve_cheapest", "compact_first", "evict_first", "rent_or_buy",
                                                  "never_relieve"};

/// Takes the text up to the next slash.
std::string_view take_part(std::string_view& text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view part = text.substr(0, slash);
    text.remove_prefix(std::min(slash + 1, text.size()));
    return part;
}

/// Reads the next part of a name as a policy; nothing is the first of `all`. Returns false for another text.
template <std::size_t Count, class Choice>
bool read_policy(std::string_view& text, const std::array<std::string_view, Count>& all, Choice& choice) {
    if (text.empty()) return true;
    const auto match = std::find(all.begin(), all.end(), take_part(text));
    choice = static_cast<Choice>(match - all.begin());
    return match != all.end();
}

/// Removes `adaptor<...>` around a name, if it is there.
bool unwrap(std::string_view& name, std::string_view adaptor) {
    if (!name.starts_with(adaptor) || !name.ends_with('>') || name.substr(adaptor.size()).front() != '<') return false;
    name = name.substr(adaptor.size() + 1, name.size() - adaptor.size() - 2);
    return true;
}

std::string_view kept(const std::string& text) {
    static std::set<std::string> all;
    return *all.insert(text).first;
}

template <class Placement>
auto explanation_of(const policy_choices& chosen) {
    return plans(chosen) ? &explain<planning<Placement>> : &explain<waiting<Placement>>;
}

}  // namespace

std::optional<manager_entry> chosen_manager(std::string_view name) {
    policy_choices chosen;
    std::string_view rest = name;
    std::string_view inner = take_part(rest);
    const std::string placement(inner);
    if (!read_policy(rest, evictions, chosen.eviction) || !read_policy(rest, donations, chosen.donation) ||
        !read_policy(rest, reliefs, chosen.relief) || !rest.empty() || name.ends_with('/'))
        return std::nullopt;
    const bool is_reserving = unwrap(inner, "bottom_reserve");
    chosen.moves = unwrap(inner, "compacting");
    const auto match = std::find_if(placements.begin(), placements.end(),
                                    [&](const placement_row& each) { return each.name == inner; });
    if (match == placements.end()) return std::nullopt;
    if (match->make_reserving == nullptr && (is_reserving || chosen.moves)) return std::nullopt;

    manager_entry made;
    made.placement = kept(placement);
    made.eviction = evictions[static_cast<std::size_t>(chosen.eviction)];
    made.donation = donations[static_cast<std::size_t>(chosen.donation)];
    made.relief = reliefs[static_cast<std::size_t>(chosen.relief)];
    made.evicts = chosen.eviction != eviction_choice::never;
    made.donates = chosen.donation != donation_choice::never;
    made.moves = chosen.moves;
    made.has_footprint = match->has_footprint && !is_reserving;
    made.shipped = true;
    const bool is_usual = chosen.relief == relief_choice::cheapest;
    const std::string with_eviction = placement + "/" + std::string(made.eviction);
    const std::string full = with_eviction + "/" + std::string(made.donation);
    made.full_name = kept(is_usual ? full : full + "/" + std::string(made.relief));
    made.name = made.donates || !is_usual ? made.full_name : made.evicts ? kept(with_eviction) : made.placement;
    made.max_quanta = std::numeric_limits<quanta>::max() / 2;
    made.choices = chosen;
    made.unlimited = match->unlimited;
    made.make = is_reserving ? match->make_reserving : match->make;
    made.explain = is_reserving ? explanation_of<chosen_reserving>(chosen) : explanation_of<chosen_placement>(chosen);
    return made;
}

}  // namespace hbm::compare
