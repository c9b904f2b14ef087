#pragma once

/// Real bytes whose copies are made as late as can be: when the manager asks whether they arrived; or as early.

#include <hbm/device/copies_later.hpp>
#include <hbm/device/host_device.hpp>
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test {

/// A copy that fails leaves anything at its target. `mistakes` counts calls that break the contract.
class late_device : public host_device {
public:
    static constexpr fixed_string name{"late_device"};
    static constexpr stream copies_on{1};
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t until_failure = never;  ///< copies that arrive before one fails
    std::uint64_t until_refusal = never;  ///< copies that begin before one does not
    bool early = false;                   ///< copies are made when they begin
    std::uint64_t mistakes = 0, begun = 0;

    late_device() = default;
    explicit late_device(std::uint64_t capacity) : host_device(capacity) {}

    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, fence over) {
        if (over <= asked_ || bytes == 0 || (to < from ? to + bytes > from : from + bytes > to)) ++mistakes;
        if (until_refusal != never && until_refusal-- == 0) return false;
        ++begun;
        copies_.push_back({to, from, bytes, over});
        if (early) make(copies_.back());
        return true;
    }
    bool copied(fence over) {
        if (over <= asked_) ++mistakes;
        asked_ = over;
        bool good = true;
        std::size_t count = 0;
        for (; count < copies_.size() && copies_[count].over <= over; ++count) {
            if (copies_[count].over < over) ++mistakes;  // nobody asked
            if (!early) make(copies_[count]);
            good &= copies_[count].good;
        }
        if (count == 0) ++mistakes;
        copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(count));
        return good;
    }
    friend bool operator==(const late_device& a, const late_device& b) {
        return static_cast<const host_device&>(a) == static_cast<const host_device&>(b);
    }

private:
    struct begun_copy {
        std::uint64_t to = 0, from = 0, bytes = 0;
        fence over;
        bool good = true;
    };
    void make(begun_copy& copy) {
        copy.good = until_failure == never || until_failure-- != 0;
        if (!copy.good) until_failure = never;
        if (copy.good)
            host_device::copy(copy.to, copy.from, copy.bytes);
        else
            for (std::byte& garbled : this->bytes(copy.to, copy.bytes))
                garbled = static_cast<std::byte>(garbage_.next());
    }

    std::vector<begun_copy> copies_;
    fence asked_;
    testing::random_numbers garbage_{7};
};
static_assert(copying_device<late_device> && device<copies_later<late_device>>);

}  // namespace hbm::test
