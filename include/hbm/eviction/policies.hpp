#pragma once

/// The usual scores and the policies that are made of them. A score is the cost of losing a program, see eviction.hpp;
/// the lowest is evicted first. more_scores.hpp has others. Results saturate at 64 bits. All are O(1).

#include <hbm/core/bytes.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/planner.hpp>  // so that only programs that evict compile it

#include <concepts>

namespace hbm::inline v0 {

// -- simple scores ----------------------------------------------------------------------------------------------------

/// The tick of the latest use.
struct recency {
    static constexpr fixed_string name{"recency"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.last_use;
    }

    friend constexpr bool operator==(const recency&, const recency&) = default;
};

/// The number of recent uses: a use counts 65,536, and the count halves every `half_life` ticks, with linear
/// interpolation. Combines recency and frequency, after LRFU (Lee et al., 2001), and keeps the count in the record's
/// credit. A half-life of 0 counts only a use in the latest tick.
struct fading_frequency {
    static constexpr fixed_string name{"fading_frequency"};
    static constexpr std::uint64_t one_use = 1 << 16;

    std::uint64_t half_life = 1024;  ///< in ticks; default: eight uses of each of 128 programs

    [[nodiscard]] constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_add(one_use, score(record, now));
    }
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        const std::uint64_t age = now > record.last_use ? now - record.last_use : 0;
        if (age == 0) return record.credit;
        if (half_life == 0 || age / half_life >= 64) return 0;
        // Whole half-lives are a shift. Within one, the count falls along a straight line from itself to its half,
        // which needs no logarithm and is the same on every machine.
        const std::uint64_t count = record.credit >> age / half_life;
        return count - share(count, age % half_life, half_life) / 2;
    }

    friend constexpr bool operator==(const fading_frequency&, const fading_frequency&) = default;

private:
    /// Returns `count * part / whole`, or up to 2 less.
    /// Requires: `part < whole`.
    static constexpr std::uint64_t share(std::uint64_t count, std::uint64_t part, std::uint64_t whole) noexcept {
        while (whole >> 32 != 0) {  // so that the products fit in 64 bits
            whole >>= 1;
            part >>= 1;
        }
        return count / whole * part + count % whole * part / whole;
    }
};

/// The cost of reloading the program in nanoseconds.
struct reload_cost {
    static constexpr fixed_string name{"reload_cost"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.reload_nanoseconds;
    }

    friend constexpr bool operator==(const reload_cost&, const reload_cost&) = default;
};

static_assert(score<recency> && score<fading_frequency> && score<reload_cost>);

// -- combinations -----------------------------------------------------------------------------------------------------

/// The product of two scores; at most one may use the record's credit.
template <score Left, score Right>
requires(!std::same_as<Left, Right>) struct product : Left, Right {
    static_assert(!gives_credit<Left> || !gives_credit<Right>,
                  "a program's record has one word of credit: only one part of a score may keep one there");
    static_assert(!learns_from_evictions<Left> || !learns_from_evictions<Right>,
                  "only one part of a score may learn from evictions");

    static constexpr auto name =
        fixed_string{"product<"} + Left::name + fixed_string{","} + Right::name + fixed_string{">"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_multiply(Left::score(record, now), Right::score(record, now));
    }

    friend constexpr bool operator==(const product&, const product&) = default;
};

/// The expected reload cost of an eviction: frequency of recent uses times cost of a reload.
using expected_reload = product<fading_frequency, reload_cost>;

// -- policies ---------------------------------------------------------------------------------------------------------

/// Evicts programs in ascending order of their scores until the request fits. Unnecessary victims stay in memory.
template <class Score>
struct evict_in_order : Score {
    static_assert(check_score<Score>());

    static constexpr auto name = fixed_string{"evict_in_order<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::one_at_a_time;
};

/// Evicts the programs of the contiguous window of programs and holes with the lowest sum of scores, and none outside
/// the requested range. Ties go to windows with fewer programs. After Coop (NeurIPS 2023), for tensors.
template <class Score>
struct evict_window : Score {
    static_assert(check_score<Score>());

    static constexpr auto name = fixed_string{"evict_window<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::window;

    /// Returns the score plus 1, so that ties go to fewer programs.
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_add(Score::score(record, now), 1);
    }
};

/// Evicts the least recently used program first, program by program, regardless of size and cost.
struct evict_lru : evict_in_order<recency> {
    static constexpr fixed_string name{"evict_lru"};
};

static_assert(eviction<evict_lru>);

/// Evicts the programs of the contiguous window with the lowest sum of `expected_reload`.
struct evict_cheapest_window : evict_window<expected_reload> {
    static constexpr fixed_string name{"evict_cheapest_window"};
};

static_assert(eviction<evict_cheapest_window>);

}  // namespace hbm::inline v0
