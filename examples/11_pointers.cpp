// Pointers on a manager: a range of addresses from the operating system, raw pointers, and a container of the standard
// library. Where the manager may move buffers, the owner is told; what must stay is fixed.
#include <hbm/adapt/address_words.hpp>
#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/mapped_range.hpp>
#include <hbm/adapt/memory_resource.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>
#include <cstring>
#include <memory_resource>
#include <utility>
#include <vector>

using namespace hbm::literals;

/// The owner of a buffer that may move: it keeps the pointer up to date.
struct cache {
    void* begin = nullptr;

    static void moved(void* owner, void* from, void* to, std::uint64_t bytes) {
        if (static_cast<cache*>(owner)->begin != from) return;
        static_cast<cache*>(owner)->begin = to;
        std::printf("the cache of %llu bytes has moved\n", static_cast<unsigned long long>(bytes));
    }
};

int main() {
    auto addresses = hbm::mapped_range::map(16_MiB);
    if (!addresses) return std::puts(hbm::in_words(addresses.error()).c_str()), 1;
    using placement = hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>;
    hbm::addressed<hbm::manager<placement>, hbm::mapped_range> memory{std::move(*addresses)};

    // A container holds pointers into its memory, so what it allocates never moves.
    hbm::addressed_resource resource{memory};
    std::pmr::vector<float> numbers(100'000, 0.5f, &resource);

    // Raw pointers. A wrong one is an error that says what is wrong.
    void* const batch = memory.allocate_or_null(6_MiB);
    cache held{memory.allocate_or_null(4_MiB)};
    if (batch == nullptr || held.begin == nullptr) return 1;
    std::memset(held.begin, 7, 4_MiB);
    memory.on_move(&cache::moved, &held);
    memory.deallocate(batch);
    if (memory.deallocate(batch)) return 1;
    std::puts(hbm::in_words(memory.last_failure()).c_str());

    // 11 MiB are free, but not in one piece: the cache moves, with its bytes.
    const void* const before = held.begin;
    void* const large = memory.allocate_or_null(10_MiB, 4096);
    if (large == nullptr) return std::puts(hbm::in_words(memory.last_failure()).c_str()), 1;

    const bool intact = held.begin != before && static_cast<const char*>(held.begin)[4_MiB - 1] == 7 &&
                        memory.size_of(held.begin).value_or(0) == 4_MiB && numbers.back() == 0.5f;
    return intact ? 0 : 1;
}
