// expect: choose is near but not right: std::size_t choose(std::span<const std::uint64_t> offered, std::uint64_t size)
// const
#include <hbm/donation/donation.hpp>

struct donate_mine {
    static constexpr hbm::fixed_string name{"donate_mine"};

    std::size_t choose(std::span<const std::uint64_t>, std::uint64_t) { return hbm::no_donor; }
    friend bool operator==(const donate_mine&, const donate_mine&) = default;
};

static_assert(hbm::check_donation<donate_mine>());
