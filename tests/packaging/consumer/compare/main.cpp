// Somebody else's placement beside the shipped ones: the lowest hole that fits, found by examining all blocks.
#include <hbm/hbm.hpp>

#include <array>
#include <hbm_compare.hpp>

struct lowest_hole {
    using quanta = std::uint32_t;

    static constexpr hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>& required) {
        for (hbm::block_index block = map.first(); block != hbm::no_block; block = map.next(block))
            if (map.is_hole(block) && required.admits(map.range(block))) return block;
        return hbm::no_block;
    }
    friend constexpr bool operator==(const lowest_hole&, const lowest_hole&) = default;
};

struct lowest_fit : hbm::fit<lowest_hole> {
    using hbm::fit<lowest_hole>::fit;
    static constexpr hbm::fixed_string name{"lowest_fit"};
};

int main(int argc, char** argv) {
    const std::array own{hbm::compare::entry<hbm::manager<lowest_fit>>()};
    return hbm::compare::compare_main(argc, argv, own);
}
