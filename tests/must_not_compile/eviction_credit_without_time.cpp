// expect: credit knows the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const
#include <hbm/eviction/eviction.hpp>

struct evict_mine {
    static constexpr hbm::fixed_string name{"evict_mine"};
    static constexpr hbm::victims choice = hbm::victims::one_at_a_time;

    std::uint64_t credit(const hbm::program_record& record) const { return record.uses; }
    std::uint64_t score(const hbm::program_record& record, std::uint64_t) const { return record.credit; }
    friend bool operator==(const evict_mine&, const evict_mine&) = default;
};

static_assert(hbm::check_eviction<evict_mine>());
