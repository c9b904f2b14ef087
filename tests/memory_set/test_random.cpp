// Random calls of a memory_set with two kinds, against a model of plain lists.
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "memory_set/set_and_model.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::random_set_tests {
namespace {

struct counts {
    int failures = 0, spilled = 0, adopted = 0;
};

template <class Spill>
class story {
public:
    story(std::uint64_t seed, const Spill& policy, int wait_price, int use_price)
        : random_(seed), both_(below(10) + 4, below(10) + 4, below(4), policy) {
        both_.released = &released_;
        both_.model.wait_price = wait_price;
        both_.model.use_price = use_price;
    }

    /// Returns the first difference, or null.
    const char* play(std::uint32_t steps, testing::outcome& outcome) {
        for (; outcome.step < steps; ++outcome.step) {
            const plain_call call = any_call();
            adopted_ += call.what == verb::adopt;
            if (const char* broken = both_.act(call); broken != nullptr) return broken;
            if (released_ != adopted_ - static_cast<int>(both_.model.adopted.size()))
                return "an owner is called too early, too late, or twice";
        }
        return nullptr;
    }
    /// Ends the set. Returns false if an owner was not called once.
    bool end(counts& total) {
        total.failures += both_.failures;
        total.spilled += both_.spilled;
        total.adopted += adopted_;
        both_.set = {};
        return released_ == adopted_;
    }

private:
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }
    template <class Item>
    const Item& any(const std::vector<Item>& items) {
        return items[random_.below(items.size())];
    }

    std::vector<int> live(bool with_adopted) {
        std::vector<int> numbers;
        for (const plain_memory& memory : both_.model.memories)
            for (const plain_block& block : memory.blocks)
                if (block.buffer >= 0 && !block.freed) numbers.push_back(block.buffer);
        for (const auto& own : both_.model.adopted)
            if (with_adopted && !own.freed) numbers.push_back(own.buffer);
        return numbers;
    }

    plain_call any_call() {
        plain_set& model = both_.model;
        std::vector<int> programs;
        for (int number = 0; number < model.programs; ++number)
            if (model.has_part(number, 0) || model.has_part(number, 1)) programs.push_back(number);
        const std::vector<int> movable = live(false), all = live(true);
        const int choice = below(14);
        if (choice == 0) return {.what = verb::adopt, .kind = below(2)};
        if (choice == 1) return {.what = verb::retire, .until = below(model.issued + 1)};
        if (choice < 4 && !all.empty())
            return {.what = verb::free, .subject = any(all), .until = random_.once_in(2) ? 0 : below(model.issued + 1)};
        if (choice < 6 && !movable.empty())
            return {.what = verb::move_to, .kind = below(2), .subject = any(movable), .copies = !random_.once_in(4)};
        if (choice == 6 && programs.size() < 4) {
            plain_call load{.what = verb::load};
            for (int parts = 1 + below(3); parts-- > 0;) load.parts.push_back({below(2), 1 + below(3)});
            return load;
        }
        if (choice == 7 && programs.size() > 1) return {.what = verb::unload, .subject = any(programs)};
        if (choice < 12 && !programs.empty()) {
            plain_call run{.what = verb::run, .subject = any(programs)};
            for (const int number : all)
                if (random_.once_in(4)) run.inputs.push_back(number);
            for (const int number : movable)
                if (random_.once_in(5)) run.donated.push_back(number);
            for (int outputs = below(4); outputs-- > 0;) run.parts.push_back({below(2), 1 + below(3)});
            return run;
        }
        return {.what = verb::allocate, .kind = below(2), .size = 1 + below(4)};
    }

    testing::random_numbers random_;
    set_and_model<Spill> both_;
    int released_ = 0, adopted_ = 0;
};

template <class Spill>
counts tell(std::uint64_t seeds, const Spill& policy = {}, int wait_price = 0, int use_price = 0) {
    counts total;
    for_each_seed(seeds, 120, [&](std::uint64_t seed, std::uint32_t steps) {
        testing::outcome outcome{.subject = Spill::name.c_str(), .seed = seed};
        story<Spill> one(seed, policy, wait_price, use_price);
        outcome.broken = one.play(steps, outcome);
        if (outcome.ok() && !one.end(total)) outcome.broken = "an owner is not called once at the end";
        return outcome;
    });
    return total;
}

TEST_CASE("memory_set: random calls do what plain lists of blocks do") {
    const counts never = tell<never_spill>(200);
    const counts in_order = tell<spill_in_order>(200);
    // A byte in the other memory costs 600 nanoseconds, the wait for a run 1,000.
    const counts cheaper = tell(200, spill_if_cheaper{.uses = 600, .bytes_per_second = 1'000'000'000}, 1000, 600);
    CHECK(never.spilled == 0);
    if (!tries_all_seeds()) return;
    CHECK(never.failures > 1000);
    CHECK(in_order.spilled > 300);
    CHECK(cheaper.spilled > in_order.spilled);
    CHECK(in_order.adopted > 500);
}

}  // namespace
}  // namespace hbm::test::random_set_tests
