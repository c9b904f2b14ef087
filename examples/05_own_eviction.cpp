// An eviction policy of your own: the largest program is evicted first, but programs whose reload costs more than a
// budget come last.
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

struct evict_largest {
    static constexpr hbm::fixed_string name{"evict_largest"};
    static constexpr hbm::victims choice = hbm::victims::one_at_a_time;

    std::uint64_t dear_nanoseconds = 10'000'000;  // parameters of a policy are values, not types

    // Returns the cost of losing the program; the lowest is evicted first.
    constexpr std::uint64_t score(const hbm::program_record& record, std::uint64_t) const {
        const std::uint64_t dear = record.reload_nanoseconds > dear_nanoseconds ? std::uint64_t{1} << 63 : 0;
        return dear + ((std::uint64_t{1} << 62) - (record.code >> 2));
    }
    friend bool operator==(const evict_largest&, const evict_largest&) = default;
};
static_assert(hbm::check_eviction<evict_largest>());

int main() {
    hbm::manager<hbm::best_fit, evict_largest> memory{{.name = "small", .capacity = 8_MiB},
                                                      {.eviction = evict_largest{.dear_nanoseconds = 5'000'000}}};
    const auto small = memory.load({.name = "small", .code = 1_MiB, .reload_us = 100});
    const auto large = memory.load({.name = "large", .code = 3_MiB, .reload_us = 300});
    const auto dear = memory.load({.name = "dear", .code = 4_MiB, .reload_us = 9'000});
    if (!small || !large || !dear) return 1;

    const auto batch = memory.allocate(2_MiB, "batch");  // too little is free: a program must be evicted
    if (!batch) return 1;
    for (const hbm::program_record& record : memory.programs())
        std::printf("%-6s %s\n", memory.name_of(record.label), record.resident ? "in memory" : "evicted");

    // The handle of an evicted program stays valid; running it would load it again.
    const bool as_expected = memory.about(*small).resident && !memory.about(*large).resident &&
                             memory.about(*dear).resident && memory.check(*large) == hbm::error::none;
    return as_expected ? 0 : 1;
}
