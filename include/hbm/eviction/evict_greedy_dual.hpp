#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// Size- and cost-aware: GreedyDual-Size with frequency (Cao and Irani, 1997; Cherkasova, 1998). A program's credit is
/// the level of the latest victim plus uses x reload cost / size; the lowest credit goes first, one at a time, so that
/// programs age as others are evicted. In fixed point with 16 fractional bits of nanoseconds a byte.
struct evict_greedy_dual {
    static constexpr fixed_string name{"evict_greedy_dual"};
    static constexpr victims choice = victims::one_at_a_time;

    /// O(1).
    [[nodiscard]] constexpr std::uint64_t credit(const program_record& record) const noexcept {
        const std::uint64_t size = record.code == 0 ? 1 : record.code;
        const std::uint64_t uses = record.uses < most_uses ? record.uses : most_uses;
        const std::uint64_t cost = record.reload_nanoseconds < most_cost ? record.reload_nanoseconds : most_cost;
        const std::uint64_t value = uses * cost / size << 16 | (uses * cost % size << 16) / size;
        return level_ > ~std::uint64_t{0} - value ? ~std::uint64_t{0} : level_ + value;
    }
    /// O(1).
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.credit;
    }
    /// O(1).
    constexpr void evicted(const program_record& record) noexcept {
        if (record.credit > level_) level_ = record.credit;
    }

    friend constexpr bool operator==(const evict_greedy_dual&, const evict_greedy_dual&) = default;

private:
    // Bounds that keep the products inside 64 bits: 256 uses, a reload of 2^39 ns (nine minutes), sizes below 2^48.
    static constexpr std::uint64_t most_uses = 256;
    static constexpr std::uint64_t most_cost = std::uint64_t{1} << 39;

    std::uint64_t level_ = 0;
};

static_assert(eviction<evict_greedy_dual>);

}  // namespace hbm
