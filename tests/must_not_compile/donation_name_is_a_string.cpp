// expect: a donation policy has a name: static constexpr hbm::fixed_string name
#include <hbm/hbm.hpp>

#include <string>

struct my_donation {
    static inline const std::string name = "my_donation";

    std::size_t choose(std::span<const std::uint64_t>, std::uint64_t) const { return 0; }
    friend bool operator==(const my_donation&, const my_donation&) = default;
};

hbm::manager<hbm::best_fit, hbm::never_evict, my_donation> memory;
