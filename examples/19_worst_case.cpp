// What is the worst that a placement can be driven to? Adversaries that see where every block goes, run against each
// placement, and what they reach beside the formulas. With arguments: how many quanta are live at most, and the longest
// block: 19_worst_case 1024 32
#include <hbm/hbm.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attack_buddy.hpp"
#include "compare/generate/adversaries/attack_first_fit.hpp"

namespace {

using namespace hbm::testing;

bool as_promised = true;

// 1. What an attack reached, in quanta, beside what a formula says.
template <class Placement>
void show(const memory_under_attack<Placement>& memory, const char* attack, double bound, const char* formula) {
    const auto needed = static_cast<double>(memory.needed());
    std::printf("  %-20s %8.0f quanta, %6.3f of %s\n", attack, needed, needed / bound, formula);
}

// 2. All attacks on a placement. Those that are not meant for it do what they can.
template <class Placement>
void attack(std::uint64_t live, std::uint64_t largest) {
    std::printf("%s\n", Placement::name.c_str());
    memory_under_attack<Placement> any(live);
    run_robson_sequence(any, largest);
    show(any, "Robson's sequence", static_cast<double>(robson_bound(live, largest)), "what no placement can avoid");
    as_promised &= any.needed() >= robson_bound(live, largest);

    memory_under_attack<Placement> first(live);
    attack_first_fit(first, largest);
    show(first, "against first fit", first_fit_bound(live, largest), "what first fit never exceeds");

    memory_under_attack<Placement> best(live);
    attack_best_fit(best, largest);
    show(best, "against best fit", static_cast<double>(best_fit_bound(live, largest)), "what best fit cannot avoid");

    memory_under_attack<Placement> buddy(live);
    attack_buddy(buddy, largest);
    show(buddy, "against buddy", static_cast<double>(buddy_bound(live, largest)), "what buddy never exceeds");
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t live = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 256;
    const std::uint64_t largest = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 16;
    if (largest < 8 || (largest & (largest - 1)) != 0 || live < 4 * largest || live % (2 * largest) != 0) {
        std::puts("usage: 19_worst_case LIVE LARGEST, a power of two from 8 on; LIVE an even multiple, four at least");
        return 2;
    }
    // 3. Each placement, a placement of your own included, in a memory without a limit.
    std::printf("At most %llu quanta live, blocks of up to %llu\n", static_cast<unsigned long long>(live),
                static_cast<unsigned long long>(largest));
    attack<hbm::best_fit>(live, largest);
    attack<hbm::best_fit_lifo>(live, largest);
    attack<hbm::first_fit>(live, largest);
    attack<hbm::good_fit>(live, largest);
    attack<hbm::buddy>(live, largest);
    attack<hbm::bfc>(live, largest);
    return as_promised ? 0 : 1;
}
