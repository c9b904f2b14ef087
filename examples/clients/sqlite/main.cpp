// SQLite with its own allocator and on several managers: the same results bit for bit, nothing leaked, and what each
// manager needs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "sqlite_memory.hpp"
#include "workload.hpp"

using namespace sqlite_client;
using namespace hbm::literals;

namespace {

/// An allocator that SQLite can be given.
struct choice {
    const char* name;
    const sqlite3_mem_methods* methods;
    after_phase look;                  ///< null for SQLite's own
    const figures* last;               ///< likewise
    std::vector<double> seconds = {};  ///< of each round
};

template <class Manager, std::uint64_t Quantum>
choice choice_of(const char* name) {
    using memory = sqlite_memory<Manager, Quantum>;
    return {name, memory::methods(), &memory::look, &memory::last};
}

std::vector<choice> choices(const sqlite3_mem_methods* own) {
    return {{"SQLite's own", own, nullptr, nullptr},
            choice_of<hbm::manager<hbm::best_fit>, 16>("best_fit, 16 B"),
            choice_of<hbm::manager<hbm::best_fit_lifo>, 16>("best_fit_lifo, 16 B"),
            choice_of<hbm::manager<hbm::good_fit>, 16>("good_fit, 16 B"),
            choice_of<hbm::manager<hbm::good_fit>, 64>("good_fit, 64 B"),
            choice_of<hbm::manager<hbm::buddy>, 16>("buddy, 16 B"),
            choice_of<hbm::manager<hbm::buddy>, 64>("buddy, 64 B")};
}

/// From here to `end_sqlite` SQLite allocates by `with`.
void begin_sqlite(const choice& with) {
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, with.methods) != SQLITE_OK || sqlite3_initialize() != SQLITE_OK) {
        std::printf("SQLite does not start with %s\n", with.name);
        std::exit(1);
    }
}
/// Whether nothing was leaked; by SQLite's own count where the allocator is its own.
bool end_sqlite(const choice& with) {
    const bool none_in_use = sqlite3_memory_used() == 0;
    const bool ended = sqlite3_shutdown() == SQLITE_OK;
    const bool clean = ended && none_in_use && (with.last == nullptr || with.last->leaked == 0);
    if (!clean) std::printf("%s: memory is still in use after sqlite3_shutdown\n", with.name);
    return clean;
}

int same_results(std::vector<choice> all) {
    constexpr int rounds = 3;
    std::string expected;
    bool good = true;
    // Each allocator once a round, so that what else the machine does falls on all of them.
    for (int round = 0; round < rounds; ++round)
        for (choice& each : all) {
            begin_sqlite(each);
            const auto start = std::chrono::steady_clock::now();
            // The first round looks at the holes; it is not timed with the others.
            const std::string results = run_workload(2, 1, round == 0 ? each.look : nullptr);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            if (round > 0) each.seconds.push_back(took.count());
            good = end_sqlite(each) && good;
            if (expected.empty()) expected = results;
            if (results != expected) std::printf("%s: the queries return something else\n", each.name), good = false;
            if (round == 0 && each.last != nullptr)
                std::printf(
                    "%-20s peak %8.2f KiB   footprint %8.2f KiB, %.3f x its peak   scattered at worst %5.1f %%\n",
                    each.name, static_cast<double>(each.last->peak) / 1024,
                    static_cast<double>(each.last->footprint) / 1024,
                    static_cast<double>(each.last->footprint) / static_cast<double>(each.last->peak),
                    100 * each.last->scattered);
        }
    for (choice& each : all) {
        const double best = *std::min_element(each.seconds.begin(), each.seconds.end());
        const double own = *std::min_element(all[0].seconds.begin(), all[0].seconds.end());
        std::printf("%-20s %7.1f ms, %.3f of the throughput of SQLite's own allocator\n", each.name, 1000 * best,
                    own / best);
    }
    std::printf("%zu bytes of results are %s\n", expected.size(),
                good ? "the same under all allocators" : "NOT all the same");
    return good && !expected.empty() ? 0 : 1;
}

int threads(const std::vector<choice>& all) {
    constexpr unsigned count = 4;
    std::string expected[count];
    bool good = true;
    for (const choice& each : all) {
        begin_sqlite(each);
        std::string results[count];
        std::vector<std::thread> running;
        for (unsigned at = 0; at < count; ++at)
            running.emplace_back([&results, at] { results[at] = run_workload(1, at); });
        for (std::thread& one : running) one.join();
        good = end_sqlite(each) && good;
        for (unsigned at = 0; at < count; ++at) {
            if (expected[at].empty()) expected[at] = results[at];
            if (results[at] == expected[at]) continue;
            std::printf("%s: the queries of thread %u return something else\n", each.name, at);
            good = false;
        }
        std::printf("%-20s %u threads, each with a database: %s\n", each.name, count,
                    good ? "the same" : "NOT the same");
    }
    return good ? 0 : 1;
}

int out_of_memory() {
    using memory = sqlite_memory<hbm::manager<hbm::good_fit>, 16>;
    memory::capacity = 2_MiB;
    const choice tried = choice_of<hbm::manager<hbm::good_fit>, 16>("good_fit, 16 B");
    begin_sqlite(tried);
    const long inserted = fill_until_out_of_memory();
    std::printf("2 MiB hold %ld blobs of 10 kB on average; then SQLite says that it is out of memory, as\n%s\n",
                inserted, memory::why().c_str());
    return end_sqlite(tried) && inserted > 100 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    sqlite3_mem_methods own;  // SQLite tells what it would use by itself
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own) != SQLITE_OK) return 1;
    const std::string part = argc > 1 ? argv[1] : "same_results";
    if (part == "same_results") return same_results(choices(&own));
    if (part == "threads") return threads(choices(&own));
    if (part == "out_of_memory") return out_of_memory();
    std::puts("usage: hbm_client_sqlite [same_results | threads | out_of_memory]");
    return 2;
}
