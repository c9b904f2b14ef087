#include "self_checks.hpp"

#include <algorithm>
#include <c10/util/Exception.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// Memory that is filled with a number of its owner, so that an overlap shows.
struct filled {
    c10::DataPtr memory;
    std::size_t bytes = 0;
    std::byte with{};

    [[nodiscard]] bool is_intact() const {
        const auto* const first = static_cast<const std::byte*>(memory.get());
        return std::all_of(first, first + bytes, [this](std::byte each) { return each == with; });
    }
};

/// Allocates, fills, checks and frees at random; what is left at the end is for another thread to free.
void use_at_random(c10::Allocator& checked, unsigned seed, std::vector<filled>& held, bool& right) {
    std::mt19937 random(seed);
    for (int step = 0; step < 2000; ++step) {
        if (held.size() < 40 || random() % 2 == 0) {
            const bool large = random() % 8 == 0;
            const std::size_t bytes = 1 + random() % (large ? 100'000 : 2'000);
            held.push_back({checked.allocate(bytes), bytes, static_cast<std::byte>(random())});
            right = right && reinterpret_cast<std::uintptr_t>(held.back().memory.get()) % 64 == 0;
            std::fill_n(static_cast<std::byte*>(held.back().memory.get()), bytes, held.back().with);
        } else {
            std::swap(held[random() % held.size()], held.back());
            right = right && held.back().is_intact();
            held.pop_back();
        }
    }
}

bool threads_share(c10::Allocator& checked) {
    std::vector<filled> held[2];
    bool right[2] = {true, true};
    std::thread first([&] { use_at_random(checked, 1, held[0], right[0]); });
    std::thread second([&] { use_at_random(checked, 2, held[1], right[1]); });
    first.join();
    second.join();
    for (const auto& of_thread : held)
        for (const filled& each : of_thread) right[0] = right[0] && each.is_intact();
    return right[0] && right[1];
}

/// Whether `bytes` are refused with an error that can be caught and names the bytes.
bool refuses(c10::Allocator& checked, std::size_t bytes) {
    try {
        static_cast<void>(checked.allocate(bytes));
    } catch (const c10::Error& refused) {
        return std::string(refused.what_without_backtrace()).find(std::to_string(bytes)) != std::string::npos;
    }
    return false;
}

}  // namespace

bool behaves_as_allocator(c10::Allocator& checked, const char* name) {
    const auto is_right = [name](bool right, const char* what) {
        if (!right) std::printf("%s: %s\n", name, what);
        return right;
    };
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    void* const raw = checked.raw_allocate(1);
    bool right = is_right(raw != nullptr, "a byte has no memory");
    checked.raw_deallocate(raw);
    right &= is_right(checked.allocate(0).get() == nullptr, "no bytes have memory");
    for (const std::size_t bytes : {std::size_t{1} << 60, most / 2, most - 63, most})
        right &= is_right(refuses(checked, bytes), "too many bytes are not refused in words");
    right &= is_right(threads_share(checked), "two threads disturb each other, or memory is not aligned");
    return right;
}

bool wrong_frees_do_no_harm(c10::Allocator& checked) {
    filled neighbour{checked.allocate(1000), 1000, std::byte{7}};
    std::fill_n(static_cast<std::byte*>(neighbour.memory.get()), neighbour.bytes, neighbour.with);
    void* const freed = checked.raw_allocate(1000);
    checked.raw_deallocate(freed);
    std::puts("Three warnings of wrong frees are to come: a double free, an address inside a block, a stranger's.");
    std::fflush(stdout);
    checked.raw_deallocate(freed);
    checked.raw_deallocate(static_cast<std::byte*>(neighbour.memory.get()) + 64);
    checked.raw_deallocate(&neighbour);
    const c10::DataPtr next = checked.allocate(1000);
    std::fill_n(static_cast<std::byte*>(next.get()), 1000, std::byte{8});
    return neighbour.is_intact();
}
