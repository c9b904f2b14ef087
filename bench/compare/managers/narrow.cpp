// The managers of the family HBM_FAMILY over 32-bit quanta. Compiled once for each family.

#include <cstdint>

#include "compare/managers/drive.hpp"
#include "compare/managers/families.hpp"

namespace hbm::compare {

template <class Family>
manager_entries narrow_managers() {
    manager_entries made;
    Family::template for_each<std::uint32_t>([&]<class Placement, class Eviction, class Donation, class Relief>() {
        made.push_back(entry_of<manager<Placement, Eviction, Donation, Relief>, false>());
    });
    return made;
}

template manager_entries narrow_managers<HBM_FAMILY>();

}  // namespace hbm::compare
