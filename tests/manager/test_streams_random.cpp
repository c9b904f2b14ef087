// Random calls on several streams, compared with a plain model that shares no code with the manager.
#include <hbm/events/event_log.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <support/plain_streams.hpp>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::streams_random_tests {

namespace {

constexpr std::uint32_t lines = 3;
constexpr std::uint64_t capacity = 48;

/// The manager and the model, side by side.
template <class Placement>
class story {
public:
    story(std::uint64_t seed, std::uint32_t runs_in_flight) : random_(seed), runs_in_flight_(runs_in_flight) {
        memory_ = memory_type({.capacity = capacity, .quantum = 1, .runs_in_flight = runs_in_flight}, {.salt = 5});
        step_ = *memory_.load({.name = "step", .code = 2});
        model_.blocks.push_back({memory_.where(step_).offset, 2});
        buffers_.push_back({});
    }

    /// Makes one call on both. Returns the broken rule, or null.
    const char* call() {
        const auto line = static_cast<std::uint32_t>(random_.below(lines));
        const std::uint64_t us = random_.below(20);
        switch (random_.below(8)) {
        case 0:
        case 1: return allocate();
        case 2: {
            const std::size_t at = any_block();
            if (at == 0) return nullptr;
            const std::uint64_t until = random_.once_in(2) ? 0 : any_fence();
            if (!(until == 0 ? memory_.free(buffers_[at]) : memory_.free(buffers_[at], {until})))
                return "a buffer cannot be freed";
            model_.blocks[at].freed = true;
            model_.blocks[at].until = until;
            if (model_.is_over(until) && !model_.is_held(at)) model_.blocks[at].gone = true;
            break;
        }
        case 3:
        case 4: {
            std::set<std::size_t> holds;
            std::vector<buffer> uses;
            for (std::uint64_t left = random_.below(4); left != 0; --left)
                if (const std::size_t at = any_block(); at != 0) holds.insert(at), uses.push_back(buffers_[at]);
            const auto issued = memory_.issue({.on = {line}, .uses = uses, .us = us});
            const std::uint64_t number = model_.issue(line, false, holds, us * 1000);
            if (!issued || issued->number != number) return "work is not issued";
            break;
        }
        case 5: return run(line, us);
        case 6: {
            const std::uint64_t until = any_fence();
            if (!memory_.wait({line}, {until})) return "a stream does not wait";
            model_.wait(line, until);
            break;
        }
        default:
            if (random_.once_in(8)) {
                memory_.sync();
                for (const std::uint64_t number : model_.in_order()) model_.retire(number);
                break;
            }
            const std::uint64_t until = any_fence();
            if (!memory_.retire({until})) return "a fence cannot be retired";
            model_.retire(until);
        }
        return difference(memory_, model_);
    }
    [[nodiscard]] std::uint64_t waits() const { return model_.waits; }

private:
    using memory_type =
        manager<streams<Placement, lines>, never_evict, never_donate, relieve_cheapest, no_device, event_log>;

    [[nodiscard]] std::size_t any_block() {  // 0: none
        const std::size_t at = random_.below(buffers_.size());
        return model_.blocks[at].freed ? 0 : at;
    }
    /// Returns one of the latest fences, or 0.
    [[nodiscard]] std::uint64_t any_fence() {
        const std::uint64_t latest = model_.all.size();
        return latest - random_.up_to(latest < 12 ? latest : 12);
    }

    /// Expects the fences to await, one after the other, on a copy.
    template <class Call>
    const char* await(Call call, std::uint64_t size) {
        plain_streams model = model_;
        auto memory = memory_.copy();
        for (;;) {
            const fence until = awaited_fence(memory, call);
            const std::optional<std::size_t> count = model.waits_for(size);
            const bool waits = count && *count != 0;
            if (until.number != (waits ? model.in_order()[*count - 1] : 0)) return "another fence is awaited";
            if (!waits) return nullptr;
            static_cast<void>(memory.retire(until));
            model.retire(until.number);
        }
    }
    const char* allocate() {
        const std::uint64_t size = 1 + random_.below(16);
        if (const char* broken = await([&](auto& trial) { return trial.allocate(size); }, size)) return broken;
        const bool fits = model_.make_room(size);
        const auto held = memory_.allocate(size);
        if (held.has_value() != fits) return "a request succeeds or fails wrongly";
        if (fits) add(*held, size);
        return difference(memory_, model_);
    }
    const char* run(std::uint32_t line, std::uint64_t us) {
        const std::uint64_t size = random_.below(12);
        std::set<std::size_t> holds{0};
        std::vector<buffer> inputs;
        if (const std::size_t at = any_block(); at != 0) holds.insert(at), inputs.push_back(buffers_[at]);
        const output fresh(size);
        const bool fits = size == 0 || model_.make_room(size);
        const auto ran =
            memory_.run(step_, {.inputs = inputs, .outputs = {&fresh, size != 0}, .run_us = us}, stream{line});
        if (ran.has_value() != fits) return "a run succeeds or fails wrongly";
        if (fits) {
            if (size != 0) {
                holds.insert(buffers_.size());
                add(ran->outputs[0], size);
            }
            if (ran->over.number != model_.issue(line, true, holds, us * 1000)) return "a run has a wrong fence";
            model_.limit(runs_in_flight_);
        }
        return difference(memory_, model_);
    }
    void add(buffer held, std::uint64_t size) {
        buffers_.push_back(held);
        model_.blocks.push_back({memory_.where(held).offset, size});
    }

    testing::random_numbers random_;
    std::uint32_t runs_in_flight_;
    memory_type memory_;
    program step_;
    plain_streams model_{.streams = lines, .capacity = capacity};
    std::vector<buffer> buffers_;  // by index of the model's blocks
};

}  // namespace

TEST_CASE_TEMPLATE("streams: random calls do what a plain model does", placement, best_fit, first_fit) {
    std::uint64_t waits = 0;
    for_each_seed(150, 300, [&](std::uint64_t seed, std::uint32_t steps) {
        story<placement> tale(seed, static_cast<std::uint32_t>(seed % 4));
        testing::outcome result{.seed = seed};
        for (result.step = 1; result.step <= steps; ++result.step)
            if ((result.broken = tale.call()) != nullptr) return result;
        waits += tale.waits();
        return result;
    });
    if (tries_all_seeds()) CHECK(waits > 500);
}

}  // namespace hbm::test::streams_random_tests
