// Whole managers over a device with bytes whose copies fail: programs, runs, donation, pins, fences, compaction, plans.
#include <hbm/compact.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>
#include <hbm/testing/audit.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/plain_memory.hpp"
#include "planning/failing_device.hpp"

namespace {

using namespace hbm;
using test::expect;

constexpr std::uint64_t quantum = 16;

template <class Manager>
class driven {
public:
    explicit driven(test::numbers& numbers) : driven(numbers, any_spec(numbers)) {}

    void run() {
        for (int step = 0; step < 120 && !numbers_.is_empty(); ++step) {
            memory_.device().copies_until_failure =
                numbers_.once_in(4) ? numbers_.below(6) : test::failing_device::never;
            const auto before = memory_.state();
            const error why = call();
            if (why != error::none && why != error::device_failed)
                expect(memory_.state() == before, "a refused call changes nothing");
            expect(memory_.device().overlaps == 0, "a copy does not overlap itself");
            check();
        }
        memory_.device().copies_until_failure = test::failing_device::never;
        expect(memory_.finish_moves().has_value(), "a move is finished once the device copies again");
        memory_.sync();
        for (const held& each : buffers_) expect(memory_.free(each.handle).has_value(), "a live buffer is freed");
        for (const program each : programs_) expect(memory_.unload(each).has_value(), "a live program is unloaded");
        memory_.sync();
        expect(memory_.free_bytes() == memory_.capacity_bytes(), "no byte is lost");
    }

private:
    struct held {
        buffer handle;
        std::uint64_t seed = 0;  ///< of the bytes written to it
        std::uint32_t pins = 0;
        std::uint64_t offset = 0;  ///< while it is pinned
    };

    driven(test::numbers& numbers, const memory_spec& spec)
        : numbers_(numbers), memory_(spec, {.device = test::failing_device(spec.capacity), .salt = 1}) {}

    static memory_spec any_spec(test::numbers& numbers) {
        memory_spec spec{.capacity = quantum * (16 + numbers.below(96)), .quantum = quantum};
        spec.copy_nanoseconds = 1;
        if (numbers.once_in(2)) spec.top_reserved = quantum * (1 + numbers.below(8));
        if (numbers.once_in(2)) spec.bounce = spec.top_reserved;
        if (numbers.once_in(4)) spec.scratch_percent = 20;
        spec.runs_in_flight = static_cast<std::uint32_t>(numbers.below(4));
        return spec;
    }
    [[nodiscard]] std::uint64_t any_size() { return numbers_.below(numbers_.once_in(8) ? 1024 : 256); }
    [[nodiscard]] fence any_fence() { return {memory_.reached().number + numbers_.below(4)}; }
    [[nodiscard]] program any_program() {
        return programs_.empty() ? program{} : programs_[numbers_.below(programs_.size())];
    }
    [[nodiscard]] held* any_buffer() { return buffers_.empty() ? nullptr : &buffers_[numbers_.below(buffers_.size())]; }
    [[nodiscard]] buffer any_handle() {
        const held* const chosen = any_buffer();
        return chosen == nullptr ? buffer{} : chosen->handle;
    }
    void keep(buffer handle) {
        for (const held& each : buffers_) expect(!(each.handle == handle), "a new buffer has a handle of its own");
        buffers_.push_back({.handle = handle, .seed = ++seed_});
        test::write(memory_, handle, seed_);
    }
    void drop(buffer handle) {
        std::erase_if(buffers_, [&](const held& each) { return each.handle == handle; });
        expect(memory_.check(handle) == error::stale_handle, "a handle goes stale");
    }
    template <class Result>
    static error reason(const Result& outcome) {
        return outcome ? error::none : outcome.error().reason;
    }

    error call() {
        switch (numbers_.below(16)) {
        default: {
            const auto outcome = memory_.allocate(any_request());
            if (outcome) keep(*outcome);
            return reason(outcome);
        }
        case 3:
        case 4:
        case 5: {
            const buffer freed = any_handle();
            const auto outcome = numbers_.once_in(2) ? memory_.free(freed, any_fence()) : memory_.free(freed);
            if (outcome) drop(freed);
            return reason(outcome);
        }
        case 6: return pin();
        case 7: {
            const auto outcome = memory_.load({.name = "p", .code = any_size(), .scratch = any_size()});
            if (outcome) programs_.push_back(*outcome);
            return reason(outcome);
        }
        case 8: return change_program(any_program());
        case 9:
        case 10:
        case 11: return run_program();
        case 12: return reason(memory_.retire(any_fence()));
        case 13: return compact();
        case 14: return plan();
        case 15: return reason(memory_.finish_moves());
        }
    }
    request any_request() {
        request wanted{.bytes = any_size()};
        if (numbers_.once_in(4)) wanted.alignment = std::uint64_t{1} << numbers_.below(9);
        if (numbers_.once_in(8)) wanted.preferred = side::high;
        return wanted;
    }
    error pin() {
        held* const chosen = any_buffer();
        if (chosen == nullptr) return error::none;
        const bool adds = chosen->pins == 0 || numbers_.once_in(2);
        const auto outcome = adds ? memory_.pin(chosen->handle) : memory_.unpin(chosen->handle);
        if (!outcome) return outcome.error().reason;
        chosen->pins += adds ? 1 : ~std::uint32_t{0};
        chosen->offset = memory_.where(chosen->handle).offset;
        return error::none;
    }
    error change_program(program subject) {
        switch (numbers_.below(4)) {
        case 0: return reason(memory_.evict(subject));
        case 1: return reason(memory_.unload_for_now(subject));
        case 2: return reason(memory_.load(subject));
        default:
            const auto outcome = memory_.unload(subject);
            if (outcome) std::erase(programs_, subject);
            return reason(outcome);
        }
    }
    error run_program() {
        std::vector<buffer> inputs;
        std::vector<buffer> donated;
        std::vector<output> outputs;
        std::vector<std::uint32_t> kept;
        for (std::uint64_t left = numbers_.below(3); left != 0; --left) inputs.push_back(any_handle());
        for (std::uint64_t left = numbers_.below(3); left != 0; --left) {
            donated.push_back(any_handle());
            const std::uint32_t index = static_cast<std::uint32_t>(donated.size() - 1);
            if (numbers_.once_in(6)) kept.push_back(index);
            if (numbers_.once_in(3)) continue;
            outputs.push_back(output{memory_.granted(donated.back())});
            if (numbers_.once_in(3)) outputs.back().bytes /= 2;
            if (numbers_.once_in(3)) outputs.back().alias = numbers_.once_in(2) ? aliasing::must : aliasing::may;
            if (outputs.back().alias != aliasing::any) outputs.back().partner = index;
        }
        for (std::uint64_t left = numbers_.below(3); left != 0; --left) outputs.push_back(output{any_size()});
        const auto outcome =
            memory_.run(any_program(), {.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept});
        if (!outcome) return outcome.error().reason;
        std::uint32_t taken = 0;
        for (std::size_t at = 0; at < outputs.size(); ++at) {
            const std::uint32_t donor = outcome->donors[at];
            expect(memory_.granted(outcome->outputs[at]) >= outputs[at].bytes, "an output has its bytes");
            expect(outputs[at].alias != aliasing::must || donor == outputs[at].partner, "an output has its partner");
            if (donor == no_index) continue;
            ++taken;
            expect(donor < donated.size() && donated[donor].index == outcome->outputs[at].index,
                   "an output has its donor's block");
            expect(std::count(kept.begin(), kept.end(), donor) == 0, "what is kept is not taken over");
        }
        expect(taken == outcome->donated, "the donors are counted");
        for (std::uint32_t at = 0; at < donated.size(); ++at)
            if (std::count(kept.begin(), kept.end(), at) == 0) drop(donated[at]);
        for (const buffer made : outcome->outputs) keep(made);
        return error::none;
    }
    error compact() {
        if constexpr (compacts<typename Manager::placement_type>) {
            const std::uint64_t budget = numbers_.below(2048);
            const std::uint64_t longest = memory_.moving() ? 0 : memory_.largest_free_bytes();
            const compaction moved = memory_.compact(budget);
            expect(moved.moved <= budget, "compaction keeps to its budget");
            if (moved.done()) expect(memory_.largest_free_bytes() >= longest, "the longest hole gets no shorter");
            return moved.reason;
        }
        return error::none;
    }
    /// Plans, tries the request on a fork, and carries the plan out half of the time.
    error plan() {
        const request wanted = any_request();
        const planning_result planned = memory_.plan_for(wanted);
        auto fork = memory_.fork();
        const bool fits = fork.allocate(wanted).has_value();
        expect(!fits || planned.found || memory_.moving(), "what a fork can do has a plan");
        if (!planned.found || numbers_.once_in(2)) return error::none;
        const error why = reason(memory_.relieve(*planned.found));
        expect(why == error::none || why == error::device_failed, "a plan can be carried out");
        return why;
    }

    void check() const {
        test::plain_memory model(static_cast<std::size_t>(memory_.spec().capacity / quantum));
        const std::uint64_t reserved = memory_.reserved_bytes();
        if (reserved != 0) model.place(1, 0, reserved / quantum);
        for (const held& each : buffers_) {
            expect(memory_.check(each.handle) == error::none, "a live handle is good");
            expect(memory_.pins(each.handle) == each.pins, "pins are counted");
            expect(each.pins == 0 || memory_.where(each.handle).offset == each.offset, "a pinned buffer stays");
            expect(test::reads_back(memory_, each.handle, each.seed), "bytes are kept");
            for (const extent& piece : memory_.pieces(each.handle))
                model.place(2, piece.offset / quantum, piece.size / quantum);
        }
        for (const program each : programs_) {
            expect(memory_.check(each) == error::none, "a live program is good");
            const extent code = memory_.where(each);
            if (memory_.about(each).resident) model.place(3, code.offset / quantum, code.size / quantum);
        }
        testing::snapshot blocks;
        for (const block_view& block : memory_.blocks_and_holes()) blocks.push_back(block);
        const char* const broken = testing::audit_blocks(
            blocks,
            {memory_.capacity_bytes(), memory_.free_bytes(), memory_.live_bytes(), memory_.largest_free_bytes()},
            quantum, Manager::placement_type::merges_neighbours);
        expect(broken == nullptr, broken);
    }

    test::numbers& numbers_;
    Manager memory_;
    std::vector<held> buffers_;
    std::vector<program> programs_;
    std::uint64_t seed_ = 0;
};

template <class Placement, class Eviction, class Donation, class Relief = relieve_cheapest>
using with_bytes = manager<Placement, Eviction, Donation, Relief, test::failing_device>;

template <class... Managers>
void run_one(test::numbers& numbers) {
    const std::uint64_t choice = numbers.below(sizeof...(Managers));
    std::uint64_t at = 0;
    ((at++ == choice ? driven<Managers>(numbers).run() : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    test::numbers numbers(data, size);
    run_one<with_bytes<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>,
            with_bytes<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>,
            with_bytes<compacting<first_fit>, evict_lru, donate_fitting, compact_first>,
            with_bytes<compacting<buddy>, evict_greedy_dual, donate_fitting, rent_or_buy>,
            with_bytes<bottom_reserve<good_fit>, evict_greedy_dual, donate_fitting, evict_first>,
            with_bytes<bfc, never_evict, donate_same_size>>(numbers);
    return 0;
}
