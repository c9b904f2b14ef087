// expect: an eviction policy says how victims are picked: static constexpr hbm::victims choice =
// hbm::victims::one_at_a_time;
#include <hbm/eviction/eviction.hpp>

struct evict_mine {
    static constexpr hbm::fixed_string name{"evict_mine"};

    std::uint64_t score(const hbm::program_record& record, std::uint64_t) const { return record.last_use; }
    friend bool operator==(const evict_mine&, const evict_mine&) = default;
};

static_assert(hbm::check_eviction<evict_mine>());
