// compiles
#include <hbm/eviction/evict_window.hpp>
#include <hbm/eviction/scores.hpp>

struct my_score {
    static constexpr hbm::fixed_string name{"my_score"};

    std::uint64_t score(const hbm::program_record& record, std::uint64_t) const { return record.code; }
    friend bool operator==(const my_score&, const my_score&) = default;
};

static_assert(hbm::check_score<my_score>());
static_assert(hbm::check_eviction<hbm::evict_window<hbm::product<my_score, hbm::expected_reload>>>());
