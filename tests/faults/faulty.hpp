#pragma once

/// Observers and devices that fail, throw or call back at a chosen event or copy.


#include <cstdint>
#include <vector>

#include "planning/failing_device.hpp"
#include "support/event_audit.hpp"

namespace hbm::test {

struct thrown {};

/// Audits events, and calls `act` at one of them.
struct faulty_observer {
    static constexpr fixed_string name{"faulty_observer"};

    testing::event_audit audit;
    std::uint64_t events = 0;
    std::uint64_t chosen = 0;  ///< number of the event, from 1; 0: none
    void (*act)(void*) = nullptr;
    void* argument = nullptr;

    faulty_observer() {}  // NOLINT: by default, g++ 12 sometimes leaves the constructor of the audit out

    template <class Memory>
    void look_at(const Memory& memory) {
        audit.look_at(memory);
    }
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        audit.on(e, memory);
        if (++events == chosen) act(argument);
    }
    friend bool operator==(const faulty_observer&, const faulty_observer&) = default;
};
static_assert(observer<faulty_observer>);

/// A failing device that can call `act` at its copy number `chosen` instead.
struct faulty_device : failing_device {
    static constexpr fixed_string name{"faulty_device"};
    using failing_device::failing_device;

    std::uint64_t copies = 0;
    std::uint64_t chosen = 0;  ///< number of the copy, from 1; 0: none
    void (*act)(void*) = nullptr;
    void* argument = nullptr;

    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        if (++copies == chosen) act(argument);
        return failing_device::copy(to, from, bytes);
    }
};
static_assert(device<faulty_device> && copies<faulty_device>);

/// Returns the faults of a device.
inline faulty_device& faults_of(faulty_device& device) {
    return device;
}
/// Lets the copy after `count` others fail.
inline void fail_after(faulty_device& device, std::uint64_t count) {
    device.copies_until_failure = count;
}
/// Lets all copies succeed from now on.
inline void heal(faulty_device& device) {
    device.copies_until_failure = failing_device::never;
}
/// Returns how many calls broke the contract of the device.
inline std::uint64_t mistakes_with(const faulty_device& device) {
    return device.overlaps;
}

/// Returns true if blocks and holes cover a memory once, and its sums are theirs.
template <class Memory>
[[nodiscard]] bool covers_once(const Memory& memory) {
    std::uint64_t end = 0, free = 0, live = 0;
    bool good = true;
    for (const block_view& block : memory.blocks_and_holes()) {
        good = good && block.where.offset == end && block.where.size != 0;
        end = block.where.end();
        (block.kind == block_kind::hole ? free : live) +=
            block.kind == block_kind::hole ? block.where.size : block.granted;
    }
    return good && end == memory.capacity_bytes() && free == memory.free_bytes() && live == memory.live_bytes();
}

/// Frees all buffers and unloads all programs. Returns true if no call failed.
template <class Memory>
[[nodiscard]] bool frees_all(Memory& memory) {
    std::vector<buffer> left;
    for (const block_view& block : memory.blocks())
        if (block.handle) left.push_back(block.handle);
    bool good = true;
    for (const buffer handle : left) good = memory.free(handle).has_value() && good;
    for (std::uint32_t slot = 0; slot < memory.programs().size(); ++slot)
        if (memory.handle_of(slot)) good = memory.unload(memory.handle_of(slot)).has_value() && good;
    return good;
}

}  // namespace hbm::test
