// A placement of your own in twenty lines: it only chooses the hole; the library does the rest.
#include <hbm/hbm.hpp>

#include <cstdio>

// Worst fit: always the largest hole. It has no index and examines all blocks.
struct worst_hole {
    using quanta = std::uint32_t;

    static hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>& required) {
        hbm::block_index worst = hbm::no_block;
        for (hbm::block_index block = map.first(); block != hbm::no_block; block = map.next(block)) {
            if (!map.is_hole(block) || !required.admits(map.range(block))) continue;
            if (worst == hbm::no_block || map.size(block) > map.size(worst)) worst = block;
        }
        return worst;
    }
};

struct worst_fit : hbm::fit<worst_hole> {
    using hbm::fit<worst_hole>::fit;
    static constexpr hbm::fixed_string name{"worst_fit"};
};
static_assert(hbm::check_placement<worst_fit>());

// It works with all adaptors and policies.
using my_memory = hbm::manager<hbm::compacting<worst_fit>, hbm::evict_lru>;

int main() {
    const hbm::memory_spec spec{.name = "small", .capacity = 64 * 512};
    my_memory mine{spec};
    hbm::manager<hbm::best_fit> best{spec};

    // A hole of 8 quanta, a hole of 55: which of them does each policy take for a request of 8?
    const auto play = [](auto& memory) {
        const auto first = memory.allocate(8 * 512);
        const auto between = memory.allocate(512);
        if (!first || !between) return ~std::uint64_t{0};
        memory.free(*first);
        const auto third = memory.allocate(8 * 512);
        return third ? memory.where(*third).offset : ~std::uint64_t{0};
    };
    const std::uint64_t mine_at = play(mine);
    const std::uint64_t best_at = play(best);
    std::printf("%s puts it at %llu, best_fit at %llu\n", my_memory::name.c_str(),
                static_cast<unsigned long long>(mine_at), static_cast<unsigned long long>(best_at));
    return mine_at == 9 * 512 && best_at == 0 ? 0 : 1;
}
