// expect: an eviction policy scores programs: std::uint64_t score(const hbm::program_record&, std::uint64_t now) const,
// the lowest goes first
#include <hbm/eviction/eviction.hpp>

struct evict_mine {
    static constexpr hbm::fixed_string name{"evict_mine"};
    static constexpr hbm::victims choice = hbm::victims::one_at_a_time;

    friend bool operator==(const evict_mine&, const evict_mine&) = default;
};

static_assert(hbm::check_eviction<evict_mine>());
