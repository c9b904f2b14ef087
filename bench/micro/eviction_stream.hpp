#pragma once

/// A stream of runs of programs that do not all fit into memory, and what the best eviction could cost. Generated with
/// integer arithmetic only.

#include <hbm/core/program_record.hpp>
#include <hbm/testing/random.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "micro/workloads.hpp"

namespace hbm::micro {

/// Numbers with 31 fractional bits.
namespace fixed_point {

inline constexpr std::uint64_t unit = std::uint64_t{1} << 31U;

/// The root of a whole number, rounded down.
constexpr std::uint64_t square_root(std::uint64_t number) {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31U; bit != 0; bit >>= 1U)
        if ((root | bit) * (root | bit) <= number) root |= bit;
    return root;
}
/// Two to the power of a number below 32.
constexpr std::uint64_t power_of_two(std::uint64_t exponent) {
    std::uint64_t power = unit;
    std::uint64_t factor = 2 * unit - 1;
    for (std::uint64_t bit = unit >> 1U; bit != 0; bit >>= 1U) {
        factor = square_root(factor << 31U);
        if ((exponent & bit) != 0) power = power * factor >> 31U;
    }
    return power << (exponent >> 31U);
}
/// The logarithm to the base two of a whole number from 1 to 2^31.
constexpr std::uint64_t logarithm(std::uint64_t number) {
    const auto whole = static_cast<unsigned>(std::bit_width(number)) - 1;
    std::uint64_t found = whole;
    std::uint64_t left = number << (31 - whole);
    for (int bit = 0; bit < 31; ++bit) {
        left = left * left >> 31U;
        const std::uint64_t set = left >> 32U;
        left >>= set;
        found = found << 1U | set;
    }
    return found;
}

}  // namespace fixed_point

/// Programs and the order in which they run.
struct eviction_stream {
    struct piece {
        std::uint64_t bytes = 0;
        std::uint64_t nanoseconds = 0;  // of loading it
    };
    std::vector<piece> programs;
    std::vector<std::uint32_t> requests;

    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const piece& program : programs) sum += program.bytes;
        return sum;
    }
};

/// 120 programs of 8 to 512 MiB, log-uniformly distributed. Loading a program takes 5 ms plus 0.02 to 0.5 ms per MiB,
/// distributed likewise. 36,000 requests; the probability of the program of rank k is proportional to k^-0.8. After
/// every 6,000 requests `swaps` pairs of programs exchange their ranks.
inline eviction_stream make_eviction_stream(std::uint64_t seed, std::uint32_t swaps) {
    constexpr std::uint32_t programs = 120;
    constexpr std::uint32_t phases = 6;
    constexpr std::uint32_t requests_a_phase = 6000;
    testing::random_numbers draw(seed);
    eviction_stream made;
    const auto fraction = [&] { return draw.next() >> 33U; };  // 31 bits
    for (std::uint32_t at = 0; at < programs; ++at) {
        const std::uint64_t sizes = 6;  // doublings from 8 to 512 MiB
        const std::uint64_t quanta = fixed_point::power_of_two(fraction() * sizes) * (8 * mebibyte / quantum) >> 31U;
        const std::uint64_t rates = fixed_point::logarithm(25);  // from 0.02 to 0.5 ms
        const std::uint64_t rate = 20'000 * fixed_point::power_of_two(fraction() * (rates >> 16U) >> 15U) >> 31U;
        made.programs.push_back({quanta * quantum, 5'000'000 + rate * (quanta * quantum >> 10U) / 1024});
    }
    std::vector<std::uint32_t> by_rank(programs);
    std::iota(by_rank.begin(), by_rank.end(), 0U);
    for (std::uint32_t at = programs; at-- > 1;) std::swap(by_rank[at], by_rank[draw.up_to(at)]);
    std::vector<std::uint64_t> weights;  // of all ranks up to each
    std::uint64_t sum = 0;
    for (std::uint64_t rank = 1; rank <= programs; ++rank) {
        sum += (std::uint64_t{1} << 62U) / fixed_point::power_of_two(fixed_point::logarithm(rank) * 4 / 5);
        weights.push_back(sum);
    }
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
        for (std::uint32_t at = 0; at < requests_a_phase; ++at) {
            const auto rank = std::upper_bound(weights.begin(), weights.end(), draw.below(sum)) - weights.begin();
            made.requests.push_back(by_rank[static_cast<std::size_t>(rank)]);
        }
        for (std::uint32_t swap = 0; swap < swaps; ++swap) {
            const std::uint64_t first = draw.below(programs);
            std::swap(by_rank[first], by_rank[draw.below(programs)]);
        }
    }
    return made;
}

/// What loading costs over a stream, first loads included, and how well memory is used.
struct eviction_figures {
    std::uint64_t nanoseconds = 0;    ///< of loading and reloading
    std::uint64_t evicted_bytes = 0;  ///< total
    std::uint64_t missing_bytes = 0;  ///< by how much requests exceeded the free bytes, total
};

/// Replays a stream in a memory in which a program need not be contiguous. `judge` decides what to evict: the program
/// with the lowest `worth(which)` is evicted first, and `used(which)` and `evicted(which)` report what happened.
/// Victims that were not needed stay.
template <class Judge>
eviction_figures without_contiguity(const eviction_stream& stream, std::uint64_t capacity, Judge judge) {
    eviction_figures found;
    std::vector<bool> resident(stream.programs.size(), false);
    std::uint64_t free = capacity;
    for (const std::uint32_t number : stream.requests) {
        const std::uint64_t bytes = stream.programs[number].bytes;
        if (!resident[number]) {
            found.nanoseconds += stream.programs[number].nanoseconds;
            if (bytes > free) found.missing_bytes += bytes - free;
            std::vector<std::uint32_t> victims;
            std::uint64_t freed = free;
            while (freed < bytes) {
                std::size_t next = resident.size();
                for (std::size_t at = 0; at < resident.size(); ++at) {
                    if (!resident[at]) continue;
                    if (next == resident.size() || judge.worth(at) < judge.worth(next)) next = at;
                }
                resident[next] = false;
                freed += stream.programs[next].bytes;
                victims.push_back(static_cast<std::uint32_t>(next));
            }
            while (!victims.empty()) {
                const std::uint32_t victim = victims.back();
                victims.pop_back();
                if (freed - stream.programs[victim].bytes >= bytes) {
                    resident[victim] = true;
                    freed -= stream.programs[victim].bytes;
                } else {
                    found.evicted_bytes += stream.programs[victim].bytes;
                    judge.evicted(victim);
                }
            }
            free = freed - bytes;
            resident[number] = true;
        }
        judge.used(number);
    }
    return found;
}

/// Decides as an eviction policy of the library.
template <class Eviction>
class judged_by_policy {
public:
    explicit judged_by_policy(const eviction_stream& stream) {
        for (const eviction_stream::piece& program : stream.programs)
            records_.push_back({.code = program.bytes, .reload_nanoseconds = program.nanoseconds});
    }
    [[nodiscard]] std::uint64_t worth(std::size_t which) const { return policy_.score(records_[which], clock_); }
    void used(std::size_t which) {
        program_record& record = records_[which];
        ++clock_;
        ++record.uses;
        if constexpr (gives_credit<Eviction>) record.credit = policy_.credit(record, clock_);
        record.last_use = clock_;
    }
    void evicted(std::size_t which) {
        if constexpr (learns_from_evictions<Eviction>) policy_.evicted(records_[which]);
    }

private:
    Eviction policy_;
    std::vector<program_record> records_;
    std::uint64_t clock_ = 0;
};

/// Decides with knowledge of the future: the reload cost of a program divided by its bytes and by the number of
/// requests until its next use.
class judged_by_future {
public:
    explicit judged_by_future(const eviction_stream& stream)
        : stream_(stream), uses_(stream.programs.size()), next_(stream.programs.size(), 0) {
        for (std::uint64_t at = 0; at < stream.requests.size(); ++at) uses_[stream.requests[at]].push_back(at);
    }
    [[nodiscard]] std::uint64_t worth(std::size_t which) const {
        if (next_[which] == uses_[which].size()) return 0;
        const eviction_stream::piece& candidate = stream_.programs[which];
        return (candidate.nanoseconds << 24U) / (candidate.bytes / quantum) / (uses_[which][next_[which]] - now_);
    }
    void used(std::size_t which) {
        ++next_[which];
        ++now_;
    }
    void evicted(std::size_t /*which*/) {}

private:
    const eviction_stream& stream_;
    std::vector<std::vector<std::uint64_t>> uses_;  // for each program the positions of its uses in the stream
    std::vector<std::size_t> next_;                 // for each program the index of its next use
    std::uint64_t now_ = 0;
};

}  // namespace hbm::micro
