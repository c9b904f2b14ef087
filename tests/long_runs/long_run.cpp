// Long runs of random calls over large memories; now and then a plain list of the live buffers is compared with the
// manager. `hbm_long_run OPERATIONS SEED [placements|managers [QUANTA]]`: the types share the operations, and the
// memory of a manager with programs has QUANTA quanta.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/relief/rent_or_buy.hpp>
#include <hbm/testing/random.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

#include "long_runs/plain_list.hpp"

namespace {

using namespace hbm;

constexpr std::uint64_t quantum = 256;
constexpr std::uint64_t checked_every = std::uint64_t{1} << 17;

void expect(bool holds, const char* rule) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", rule);
    std::abort();
}

template <class Manager>
class long_run {
    static constexpr bool has_programs = !std::is_same_v<Manager, manager<typename Manager::placement_type>>;

public:
    long_run(std::uint64_t seed, std::uint64_t quanta)
        : random_(seed),
          memory_({.capacity = quanta * quantum, .quantum = quantum, .runs_in_flight = has_programs ? 4u : 0u},
                  {.salt = 1}) {}

    void make(std::uint64_t operations) {
        for (std::uint64_t done = 0; done < operations; ++done) {
            if (done % checked_every == 0) check();
            if (phase_left_-- == 0) begin_phase();
            call();
        }
        check();
        for (const test::live_buffer& kept : live_) expect(memory_.free(kept.handle).has_value(), "a buffer is freed");
        for (const program loaded : programs_) expect(memory_.unload(loaded).has_value(), "a program is unloaded");
        memory_.sync();
        expect(memory_.free_bytes() == memory_.capacity_bytes(), "no byte is lost");
        std::printf("%s: %llu operations, %llu refused, %llu programs evicted, %llu moves\n", Manager::name.c_str(),
                    static_cast<unsigned long long>(operations), static_cast<unsigned long long>(refused_),
                    static_cast<unsigned long long>(memory_.done_so_far().evictions),
                    static_cast<unsigned long long>(memory_.done_so_far().moves));
    }

private:
    /// A phase has a number of live buffers of its own, sizes of its own, and an order of frees of its own.
    void begin_phase() {
        phase_left_ = 1 + random_.below(has_programs ? 20'000 : 200'000);
        most_live_ = 1 + random_.below(has_programs ? 2'000 : 60'000);
        longest_ = std::uint64_t{1} << random_.below(has_programs ? 10 : 12);
        sizes_ = random_.below(4);
        order_ = random_.below(3);
    }
    [[nodiscard]] std::uint64_t any_size() {
        const std::uint64_t size = quantum * (1 + random_.below(longest_));
        switch (sizes_) {
        case 0: return quantum * longest_;
        case 1: return std::bit_ceil(size);
        case 2: return random_.once_in(64) ? 16 * size : 1 + size / 16;
        default: return size;
        }
    }
    void call() {
        if constexpr (has_programs) {
            const std::uint64_t chosen = random_.below(64);
            if (chosen < 16) return run();
            if (chosen == 16) return change_programs();
            if (chosen == 17) return memory_.sync();
        }
        if (live_.empty() || (live_.size() < most_live_ && random_.below(8) < 5)) return allocate();
        free(order_ == 0   ? live_.size() - 1
             : order_ == 1 ? next_ % live_.size()
                           : static_cast<std::size_t>(random_.below(live_.size())));
        ++next_;
    }
    void allocate() {
        request wanted{.bytes = any_size()};
        if (random_.once_in(16)) wanted.alignment = quantum << random_.below(6);
        if (random_.once_in(16)) wanted.expected = random_.once_in(2) ? lifetime::brief : lifetime::lasting;
        const auto outcome = memory_.allocate(wanted);
        if (!outcome) return refuse(wanted);
        keep(*outcome, wanted.bytes);
        expect(wanted.alignment == 0 || live_.back().where.offset % wanted.alignment == 0, "a block is aligned");
    }
    void refuse(const request& wanted) {
        ++refused_;
        most_live_ = live_.size() - live_.size() / (has_programs ? 2 : 16);
        // (A buddy block has places of its own.)
        if constexpr (!has_programs && !std::is_same_v<typename Manager::placement_type, buddy>)
            if (refused_ % 16 == 0 && wanted.alignment <= quantum)
                expect(test::space_left(ranges(), memory_.capacity_bytes()).longest < wanted.bytes,
                       "what fits is placed");
    }
    void keep(buffer handle, std::uint64_t bytes) {
        live_.push_back({handle, memory_.where(handle)});
        expect(live_.back().where.size >= bytes, "a buffer has its bytes");
    }
    void free(std::size_t at) {
        const buffer freed = live_[at].handle;
        expect(memory_.free(freed).has_value(), "a buffer is freed");
        expect(memory_.check(freed) == error::stale_handle, "its handle is stale");
        live_[at] = live_.back();
        live_.pop_back();
    }

    // -- programs --

    void change_programs() {
        if (programs_.size() < 24) {
            const auto loaded = memory_.load({.name = "p", .code = any_size(), .scratch = any_size()});
            if (loaded) programs_.push_back(*loaded);
            return;
        }
        const std::size_t at = random_.below(programs_.size());
        expect(memory_.unload(programs_[at]).has_value(), "a program is unloaded");
        programs_[at] = programs_.back();
        programs_.pop_back();
    }
    void run() {
        if (programs_.empty() || live_.empty()) return;
        const std::size_t donor = random_.below(live_.size());
        const std::size_t read = random_.below(live_.size());
        const buffer donated = live_[donor].handle;
        const buffer input = live_[read].handle;
        const std::uint64_t sizes[] = {live_[donor].where.size, any_size()};
        const output outputs[] = {output{sizes[0]}, output{sizes[1]}};
        const auto ran =
            memory_.run(programs_[random_.below(programs_.size())], {.inputs = {&input, read == donor ? 0u : 1u},
                                                                     .donated = {&donated, 1},
                                                                     .outputs = outputs,
                                                                     .run_us = random_.below(100)});
        if (!ran) return void(++refused_);
        expect(memory_.check(donated) == error::stale_handle, "a donor ends");
        live_[donor] = live_.back();
        live_.pop_back();
        for (std::size_t at = 0; at < 2; ++at) keep(ran->outputs[at], sizes[at]);
    }

    // -- checks --

    [[nodiscard]] std::vector<extent> ranges() const {
        std::vector<extent> taken;
        for (const test::live_buffer& kept : live_) taken.push_back(memory_.where(kept.handle));
        return taken;
    }
    void check() {
        if constexpr (has_programs) memory_.sync();
        std::vector<extent> taken = ranges();
        for (std::size_t at = 0; at < live_.size(); ++at) {
            expect(memory_.check(live_[at].handle) == error::none, "a live handle is good");
            expect(taken[at].size == live_[at].where.size, "a block keeps its size");
            if (memory_.done_so_far().moves == 0) expect(taken[at] == live_[at].where, "nothing moves");
        }
        for (const program loaded : programs_) {
            const program_record& record = memory_.about(loaded);
            for (const block_index block : {record.code_block, record.scratch_block})
                if (record.resident && block != no_block) taken.push_back(memory_.state().where(block));
        }
        if (memory_.reserved_bytes() != 0) taken.push_back({0, memory_.reserved_bytes()});
        const test::free_space left = test::space_left(taken, memory_.capacity_bytes());
        expect(memory_.free_bytes() == left.sum, "no byte is lost");
        expect(memory_.largest_free_bytes() == left.longest, "the longest free run is as long as reported");
        Manager copy = memory_;
        expect(copy == memory_, "a copy is equal");
        memory_ = static_cast<Manager&&>(copy);
    }

    testing::random_numbers random_;
    Manager memory_;
    std::vector<test::live_buffer> live_;
    std::vector<program> programs_;
    std::uint64_t phase_left_ = 0;
    std::uint64_t most_live_ = 1;
    std::uint64_t longest_ = 1;
    std::uint64_t sizes_ = 0;
    std::uint64_t order_ = 0;
    std::uint64_t refused_ = 0;
    std::size_t next_ = 0;
};

template <class... Managers>
void make(std::uint64_t operations, std::uint64_t seed, std::uint64_t quanta) {
    (long_run<Managers>(seed, quanta).make(operations / sizeof...(Managers)), ...);
}

}  // namespace

int main(int count, char** arguments) {
    const std::uint64_t operations = count < 3 ? 200'000 : std::strtoull(arguments[1], nullptr, 10);
    const std::uint64_t seed = count < 3 ? 1 : std::strtoull(arguments[2], nullptr, 10);
    const std::string_view only = count < 4 ? "" : arguments[3];
    const std::uint64_t quanta = count < 5 ? 1u << 18 : std::strtoull(arguments[4], nullptr, 10);
    if (only != "managers")
        make<manager<best_fit>, manager<best_fit_lifo>, manager<first_fit>, manager<good_fit>, manager<buddy>,
             manager<bfc>, manager<basic_best_fit<std::uint64_t>>, manager<free_together<best_fit>>,
             manager<lifetimes_apart<first_fit>>, manager<lifetimes_apart<best_fit>>,
             manager<bottom_reserve<good_fit>>, manager<bottom_reserve<best_fit_lifo>>>(operations, seed, 1u << 22);
    if (only != "placements")
        make<tpu::runtime_memory, manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>,
             manager<bottom_reserve<best_fit>, evict_greedy_dual, donate_fitting>,
             manager<compacting<good_fit>, never_evict, donate_same_size>, manager<first_fit, evict_lru>,
             manager<compacting<buddy>, evict_lru, donate_same_size>,
             manager<bottom_reserve<compacting<first_fit>>, evict_lru, donate_fitting, rent_or_buy>,
             manager<bottom_reserve<compacting<basic_best_fit<std::uint64_t>>>, evict_cheapest_window,
                     donate_same_size>>(operations, seed, quanta);
    return 0;
}
