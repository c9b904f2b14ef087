#include "micro/worst.hpp"

#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/testing/random.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

namespace hbm::micro {

namespace {

/// Order of the frees, by address.
enum class order : std::uint8_t { shuffled, rising, falling, from_both_ends };

/// Sizes of the blocks that are freed, and the order of the frees. A block of one quantum stays above each.
struct pattern {
    const char* name;
    std::uint64_t smallest;
    std::uint64_t sizes;  // sizes in use, from the smallest on
    order frees = order::shuffled;
    std::uint64_t step = 1;  // difference of neighbouring sizes
    bool has_giant = false;  // another hole as long as all of them together

    [[nodiscard]] std::uint64_t longest() const { return smallest + (sizes - 1) * step; }
    /// Returns the size of block number `at`: each size in turn if frees come from both ends, else one by chance.
    [[nodiscard]] std::uint64_t size_of(std::uint64_t at, testing::random_numbers& draw) const {
        return smallest + step * (frees == order::from_both_ends ? at % sizes : draw.below(sizes));
    }
};
constexpr pattern patterns[]{{"equal sizes", 64, 1},
                             {"equal sizes, sorted frees", 64, 1, order::rising},
                             {"long blocks, from the top", 4096, 1, order::falling},
                             {"two sizes", 64, 2},
                             {"sizes of one class", 2048, 64},
                             {"many sizes", 64, 1000},
                             {"alternating", 64, 2, order::from_both_ends, 960},
                             {"one giant", 64, 1000, order::shuffled, 1, true}};

/// Puts blocks in order of address into the order of their frees.
void arrange(std::vector<buffer>& held, order frees, testing::random_numbers& draw) {
    if (frees == order::falling) std::reverse(held.begin(), held.end());
    if (frees == order::shuffled)
        for (std::uint64_t at = held.size(); at > 1; --at) std::swap(held[at - 1], held[draw.below(at)]);
    if (frees != order::from_both_ends) return;
    const std::vector<buffer> rising = held;
    for (std::size_t at = 0; at < held.size(); ++at) held[at] = rising[at % 2 == 0 ? at / 2 : held.size() - 1 - at / 2];
}

/// Processor time of calls, one by one, so that an interrupt does not count. Each includes two looks at the clock.
class stopwatch {
public:
    template <class Call>
    void time(Call call) {
        const double begin = now();
        call();
        nanoseconds_.push_back(static_cast<float>(now() - begin));
    }
    void print(const char* placement, const char* shape, std::uint64_t blocks, const char* call) {
        std::sort(nanoseconds_.begin(), nanoseconds_.end());
        const auto at = [&](double part) {
            return static_cast<double>(
                nanoseconds_[static_cast<std::size_t>(part * static_cast<double>(nanoseconds_.size() - 1))]);
        };
        std::printf("%-14s %-26s %8llu  %-18s %9.0f %9.0f %10.0f\n", placement, shape,
                    static_cast<unsigned long long>(blocks), call, at(0.5), at(0.9999), at(1));
        std::fflush(stdout);
    }

private:
    [[nodiscard]] static double now() {
        timespec read{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &read);
        return static_cast<double>(read.tv_sec) * 1e9 + static_cast<double>(read.tv_nsec);
    }

    std::vector<float> nanoseconds_;
};

template <class Placement>
void report(const pattern& shape, std::uint64_t blocks) {
    using memory_type = manager<Placement>;
    const std::uint64_t capacity = blocks * (shape.longest() + 1) * (shape.has_giant ? 3 : 2);
    if (capacity > memory_type::unlimited(1).capacity) return;
    memory_type memory({.capacity = capacity, .quantum = 1});
    memory.reserve_metadata(2 * blocks);
    testing::random_numbers draw(7);
    std::vector<buffer> held;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        held.push_back(*memory.allocate(shape.size_of(at, draw)));
        static_cast<void>(memory.allocate(std::uint64_t{1}));
    }
    if (shape.has_giant) {
        const buffer giant = *memory.allocate(blocks * shape.longest());
        static_cast<void>(memory.allocate(std::uint64_t{1}));
        memory.free(giant);
    }
    arrange(held, shape.frees, draw);

    const char* const name = Placement::name.c_str();
    stopwatch frees;
    for (const buffer freed : held) frees.time([&] { memory.free(freed); });
    frees.print(name, shape.name, blocks, "free");

    const program step = *memory.load({.name = "step", .code = 1});
    stopwatch runs;
    for (int run = 0; run < 100; ++run) {
        run_result result;
        runs.time([&] { static_cast<void>(memory.run(step, {.outputs = {shape.smallest, shape.smallest}}, result)); });
        for (const buffer output : result.outputs) memory.free(output);
    }
    runs.print(name, shape.name, blocks, "run of 2 outputs");

    stopwatch aligned;
    for (int request = 0; request < 20; ++request)
        aligned.time([&] { static_cast<void>(memory.allocate({.bytes = shape.smallest, .alignment = 4096})); });
    aligned.print(name, shape.name, blocks, "aligned allocate");

    // Before the holes are filled, so that each request passes them all.
    stopwatch longer;
    for (std::uint64_t at = 0; at < blocks / 10; ++at)
        longer.time([&] { static_cast<void>(memory.allocate(shape.longest() + 1)); });
    longer.print(name, shape.name, blocks, "longer than all");

    stopwatch allocations;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        const std::uint64_t bytes = shape.size_of(at, draw);
        allocations.time([&] { static_cast<void>(memory.allocate(bytes)); });
    }
    allocations.print(name, shape.name, blocks, "allocate");
}

}  // namespace

void report_worst(bool full) {
    std::printf("%-14s %-26s %8s  %-18s %9s %9s %10s\n", "placement", "pattern", "blocks", "call", "p50 ns", "p99.99",
                "worst");
    for (const pattern& shape : patterns) {
        for (std::uint64_t blocks = 1000; blocks <= (full ? 1'000'000u : 100'000u); blocks *= 10) {
            report<best_fit>(shape, blocks);
            report<best_fit_lifo>(shape, blocks);
            report<good_fit>(shape, blocks);
            report<first_fit>(shape, blocks);
            report<basic_buddy<std::uint64_t>>(shape, blocks);
            report<basic_bfc<std::uint64_t>>(shape, blocks);
        }
    }
    std::printf("\n");
}

}  // namespace hbm::micro
