#include "compare/verify/audited_replay.hpp"

#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>

#include <array>
#include <string_view>

#include "compare/managers/chosen_policies.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

namespace {

/// Observer that passes events to an audit outside of the manager.
struct auditing {
    static constexpr fixed_string name{"auditing"};
    testing::event_audit* audit = nullptr;

    template <class Memory>
    void look_at(const Memory& memory) {
        if (audit != nullptr) audit->look_at(memory);
    }
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        audit->on(e, memory);
    }
    [[maybe_unused]] friend bool operator==(const auditing&, const auditing&) = default;
};

template <class Placement>
audited_replay replay_with(const policy_choices& choices, const trace::workload& load, const memory_spec& spec) {
    using audited = manager<Placement, chosen_eviction, chosen_donation, chosen_relief, no_device, auditing>;
    testing::event_audit audit;
    trace::replayed<audited> memory(spec, {.eviction = {.which = choices.eviction},
                                           .donation = {choices.donation},
                                           .relief = {.chosen = choices},
                                           .events = {&audit}});
    trace::replay run(load, memory);
    while (run.step() && audit.check_sums(memory.manager())) {
    }
    if (audit.check_sums(memory.manager())) audit.check_blocks(memory.manager());
    return {.events = audit.events(), .row = run.at(), .broken = audit.broken()};
}

struct audited_placement {
    std::string_view name;  ///< name without adaptors
    audited_replay (*plain)(const policy_choices&, const trace::workload&, const memory_spec&);
    audited_replay (*reserving)(const policy_choices&, const trace::workload&, const memory_spec&);
};

template <class P>
constexpr audited_placement audited_of() {
    return {{P::name.c_str(), P::name.size()}, replay_with<compacting<P>>, replay_with<bottom_reserve<compacting<P>>>};
}

using wide = std::uint64_t;
constexpr std::array placements{audited_of<basic_best_fit<wide>>(),
                                audited_of<basic_best_fit_lifo<wide>>(),
                                audited_of<basic_first_fit<wide>>(),
                                audited_of<basic_good_fit<wide>>(),
                                audited_of<basic_buddy<wide>>(),
                                audited_of<free_together<basic_best_fit<wide>>>(),
                                audited_of<lifetimes_apart<basic_best_fit<wide>>>(),
                                audited_of<lifetimes_learned<lifetimes_apart<basic_best_fit<wide>>>>(),
                                audited_placement{{basic_bfc<wide>::name.c_str(), basic_bfc<wide>::name.size()},
                                                  replay_with<basic_bfc<wide>>,
                                                  nullptr}};

/// Takes an adaptor off a name. Returns true if it was there.
bool strip(std::string_view& name, std::string_view adaptor) {
    if (!name.starts_with(adaptor)) return false;
    name.remove_prefix(adaptor.size());
    name.remove_suffix(1);
    return true;
}

}  // namespace

std::optional<audited_replay> replay_audited(const manager_entry& entry, const trace::workload& load,
                                             const memory_spec& spec) {
    if (!entry.shipped) return std::nullopt;
    policy_choices choices = entry.wide.choices;
    if (choices.relief == relief_choice::never) choices = {.donation = choices.donation};
    std::string_view name = entry.placement;
    const bool reserves = strip(name, "bottom_reserve<");
    strip(name, "compacting<");
    for (const audited_placement& placement : placements)
        if (placement.name == name) return (reserves ? placement.reserving : placement.plain)(choices, load, spec);
    return std::nullopt;
}

}  // namespace hbm::compare
