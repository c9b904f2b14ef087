// The managers of the family HBM_FAMILY over 64-bit quanta. Compiled once for each family. Failures are explained with
// this width, for all capacities.

#include <cstdint>

#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/drive.hpp"
#include "compare/managers/families.hpp"

namespace hbm::compare {

template <class Family>
std::vector<driver> wide_drivers() {
    std::vector<driver> made;
    Family::template for_each<std::uint64_t>([&]<class Placement, class Eviction, class Donation, class Relief>() {
        constexpr auto eviction = stand_in<Eviction>();
        using eviction_type = std::remove_const_t<decltype(eviction)>;
        using manager_type = manager<Placement, eviction_type, chosen_donation, Relief>;
        made.push_back({.unlimited = &manager_type::unlimited,
                        .make = [](const memory_spec& spec) -> std::unique_ptr<trace::replayed_memory> {
                            return std::make_unique<trace::replayed<manager_type>>(
                                spec, typename manager_type::options{.eviction = stand_in<Eviction>(),
                                                                     .donation = stand_in_donation<Donation>()});
                        },
                        .explain = &explain<manager_type>});
    });
    return made;
}

template std::vector<driver> wide_drivers<HBM_FAMILY>();

}  // namespace hbm::compare
