#pragma once

/// Observers and devices that fail, throw or call back at a chosen event or copy.


#include <cstdint>
#include <vector>

#include "relief/failing_device.hpp"
#include "support/event_audit.hpp"
#include "support/late_device.hpp"

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

/// An observer for managers with streams, which the audit does not know; calls `act` at one of the events.
struct unaudited_observer {
    static constexpr fixed_string name{"unaudited_observer"};

    std::uint64_t events = 0;
    std::uint64_t chosen = 0;  ///< number of the event, from 1; 0: none
    void (*act)(void*) = nullptr;
    void* argument = nullptr;

    void on(const event& /*e*/) {
        if (++events == chosen) act(argument);
    }
    friend bool operator==(const unaudited_observer&, const unaudited_observer&) = default;
};
static_assert(observer<unaudited_observer>);

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

/// A device that copies later, and can call `act` at copy or answer number `chosen`.
struct faulty_late_copies : late_device {
    static constexpr fixed_string name{"faulty_late_copies"};
    using late_device::late_device;

    std::uint64_t copies = 0;
    std::uint64_t chosen = 0;  ///< number of the copy or answer, from 1; 0: none
    void (*act)(void*) = nullptr;
    void* argument = nullptr;

    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, fence over) {
        if (++copies == chosen) act(argument);
        return late_device::copy(to, from, bytes, over);
    }
    bool copied(fence over) {
        const bool good = late_device::copied(over);
        if (++copies == chosen) act(argument);
        return good;
    }
};
/// An adaptor of `faulty_late_copies` for managers, with its bytes in reach, as other devices have them.
struct faulty_late_device : copies_later<faulty_late_copies> {
    static constexpr fixed_string name{"faulty_late_device"};

    faulty_late_device() = default;
    explicit faulty_late_device(std::uint64_t capacity) : copies_later(faulty_late_copies(capacity)) {}
    [[nodiscard]] auto bytes(std::uint64_t offset, std::uint64_t size) { return device().bytes(offset, size); }
    [[nodiscard]] auto bytes(std::uint64_t offset, std::uint64_t size) const { return device().bytes(offset, size); }
    friend bool operator==(const faulty_late_device&, const faulty_late_device&) = default;
};

/// Return the faults of a device.
inline faulty_device& faults_of(faulty_device& device) {
    return device;
}
inline faulty_late_copies& faults_of(faulty_late_device& device) {
    return device.device();
}
/// Lets the copy after `count` others fail: when it begins, or after that if `late`, which takes a device that copies
/// later.
inline void fail_after(faulty_device& device, std::uint64_t count, bool /*late*/ = false) {
    device.copies_until_failure = count;
}
inline void fail_after(faulty_late_device& device, std::uint64_t count, bool late = false) {
    (late ? device.device().until_failure : device.device().until_refusal) = count;
}
/// Lets all copies succeed from now on.
inline void heal(faulty_device& device) {
    device.copies_until_failure = failing_device::never;
}
inline void heal(faulty_late_device& device) {
    device.device().until_failure = device.device().until_refusal = late_device::never;
}
/// Returns how many calls broke the contract of the device.
inline std::uint64_t mistakes_with(const faulty_device& device) {
    return device.overlaps;
}
inline std::uint64_t mistakes_with(const faulty_late_device& device) {
    return device.device().mistakes;
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
