// expect: an eviction policy scores programs: std::uint64_t score(
#include <hbm/eviction/eviction.hpp>

struct evict_mine {
    static constexpr hbm::fixed_string name{"evict_mine"};
    static constexpr hbm::victims choice = hbm::victims::one_at_a_time;

    double score(const hbm::program_record&, std::uint64_t) const { return 0; }
    friend bool operator==(const evict_mine&, const evict_mine&) = default;
};

static_assert(hbm::check_eviction<evict_mine>());
