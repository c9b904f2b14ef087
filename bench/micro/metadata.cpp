/// Host memory that an allocator needs for its metadata, and its allocations of host memory during operation.

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "micro/host_memory.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

template <peer P>
void print_line(const workload& load) {
    std::vector<typename P::handle> held(load.slots);
    const host_memory counted;
    std::int64_t fixed = 0;
    {
        const P empty(load.capacity(), 0);
        fixed = counted.bytes();
    }
    std::optional<P> memory(std::in_place, load.capacity(), load.peak_blocks);
    const std::int64_t reserved = counted.bytes();
    const std::uint64_t calls = counted.calls();
    for (const auto [slot, quanta] : load.operations) {
        if (quanta != 0)
            held[slot] = memory->allocate(quanta);
        else if (P::holds(held[slot]))
            memory->free(held[slot]);
    }
    const auto a_block = [&](std::int64_t bytes) {
        return static_cast<double>(bytes - fixed) / static_cast<double>(load.peak_blocks);
    };
    std::printf("%-10s %-36s %12lld %14.1f %18.1f %16llu\n", load.name.c_str(), P::name.c_str(),
                static_cast<long long>(fixed), a_block(reserved), a_block(counted.bytes()),
                static_cast<unsigned long long>(counted.calls() - calls));
}

}  // namespace

bool report_metadata(catalogue& workloads) {
    std::printf("Host memory: bytes with no block, bytes a live block besides, and what the workload still asks for\n");
    std::printf("%-10s %-36s %12s %14s %18s %16s\n", "workload", "allocator", "fixed", "after reserve",
                "after workload", "asked meanwhile");
    for (const char* name : {"W1_1k", "W1_10k", "W1_100k"})
        for_each(whole_size_peers{},
                 [&]<class P>(std::type_identity<P>) { print_line<P>(workloads[std::string_view{name}]); });
    std::printf("\n");
    return true;
}

}  // namespace hbm::micro
