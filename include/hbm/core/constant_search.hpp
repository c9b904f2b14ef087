#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm::inline v0::detail {

/// The result of a search without a good number.
inline constexpr std::uint64_t no_good_number = ~std::uint64_t{0};

/// Searches for a number for which `Trial::good` is true, and false a `Step` below: tries `Least`, then doubles and
/// bisects. The result is `no_good_number` if none is found. Each trial is a constant expression of its own, because
/// compilers limit the steps of a single one.
/// Cost: at most 128 trials.
template <class Trial, std::uint64_t Least, std::uint64_t Step>
struct constant_search {
    static consteval std::uint64_t found() {
        if constexpr (Trial::template good<Least>)
            return Least;
        else
            return above<Least>();
    }

private:
    template <std::uint64_t Bad>
    static consteval std::uint64_t above() {
        // Doubles until a number is good or the next would wrap around. The last bad one bounds the bisection from
        // below.
        constexpr std::uint64_t more = Bad < Step ? Step : Bad * 2;
        if constexpr (more <= Bad)
            return no_good_number;
        else if constexpr (Trial::template good<more>)
            return between<Bad, more>();
        else
            return above<more>();
    }
    template <std::uint64_t Bad, std::uint64_t Good>
    static consteval std::uint64_t between() {
        if constexpr (Good - Bad <= Step) {
            return Good;
        } else {
            // The middle is rounded down to whole steps above `Bad`, so that trials are made for numbers that callers
            // can ask for.
            constexpr std::uint64_t middle = Bad + (Good - Bad) / Step / 2 * Step;
            if constexpr (middle == Bad)
                return Good;
            else if constexpr (Trial::template good<middle>)
                return between<Bad, middle>();
            else
                return between<middle, Good>();
        }
    }
};

}  // namespace hbm::inline v0::detail
