#pragma once

/// Scores: the cost of losing a program, see eviction.hpp; the lowest score is evicted first. `product`, `per_byte`,
/// `per_tick` and `greedy_dual` combine scores. Results saturate at 64 bits. All are O(1).

#include <hbm/core/bytes.hpp>
#include <hbm/eviction/eviction.hpp>

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

/// The number of uses since the program was first loaded, including those before evictions.
struct frequency {
    static constexpr fixed_string name{"frequency"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.uses;
    }

    friend constexpr bool operator==(const frequency&, const frequency&) = default;
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
        const std::uint64_t count = record.credit >> age / half_life;
        return count - share(count, age % half_life, half_life) / 2;
    }

    friend constexpr bool operator==(const fading_frequency&, const fading_frequency&) = default;

private:
    /// Returns `count * part / whole`, or up to 2 less.
    /// Requires: `part < whole`.
    static constexpr std::uint64_t share(std::uint64_t count, std::uint64_t part, std::uint64_t whole) noexcept {
        while (whole >> 32 != 0) whole >>= 1, part >>= 1;  // so that the products fit in 64 bits
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

static_assert(score<recency> && score<frequency> && score<fading_frequency> && score<reload_cost>);

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

/// A score divided by the bytes of code and constants, with 16 fractional bits. For `evict_in_order`: windows sum
/// scores, which should not be divided by the size.
template <score Whole>
struct per_byte : Whole {
    static constexpr auto name = fixed_string{"per_byte<"} + Whole::name + fixed_string{">"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        const std::uint64_t size = record.code == 0 ? 1 : record.code;
        const std::uint64_t total = Whole::score(record, now);
        const std::uint64_t rest = total % size;
        const bool fits = rest >> 48 == 0;
        return saturating_add(saturating_multiply(total / size, 1 << 16),
                              fits ? (rest << 16) / size : rest / (size >> 16));
    }
};

/// A score divided by the ticks since the latest use.
template <score Whole>
struct per_tick : Whole {
    static constexpr auto name = fixed_string{"per_tick<"} + Whole::name + fixed_string{">"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return Whole::score(record, now) / (now > record.last_use ? now - record.last_use : 1);
    }
};

/// Score of a program at its latest use, plus the highest such sum among the programs evicted before that use. The sum
/// is stored as `credit` in the program's record. So unused programs age as others are evicted (GreedyDual, Young,
/// 1994).
template <score Whole>
struct greedy_dual : Whole {
    static_assert(!gives_credit<Whole> && !learns_from_evictions<Whole>,
                  "greedy_dual keeps its own credit and learns from evictions: the score inside does neither");

    static constexpr auto name = fixed_string{"greedy_dual<"} + Whole::name + fixed_string{">"};

    [[nodiscard]] constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_add(level_, Whole::score(record, now));
    }
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.credit;
    }
    constexpr void evicted(const program_record& record) noexcept {
        if (record.credit > level_) level_ = record.credit;
    }

    friend constexpr bool operator==(const greedy_dual&, const greedy_dual&) = default;

private:
    std::uint64_t level_ = 0;
};

/// The expected reload cost of an eviction: frequency of recent uses times cost of a reload.
using expected_reload = product<fading_frequency, reload_cost>;

}  // namespace hbm::inline v0
