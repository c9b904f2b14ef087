#pragma once

/// Packs blocks with known sizes and lifetimes into a capacity, or into the least memory.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/greedy.hpp>
#include <hbm/pack/near_optimal.hpp>
#include <hbm/pack/packing_search.hpp>
#include <hbm/pack/search_problem.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0::pack {

/// Returns a lower bound of the memory of any packing: the peak of live bytes, or the end of a block with a given
/// offset if that is higher. Saturates at 64 bits.
/// Cost: O(n log n).
[[nodiscard]] constexpr std::uint64_t lower_bound(std::span<const block> blocks) {
    std::uint64_t bound = 0;
    for (const std::uint64_t live : detail::live_bytes(blocks, detail::sections_of(blocks)))
        if (live > bound) bound = live;
    for (const block& item : blocks) {
        if (!detail::takes_room(item) || item.offset == anywhere) continue;
        if (item.bytes > ~std::uint64_t{0} - item.offset) return ~std::uint64_t{0};
        if (item.offset + item.bytes > bound) bound = item.offset + item.bytes;
    }
    return bound;
}

/// Limits of the effort.
struct effort {
    std::uint64_t max_steps = 10'000'000;  ///< total states that the exact search visits at most
    std::uint64_t max_looks =
        400'000'000;           ///< placed blocks that the near-optimal method visits at most, about 10 ns each
    std::uint64_t enough = 0;  ///< a packing that ends here need not be improved
    interruption early = {};   ///< ends the search with its best result
};

namespace detail {

/// Up to this many blocks, the exact search runs without the local search.
inline constexpr std::size_t max_exact_alone = 64;

/// Returns the best packing of the greedy rules and the local search. From 2,000 blocks on, within 1/640 of `target`
/// suffices, unless `is_limit`: then only `target` is useful.
[[nodiscard]] constexpr packing without_exact(std::span<const block> blocks, std::uint64_t target, bool is_limit,
                                              const effort& limits) {
    const sections cut = sections_of(blocks);
    std::uint64_t looks = 0;
    packing best = best_greedy(blocks, cut, target, looks);
    if (best.offsets.empty() || best.bytes <= target || blocks.size() <= max_exact_alone) return best;
    // If the exact search follows, the time is better spent there.
    const std::uint64_t searched = std::uint64_t{blocks.size()} << 14U;
    std::uint64_t left = limits.max_looks;
    if (blocks.size() <= max_search_blocks && searched < left) left = searched;
    const std::uint64_t slack = is_limit || blocks.size() < 2000 ? 0 : target / 640;
    return pack_near_optimally(blocks, cut, best, target, target + slack, left, limits.early);
}

/// The outcome of a search for a packing in a capacity.
struct packing_trial {
    search_end end = search_end::out_of_steps;
    packing result;
};

/// Runs all orders round robin, doubling the steps each round, so that a lucky order wins early.
[[nodiscard]] constexpr packing_trial search_in_turn(std::span<const block> blocks, const search_problem& problem,
                                                     std::uint64_t capacity, std::uint64_t& steps_left,
                                                     interruption early) {
    // An order that is lucky needs few steps, one that is not may need all there are. Giving each the same few, then
    // twice as many, costs at most a small multiple of the luckiest. Each search begins anew; as steps double, those
    // that are repeated are no more than the last ones.
    const std::uint64_t units = capacity / problem.unit;
    const auto small = static_cast<std::uint32_t>(units < max_search_units ? units : max_search_units);
    packing_trial trial;
    for (std::uint64_t steps = problem.blocks.size() * 2; steps_left != 0; steps *= 2) {
        for (const block_order& order : search_orders) {
            if (early.is_wished()) return trial;
            packing_search search(problem, small, order, early);
            trial.end = search.run(steps < steps_left ? steps : steps_left);
            steps_left -= search.steps();
            if (trial.end == search_end::out_of_steps) continue;
            if (trial.end == search_end::impossible) return trial;
            trial.result.offsets.resize(blocks.size(), 0);
            for (std::size_t at = 0; at < problem.blocks.size(); ++at) {
                const search_block& placed = problem.blocks[at];
                const std::uint64_t offset = std::uint64_t{search.offsets()[at]} * problem.unit;
                trial.result.offsets[placed.which] = offset;
                if (offset + blocks[placed.which].bytes > trial.result.bytes)
                    trial.result.bytes = offset + blocks[placed.which].bytes;
            }
            return trial;
        }
    }
    return trial;
}

}  // namespace detail

/// Returns a packing into the least memory found, and a lower bound; it is optimal if both are equal. Returns no
/// packing if blocks with given offsets overlap or end beyond 2^64. More than `max_search_blocks` blocks, or 2^29 units
/// of the greatest common divisor of their sizes, are packed without the exact search. Deterministic.
/// Requires: at most 2^31 blocks.
[[nodiscard]] constexpr packing pack_into_least(std::span<const block> blocks, const effort& limits = {}) {
    // The lower bound and the best packing close in on each other. A packing that is found lowers the one; a proof that
    // none exists raises the other by a unit at least. The first trial is at the bound itself.
    std::uint64_t bound = lower_bound(blocks);
    const std::uint64_t target = bound < limits.enough ? limits.enough : bound;
    packing best = detail::without_exact(blocks, target, false, limits);
    best.lower_bound = bound;
    std::uint64_t left = limits.max_steps;
    if (!best.offsets.empty() && best.bytes > target) {
        if (const std::optional<detail::search_problem> problem = detail::search_problem_of(blocks, best.bytes)) {
            // The bound first, because most problems reach it; then bisection.
            std::uint64_t capacity = target;
            while (bound < best.bytes && target < best.bytes && left != 0) {
                const detail::packing_trial trial =
                    detail::search_in_turn(blocks, *problem, capacity, left, limits.early);
                if (trial.end == detail::search_end::out_of_steps) break;
                if (trial.end == detail::search_end::found) {
                    best.offsets = trial.result.offsets;
                    best.bytes = trial.result.bytes;
                } else {
                    // The end of a block is a multiple of the unit, with or without given offsets.
                    bound = (capacity / problem->unit + 1) * problem->unit;
                }
                capacity = bound + (best.bytes - bound) / problem->unit / 2 * problem->unit;
            }
        }
    }
    best.lower_bound = bound;
    best.steps = limits.max_steps - left;
    return best;
}

/// Returns a packing into `capacity` bytes. If there is none (`is_found` is false), a lower bound above the capacity
/// proves that none exists. Otherwise the steps did not suffice, or the problem is too large.
[[nodiscard]] constexpr packing pack_within(std::span<const block> blocks, std::uint64_t capacity,
                                            const effort& limits = {}) {
    packing none;
    none.lower_bound = lower_bound(blocks);
    if (none.lower_bound > capacity) return none;
    packing best = detail::without_exact(blocks, capacity, true, limits);
    best.lower_bound = none.lower_bound;
    if (best.is_found() && best.bytes <= capacity) return best;
    std::uint64_t left = limits.max_steps;
    if (const std::optional<detail::search_problem> problem = detail::search_problem_of(blocks, capacity)) {
        detail::packing_trial trial = detail::search_in_turn(blocks, *problem, capacity, left, limits.early);
        if (trial.end == detail::search_end::impossible)
            none.lower_bound = (capacity / problem->unit + 1) * problem->unit;
        if (trial.end == detail::search_end::found) {
            trial.result.lower_bound = none.lower_bound;
            trial.result.steps = limits.max_steps - left;
            return trial.result;
        }
    }
    none.steps = limits.max_steps - left;
    return none;
}

}  // namespace hbm::inline v0::pack
