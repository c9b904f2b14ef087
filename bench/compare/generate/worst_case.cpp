#include "compare/generate/worst_case.hpp"

#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <bit>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attack_buddy.hpp"
#include "compare/generate/adversaries/attack_first_fit.hpp"
#include "compare/generate/adversaries/robson_sequence.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

std::string refuse_worst_case(const settings& given) {
    const std::uint64_t attack = given["attack"];
    const std::uint64_t live = given["live"];
    const std::uint64_t largest = given["largest"];
    const std::string beside = " with attack=" + decimal(attack);
    if (attack == 2 && largest < 6)
        return "found `largest=" + decimal(largest) + "`, expected largest from 6 to 64" + beside;
    if ((attack == 0 || attack == 3) && !std::has_single_bit(largest))
        return "found `largest=" + decimal(largest) + "`, expected largest as a power of two from 2 to 64" + beside;
    if (live / 4 < largest)
        return "found `live=" + decimal(live) + "`, expected live from " + decimal(4 * largest) +
               " to 512 with largest=" + decimal(largest);
    return {};
}

void write_worst_case(const settings& given, trace_draft& draft) {
    const std::uint64_t live = given["live"];
    const std::uint64_t largest = given["largest"];
    if (given["attack"] == 1) {
        testing::memory_under_attack<first_fit> memory(live);
        testing::attack_first_fit(memory, largest);
        write_attack(memory, given["smallest"], draft);
    } else if (given["attack"] == 3) {
        testing::memory_under_attack<buddy> memory(live);
        testing::attack_buddy(memory, largest);
        write_attack(memory, given["smallest"], draft);
    } else {
        testing::memory_under_attack<best_fit> memory(live);
        if (given["attack"] == 2)
            testing::attack_best_fit(memory, largest);
        else
            testing::run_robson_sequence(memory, largest);
        write_attack(memory, given["smallest"], draft);
    }
}

}  // namespace hbm::trace
