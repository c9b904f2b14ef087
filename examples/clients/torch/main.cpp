// PyTorch trains and serves small networks, with its own CPU allocator and with managers of hbm. All of them must find
// the same numbers, bit for bit, and all memory must come back. What each of them held, and how fast it was, is
// printed.
//
//     hbm_client_torch [--threads N] [--rounds N]
//
// A round measures each allocator once; the figures are medians over the rounds, of ratios within a round. Threads of
// OpenMP that wait busily disturb each other where the machine has other work: set OMP_WAIT_POLICY=passive.
#include <algorithm>
#include <bit>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "managers.hpp"
#include "self_checks.hpp"
#include "workload.hpp"

namespace {

/// In seconds; those of the processor are of all threads together.
struct cost {
    double wall = 0;
    double user = 0;
    double processor = 0;  // with the system's part, such as new pages
};

double in_seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

cost now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const double user = in_seconds(used.ru_utime);
    return {wall, user, user + in_seconds(used.ru_stime)};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(
        a, b, {}, [](float each) { return std::bit_cast<std::uint32_t>(each); },
        [](float each) { return std::bit_cast<std::uint32_t>(each); });
}

/// Trains and serves with an allocator; says if what it finds is not `expected`, or if memory has not come back.
bool is_right_with(c10::Allocator* allocator, const candidate& of, const std::vector<float>& expected, cost& took) {
    c10::SetCPUAllocator(allocator);
    const cost before = now();
    const std::vector<float> found = train_and_serve();
    const cost after = now();
    took = {after.wall - before.wall, after.user - before.user, after.processor - before.processor};
    const bool same = same_bits(found, expected);
    if (!same) std::printf("%s: the losses are not those of PyTorch's own allocator\n", of.name);
    if (of.held == nullptr) return same;
    const auto [blocks, wrong_frees] = of.held();
    if (blocks != 0) std::printf("%s: %zu blocks were not freed\n", of.name, static_cast<std::size_t>(blocks));
    if (wrong_frees != 0) std::printf("%s: %zu frees were wrong\n", of.name, static_cast<std::size_t>(wrong_frees));
    return same && blocks == 0 && wrong_frees == 0;
}

double median(std::vector<double> of) {
    std::ranges::sort(of);
    const std::size_t half = of.size() / 2;
    return of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2;
}

/// Prints a line for each allocator, whose costs are given by allocator and round. `results` is how many steps a round
/// has.
void print(std::span<const candidate> all, const std::vector<std::vector<cost>>& costs, std::size_t results) {
    std::puts(
        "The last three columns are relative to PyTorch's own allocator: the throughput, the processor time in user "
        "mode, and all of it.");
    std::printf("%-45s %9s %10s %11s %11s %8s %11s %6s %6s\n", "allocator", "peak KiB", "footprint", "fragmented",
                "allocations", "steps/s", "throughput", "user", "all");
    for (std::size_t of = 0; of < all.size(); ++of) {
        std::vector<double> speed, faster, user, processor;
        for (std::size_t round = 0; round < costs[of].size(); ++round) {
            speed.push_back(static_cast<double>(results) / costs[of][round].wall);
            faster.push_back(costs[0][round].wall / costs[of][round].wall);
            user.push_back(costs[of][round].user / costs[0][round].user);
            processor.push_back(costs[of][round].processor / costs[0][round].processor);
        }
        std::printf("%-45s ", all[of].name);
        if (all[of].seen != nullptr) {
            const occupancy seen = all[of].seen();
            std::printf("%9zu %10zu %10.1f%% %11zu", static_cast<std::size_t>(seen.peak / 1024),
                        static_cast<std::size_t>(seen.footprint / 1024), 100 * seen.fragmentation_at_peak(),
                        static_cast<std::size_t>(seen.allocations));
        } else {
            std::printf("%9s %10s %11s %11s", "-", "-", "-", "-");
        }
        std::printf(" %8.1f %11.3f %6.3f %6.3f\n", median(speed), median(faster), median(user), median(processor));
    }
}

bool compare(std::size_t rounds) {
    const std::span<const candidate> all = candidates();
    const std::vector<float> expected = train_and_serve();
    // First with the observer, whose figures are those of a single run; that also warms up.
    bool right = true;
    cost ignored;
    for (const candidate& each : all) right &= is_right_with(each.observed, each, expected, ignored);
    std::vector<std::vector<cost>> costs(all.size(), std::vector<cost>(rounds));
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t turn = 0; turn < all.size(); ++turn) {
            const std::size_t of = (turn + round) % all.size();  // nobody is always first
            right &= is_right_with(all[of].plain, all[of], expected, costs[of][round]);
        }
    print(all, costs, expected.size());
    // Last, so that the figures above are of networks alone.
    for (const candidate& each : all.subspan(1)) {
        right &= behaves_as_allocator(*each.plain, each.name);
        if (each.held() == holdings{}) continue;
        std::printf("%s: the checks left blocks, or a free was taken for a wrong one\n", each.name);
        right = false;
    }
    const candidate& first = all[1];
    if (!wrong_frees_do_no_harm(*first.plain) || first.held() != holdings{.blocks = 0, .wrong_frees = 3}) {
        std::printf("%s: wrong frees do harm, or are not counted\n", first.name);
        right = false;
    }
    return right;
}

}  // namespace

int main(int count, char** words) {
    constexpr int most = 1000;
    int threads = 1;
    int rounds = 5;
    for (int at = 1; at < count; at += 2) {
        const std::string_view option = words[at];
        const std::string_view value = at + 1 < count ? words[at + 1] : "";
        int* const number = option == "--threads" ? &threads : option == "--rounds" ? &rounds : nullptr;
        const char* const end = value.data() + value.size();
        const bool is_read =
            number != nullptr && std::from_chars(value.data(), end, *number) == std::from_chars_result{end, {}};
        if (!is_read || *number < 1 || *number > most) {
            std::fprintf(stderr, "usage: %s [--threads N] [--rounds N], each N from 1 to %d\n", words[0], most);
            return 2;
        }
    }
    use_threads(threads);
    try {
        return compare(static_cast<std::size_t>(rounds)) ? 0 : 1;
    } catch (const c10::Error& failed) {
        std::fprintf(stderr, "%s\n", failed.what());
        return 1;
    }
}
