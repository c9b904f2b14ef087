#include "compare/managers/shipped.hpp"

#include <algorithm>
#include <array>
#include <forward_list>
#include <string>
#include <string_view>

#include "compare/managers/named_managers.hpp"
#include "compare/managers/placements/placement_drivers.hpp"
#include "compare/managers/timed/timed_managers.hpp"

namespace hbm::compare {

namespace {

// Names by the values of the choices.
constexpr std::array<std::string_view, 4> evictions{"never_evict", "evict_lru", "evict_greedy_dual",
                                                    "evict_cheapest_window"};
constexpr std::array<std::string_view, 3> donations{"never_donate", "donate_same_size", "donate_fitting"};
constexpr std::array<std::string_view, 5> reliefs{"relieve_cheapest", "compact_first", "evict_first", "rent_or_buy",
                                                  "never_relieve"};

/// Builder of the entries, which keeps the texts of their names.
class entry_maker {
public:
    /// Adds a manager of a placement and other policies. `reserves`: scratch is reserved at its bottom.
    void add(const placement_drivers& placement, bool reserves, const policy_choices& choices) {
        std::string name(placement.name);
        if (choices.moves) name = "compacting<" + name + ">";
        if (reserves) name = "bottom_reserve<" + name + ">";
        manager_entry made{.name = {},
                           .full_name = {},
                           .placement = kept(name),
                           .eviction = evictions[static_cast<std::size_t>(choices.eviction)],
                           .donation = donations[static_cast<std::size_t>(choices.donation)],
                           .relief = reliefs[static_cast<std::size_t>(choices.relief)],
                           .evicts = choices.eviction != eviction_choice::never,
                           .donates = choices.donation != donation_choice::never,
                           .moves = choices.moves,
                           .has_footprint = placement.has_footprint && !reserves,
                           .shipped = true,
                           .is_model = false,
                           .narrow = {},
                           .wide = {}};
        const bool is_usual = choices.relief == relief_choice::cheapest;
        const std::string eviction = "/" + std::string(made.eviction);
        const std::string donation = "/" + std::string(made.donation);
        const std::string full = name + eviction + donation + (is_usual ? "" : "/" + std::string(made.relief));
        made.full_name = kept(full);
        made.name = made.donates || !is_usual ? made.full_name : made.evicts ? kept(name + eviction) : made.placement;

        const planning_drivers& drivers = reserves ? placement.reserving : placement.plain;
        const bool plans = choices.relief != relief_choice::never && (made.moves || made.evicts);
        made.wide = plans ? drivers.planned : drivers.waiting;
        made.wide.choices = choices;
        all_.push_back(made);
    }
    /// Adds a placement with every eviction and donation policy.
    void add_policies(const placement_drivers& placement, bool reserves, bool moves) {
        for (const auto eviction :
             {eviction_choice::never, eviction_choice::lru, eviction_choice::greedy_dual, eviction_choice::window})
            for (const auto donation : {donation_choice::never, donation_choice::same_size, donation_choice::fitting})
                add(placement, reserves, {.eviction = eviction, .donation = donation, .moves = moves});
    }
    /// Adds a placement with every combination of adaptors, and every eviction and donation policy.
    void add_adaptors(const placement_drivers& placement) {
        for (const bool reserves : {false, true})
            for (const bool moves : {false, true}) add_policies(placement, reserves, moves);
    }
    /// Adds a placement that uses or learns properties of blocks: alone, with the permission to move blocks, and
    /// combined as in `tpu::runtime_memory`.
    void add_uses(const placement_drivers& placement) {
        policy_choices choices;
        add(placement, false, choices);
        choices.moves = true;
        add(placement, false, choices);
        choices.eviction = eviction_choice::lru;
        choices.donation = donation_choice::same_size;
        add(placement, false, choices);
        add(placement, true, choices);
    }

    [[nodiscard]] manager_entries& all() noexcept { return all_; }

private:
    std::string_view kept(const std::string& text) {
        texts_.push_front(text);
        return texts_.front();
    }

    manager_entries all_;
    std::forward_list<std::string> texts_;
};

/// Sets the drivers of timed managers in the entries of the same names.
void add_timed(manager_entries& all, const std::vector<manager_entry>& timed) {
    for (const manager_entry& each : timed) {
        const auto same_name = [&](const manager_entry& entry) { return entry.full_name == each.full_name; };
        std::find_if(all.begin(), all.end(), same_name)->narrow = each.narrow;
    }
}

entry_maker make_all() {
    entry_maker made;
    const placement_drivers best = best_fit_drivers();
    const placement_drivers latest = best_fit_lifo_drivers();
    for (const placement_drivers& placement : {best, latest, first_fit_drivers(), good_fit_drivers(), buddy_drivers()})
        made.add_adaptors(placement);
    made.add_policies(bfc_drivers(), false, false);
    for (const auto relief :
         {relief_choice::compact_first, relief_choice::evict_first, relief_choice::rent_or_buy, relief_choice::never})
        for (const placement_drivers& placement : {best, latest})
            made.add(placement, true,
                     {.eviction = eviction_choice::lru,
                      .donation = donation_choice::same_size,
                      .relief = relief,
                      .moves = true});
    for (const placement_drivers& placement : {free_together_drivers(), lifetimes_apart_drivers()})
        made.add_uses(placement);
    add_timed(made.all(), timed_fits());
    add_timed(made.all(), timed_movers());
    add_named(made.all());
    return made;
}

}  // namespace

manager_entries shipped_managers() {
    static entry_maker made = make_all();
    return made.all();
}

}  // namespace hbm::compare
