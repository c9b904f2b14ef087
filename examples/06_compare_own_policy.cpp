// Compares a policy of your own with every shipped manager, on any workload, with hbm_compare's own main.
#include <hbm/hbm.hpp>

#include <array>
#include <hbm_compare.hpp>
#include <vector>

// A hole of exactly the right size if there is one, otherwise the lowest hole that fits.
template <class Quanta>
struct exact_or_first_hole {
    using quanta = Quanta;

    static constexpr hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>& required) {
        hbm::block_index first = hbm::no_block;
        for (hbm::block_index block = map.first(); block != hbm::no_block; block = map.next(block)) {
            if (!map.is_hole(block) || !required.admits(map.range(block))) continue;
            if (map.size(block) == required.length) return block;
            if (first == hbm::no_block) first = block;
        }
        return first;
    }
    friend constexpr bool operator==(const exact_or_first_hole&, const exact_or_first_hole&) = default;
};

template <class Quanta>
struct exact_or_first : hbm::fit<exact_or_first_hole<Quanta>> {
    using hbm::fit<exact_or_first_hole<Quanta>>::fit;
    static constexpr hbm::fixed_string name{"exact_or_first"};
    friend constexpr bool operator==(const exact_or_first&, const exact_or_first&) = default;
};

using own_fit = exact_or_first<std::uint64_t>;  // 32 bits suffice for capacities of up to 2^32 - 1 quanta

int main(int argc, char** argv) {
    const std::array own{
        hbm::compare::entry<hbm::manager<own_fit>>(),
        hbm::compare::entry<hbm::manager<hbm::compacting<own_fit>, hbm::evict_lru, hbm::donate_same_size>>(),
    };
    if (argc > 1) return hbm::compare::compare_main(argc, argv, own);

    // The options are those of hbm_compare; these are an example.
    std::vector<const char*> usual{argv[0],
                                   "--workload",
                                   "slow_leak:steps=200",
                                   "--workload",
                                   "transformer_training:steps=12",
                                   "--manager",
                                   "*_fit",
                                   "--manager",
                                   "exact*",
                                   "--manager",
                                   "compacting<*>/evict_lru/donate_same_size"};
    return hbm::compare::compare_main(static_cast<int>(usual.size()), const_cast<char**>(usual.data()), own);
}
