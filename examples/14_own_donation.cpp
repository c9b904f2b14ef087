// A donation policy of your own: an output takes over a larger donor only if little of it is left over.
#include <hbm/hbm.hpp>

#include <cstdio>

// 1. A regular value with a name and `choose`. Sizes are in quanta; 0 stands for a donor that is taken or pinned.
struct donate_close {
    static constexpr hbm::fixed_string name{"donate_close"};

    constexpr std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size) const {
        for (std::size_t at = 0; at < offered.size(); ++at)
            if (offered[at] >= size && offered[at] - size <= size / 4) return at;
        return hbm::no_donor;
    }
    friend bool operator==(const donate_close&, const donate_close&) = default;
};
// 2. The check says in words what is missing or near but not right.
static_assert(hbm::check_donation<donate_close>());

int main() {  // 3. The third policy of a manager. 4. Compare it with the shipped ones: example 06.
    hbm::manager<hbm::best_fit, hbm::never_evict, donate_close> memory{{.name = "small", .capacity = 64 * 512}};
    const auto large = memory.allocate(20 * 512), close = memory.allocate(9 * 512);
    const auto step = memory.load({.name = "step", .code = 512});
    if (!large || !close || !step) return 1;
    const auto donors = memory.donors_of({.donated = {*large, *close}, .outputs = {8 * 512}});
    std::printf("the output takes over donor %u\n", donors[0]);
    const auto ran = memory.run(*step, {.donated = {*large, *close}, .outputs = {8 * 512}});
    return ran && donors[0] == 1 && memory.done_so_far().donations_taken == 1 ? 0 : 1;
}
