#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// Hash table of donors by size, in argument order: finds the donor that `donate_same_size` would choose among
/// thousands without a scan. Keeps its memory between runs.
class donors_by_size {
public:
    /// Reserves host memory for `donors` donors.
    constexpr void reserve(std::size_t donors) {
        first_.reserve(std::bit_ceil(donors + 1));
        next_.reserve(donors);
    }
    /// Inserts the donors, whose sizes are `offered`.
    /// Cost: O(donors).
    [[gnu::noinline]] constexpr void list(std::span<const std::uint64_t> offered) {
        const std::size_t hashes = std::bit_ceil(offered.size() + 1);
        first_.resize_for_overwrite(hashes);
        next_.resize_for_overwrite(offered.size());
        std::uint32_t* const firsts = first_.data();
        std::uint32_t* const nexts = next_.data();
        for (std::size_t at = 0; at < hashes; ++at) firsts[at] = no_index;
        for (std::size_t at = offered.size(); at-- > 0;) {
            std::uint32_t& first = firsts[hash(offered[at]) & (hashes - 1)];
            nexts[at] = first;
            first = static_cast<std::uint32_t>(at);
        }
    }
    /// Removes and returns the first donor of `size`, not 0, or `no_index`. Skips donors with another size in
    /// `offered`.
    /// Cost: O(1) on average.
    [[nodiscard]] constexpr std::uint32_t take(std::span<const std::uint64_t> offered, std::uint64_t size) noexcept {
        std::uint32_t* link = &first_[hash(size) & (first_.size() - 1)];
        while (*link != no_index && offered[*link] != size) link = &next_[*link];
        const std::uint32_t donor = *link;
        if (donor != no_index) *link = next_[donor];
        return donor;
    }

private:
    [[nodiscard]] static constexpr std::size_t hash(std::uint64_t size) noexcept {
        return static_cast<std::size_t>(size * 0x9e3779b97f4a7c15u >> 32);
    }

    trivial_vector<std::uint32_t> first_;  // first donor of each hash
    trivial_vector<std::uint32_t> next_;   // next donor with the same hash
};

}  // namespace hbm::inline v0
