#pragma once

/// The workloads: four generated workloads and recorded traces, each as a flat list of operations that is prepared
/// before the measurement. A seed gives the same list on every machine.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/text/usage_error.hpp"
#include "micro/peer.hpp"

namespace hbm::micro {

/// Allocation of `quanta` into a slot; 0 frees the block in the slot.
struct operation {
    std::uint32_t slot = 0;
    std::uint32_t quanta = 0;

    friend bool operator==(const operation&, const operation&) = default;
};

/// A list of operations and its properties.
struct workload {
    std::string name = {};
    std::vector<operation> operations = {};
    std::size_t warm_up = 0;        ///< number of operations at the beginning that are not timed
    std::uint32_t slots = 0;        ///< number of slots
    std::uint32_t peak_blocks = 0;  ///< largest number of live blocks
    std::uint64_t peak_quanta = 0;  ///< largest number of live quanta
    double filled = 0.85;           ///< share of the arena that the peak fills

    void allocate(std::uint32_t slot, std::uint32_t size) { operations.push_back({slot, size}); }
    void free(std::uint32_t slot) { operations.push_back({slot, 0}); }
    /// Makes the operations so far the warm-up.
    void end_warm_up() { warm_up = operations.size(); }

    /// Counts slots and peaks.
    workload& measure() {
        slots = 0;
        for (const operation& each : operations) slots = std::max(slots, each.slot + 1);
        std::vector<std::uint32_t> sizes(slots, 0);
        std::uint64_t live = 0;
        std::uint32_t blocks = 0;
        for (const operation& each : operations) {
            live += each.quanta;
            live -= sizes[each.slot];
            if (each.quanta != 0)
                ++blocks;
            else
                --blocks;
            sizes[each.slot] = each.quanta;
            peak_quanta = std::max(peak_quanta, live);
            peak_blocks = std::max(peak_blocks, blocks);
        }
        return *this;
    }

    /// Returns the size in quanta of the arena, a multiple of 4096 bytes.
    [[nodiscard]] std::uint64_t capacity() const {
        return static_cast<std::uint64_t>(static_cast<double>(peak_quanta * quantum) / filled) / 4096 * 8;
    }
};

/// Random numbers of the generators: xorshift64*.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {
        for (int drawn = 0; drawn < 8; ++drawn) next();
    }
    std::uint64_t next() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_ * 0x2545F4914F6CDD1DU;
    }
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((next() >> 32U) * bound >> 32U); }
    /// Returns a number in `[0, 1)`.
    double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
    /// Returns an exponentially distributed number with the given mean, rounded.
    std::uint64_t waiting_time(double mean) { return static_cast<std::uint64_t>(-std::log(1 - unit()) * mean); }
    /// Returns a log-uniform size between two numbers of bytes, in quanta.
    std::uint32_t size_between(std::uint64_t least, std::uint64_t most) {
        const auto from = static_cast<double>(least);
        const double doublings = unit() * std::log2(static_cast<double>(most) / from);
        const double quanta = std::ceil(from / static_cast<double>(quantum) * std::exp2(doublings));
        return quanta < 1 ? 1 : static_cast<std::uint32_t>(quanta);
    }

private:
    std::uint64_t state_;
};

/// Free slots; the slot that was freed last is used first.
class slot_pool {
public:
    std::uint32_t take() {
        if (spare_.empty()) return made_++;
        const std::uint32_t slot = spare_.back();
        spare_.pop_back();
        return slot;
    }
    void give(std::uint32_t slot) { spare_.push_back(slot); }

private:
    std::vector<std::uint32_t> spare_;
    std::uint32_t made_ = 0;
};

inline constexpr std::uint64_t kibibyte = 1024;
inline constexpr std::uint64_t mebibyte = 1024 * kibibyte;

/// Returns W1: `blocks` live blocks; a step frees a random block and allocates another of 512 bytes to `max_bytes`.
inline workload steady_churn(std::uint32_t blocks, std::uint64_t max_bytes, std::uint64_t steps,
                             std::uint64_t warm_up_steps, std::uint64_t seed = 1) {
    workload made{.name = "W1"};
    made.operations.reserve(blocks + 2 * (steps + warm_up_steps));
    random_numbers draw(seed);
    for (std::uint32_t slot = 0; slot < blocks; ++slot) made.allocate(slot, draw.size_between(quantum, max_bytes));
    for (std::uint64_t step = 0; step < warm_up_steps + steps; ++step) {
        if (step == warm_up_steps) made.end_warm_up();
        const std::uint32_t slot = draw.below(blocks);
        made.free(slot);
        made.allocate(slot, draw.size_between(quantum, max_bytes));
    }
    return std::move(made.measure());
}

/// Returns the number of warm-up steps of W1, after which the initial order of blocks no longer matters.
[[nodiscard]] constexpr std::uint64_t usual_warm_up(std::uint32_t blocks) {
    return std::max<std::uint64_t>(50'000, (blocks >= 1'000'000 ? 2ULL : 5ULL) * blocks);
}

/// Returns W2: training steps. 200 activations of 12 sizes, last in first out, and 300 parameters.
inline workload training_steps(std::uint32_t steps = 2000, std::uint64_t seed = 2) {
    constexpr std::uint32_t parameters = 300;
    constexpr std::uint32_t warm_up_steps = 20;
    constexpr std::uint64_t sizes[12] = {2 * kibibyte,  16 * kibibyte, 96 * kibibyte, 256 * kibibyte,
                                         mebibyte,      3 * mebibyte,  4 * mebibyte,  8 * mebibyte,
                                         12 * mebibyte, 16 * mebibyte, 32 * mebibyte, 64 * mebibyte};
    workload made{.name = "W2"};
    random_numbers draw(seed);
    const auto any_size = [&] { return static_cast<std::uint32_t>(sizes[draw.below(12)] / quantum); };
    for (std::uint32_t slot = 0; slot < parameters; ++slot) made.allocate(slot, any_size());
    std::vector<std::uint32_t> activations(200);
    for (std::uint32_t& size : activations) size = any_size();
    const auto count = static_cast<std::uint32_t>(activations.size());
    for (std::uint32_t step = 0; step < steps + warm_up_steps; ++step) {
        if (step == warm_up_steps) made.end_warm_up();
        for (std::uint32_t at = 0; at < count; ++at) made.allocate(parameters + at, activations[at]);
        for (std::uint32_t at = count; at != 0; --at) made.free(parameters + at - 1);
    }
    return std::move(made.measure());
}

/// Returns W3: serving. Up to 256 requests, with caches that grow by pages of 2 MiB; buffers of 1 to 64 MiB while they
/// begin.
inline workload serving(std::uint32_t ticks = 20'000, std::uint64_t seed = 3) {
    constexpr std::uint32_t page = 2 * mebibyte / quantum;
    struct conversation {
        std::vector<std::uint32_t> pages;
        std::uint32_t ticks_left = 0;
    };
    struct prefill {
        std::uint64_t ends = 0;
        std::uint32_t slot = 0;
    };
    workload made{.name = "W3"};
    random_numbers draw(seed);
    slot_pool slots;
    std::vector<conversation> conversations;
    std::vector<prefill> prefills;
    const auto release = [&](std::uint32_t slot) {
        made.free(slot);
        slots.give(slot);
    };
    const auto grow = [&](conversation& growing) {
        growing.pages.push_back(slots.take());
        made.allocate(growing.pages.back(), page);
    };
    // A request that ends is replaced by the last of the list, which is visited next.
    const auto end_some = [](auto& all, const auto& ends) {
        for (std::size_t at = 0; at < all.size();) {
            if (!ends(all[at])) {
                ++at;
                continue;
            }
            all[at] = std::move(all.back());
            all.pop_back();
        }
    };
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        if (tick == ticks / 5) made.end_warm_up();
        end_some(prefills, [&](const prefill& each) {
            if (each.ends <= tick) release(each.slot);
            return each.ends <= tick;
        });
        end_some(conversations, [&](conversation& each) {
            const bool over = each.ticks_left == 0;
            --each.ticks_left;
            if (over) std::for_each(each.pages.begin(), each.pages.end(), release);
            return over;
        });
        for (int begun = 0; begun < 4 && conversations.size() < 256; ++begun) {
            conversation added;
            added.ticks_left = static_cast<std::uint32_t>(16 + draw.waiting_time(256));
            const std::uint32_t slot = slots.take();
            made.allocate(slot, draw.size_between(mebibyte, 64 * mebibyte));
            prefills.push_back({tick + 1 + draw.below(4), slot});
            for (std::uint32_t pages = 1 + draw.below(16); pages != 0; --pages) grow(added);
            conversations.push_back(std::move(added));
        }
        for (conversation& each : conversations)
            if (draw.below(8) == 0) grow(each);
    }
    return std::move(made.measure());
}

/// Returns W4: large and small tensors; every 50th small tensor on average is never freed. The peak fills `filled` of
/// the arena: a half leaves room for every request, at 0.85 most allocators refuse some.
inline workload slow_leak(double filled, std::uint64_t seed = 4) {
    constexpr std::uint64_t ticks = 400'000;
    using departure = std::pair<std::uint64_t, std::uint32_t>;
    workload made{.name = "W4", .filled = filled};
    random_numbers draw(seed);
    slot_pool slots;
    std::priority_queue<departure, std::vector<departure>, std::greater<>> departures;
    const auto enter = [&](std::uint64_t least, std::uint64_t most) {
        const std::uint32_t slot = slots.take();
        made.allocate(slot, draw.size_between(least, most));
        return slot;
    };
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        if (tick == ticks / 10) made.end_warm_up();
        for (; !departures.empty() && departures.top().first <= tick; departures.pop()) {
            made.free(departures.top().second);
            slots.give(departures.top().second);
        }
        const std::uint32_t small = enter(quantum, 64 * kibibyte);
        if (tick % 50 != 49) departures.emplace(tick + 1 + draw.waiting_time(100), small);
        if (draw.below(2) == 0) {
            const std::uint32_t large = enter(mebibyte, 64 * mebibyte);
            departures.emplace(tick + 1 + draw.waiting_time(400), large);
        }
    }
    return std::move(made.measure());
}

/// Returns a recorded trace: once as the warm-up, and then repeated until there are enough operations to time, with
/// everything freed in between. Only allocations and frees are used. Empty if the trace cannot be read.
inline workload recorded(const std::string& path, std::string name, std::size_t min_operations = 400'000) {
    workload made{.name = std::move(name)};
    trace::workload read;
    try {
        read = trace::read_file(path);
    } catch (const compare::usage_error&) {
        return made;
    }
    constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    std::vector<std::uint32_t> slot_of(read.ids.size(), nowhere);
    slot_pool slots;
    for (const trace::row& each : read.rows) {
        std::uint32_t& slot = slot_of[each.subject];
        if (each.what == trace::op::alloc && slot == nowhere) {
            slot = slots.take();
            made.allocate(slot, each.bytes == 0 ? 1 : static_cast<std::uint32_t>((each.bytes - 1) / quantum + 1));
        } else if (each.what == trace::op::free && slot != nowhere) {
            made.free(slot);
            slots.give(slot);
            slot = nowhere;
        }
    }
    std::sort(slot_of.begin(), slot_of.end());
    for (auto left = slot_of.begin(); left != slot_of.end() && *left != nowhere; ++left) made.free(*left);
    made.end_warm_up();
    if (made.warm_up == 0) return made;
    made.operations.reserve(min_operations + 2 * made.warm_up);
    do {
        for (std::size_t at = 0; at < made.warm_up; ++at) made.operations.push_back(operation{made.operations[at]});
    } while (made.operations.size() < min_operations + made.warm_up);
    return std::move(made.measure());
}

}  // namespace hbm::micro
