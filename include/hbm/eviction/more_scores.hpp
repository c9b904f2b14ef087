#pragma once

/// Less usual scores: the number of uses; and those that adjust another by the size of the program, by the ticks since
/// its use, or by what was evicted before. `evict_greedy_dual` is made of them.

#include <hbm/eviction/policies.hpp>

namespace hbm::inline v0 {

/// The number of uses since the program was first loaded, including those before evictions.
struct frequency {
    static constexpr fixed_string name{"frequency"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.uses;
    }

    friend constexpr bool operator==(const frequency&, const frequency&) = default;
};

static_assert(score<frequency>);

/// A score divided by the bytes of code and constants, with 16 fractional bits. For `evict_in_order`: windows sum
/// scores, which should not be divided by the size.
template <score Whole>
struct per_byte : Whole {
    static constexpr auto name = fixed_string{"per_byte<"} + Whole::name + fixed_string{">"};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        // The quotient with 16 bits behind the point, without 128-bit numbers: the whole part is shifted, the remainder
        // is divided after it was shifted, or, if it is too large for that, by a size that was shifted down.
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
        // Ageing without touching all programs: instead of lowering the credit of all when one leaves, the level rises,
        // and only programs that are used again get it.
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

/// GreedyDual-Size with frequency (Cao and Irani, 1997; Cherkasova, 1998). The credit of a program is the highest
/// credit of any victim so far plus uses x reload cost / size, in 1/65,536 nanoseconds per byte. The lowest credit is
/// evicted first, program by program.
struct evict_greedy_dual : evict_in_order<greedy_dual<per_byte<product<frequency, reload_cost>>>> {
    static constexpr fixed_string name{"evict_greedy_dual"};
};

static_assert(eviction<evict_greedy_dual>);

}  // namespace hbm::inline v0
