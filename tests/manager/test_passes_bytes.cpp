// Passes over real bytes: a thread copies while this one goes on allocating and freeing; copies fail at every k.
#include <hbm/hbm.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <testing/seeds.hpp>
#include <thread>
#include <vector>

#include "relief/failing_device.hpp"

namespace hbm::test::passes_bytes_tests {

namespace {

constexpr std::uint64_t q = 64;

/// Relief moves blocks on the device while a pass is open.
template <class P, class E = never_evict>
using moving = manager<P, E, never_donate, relieve_cheapest, host_device>;

/// Buffers in host memory, each filled with bytes of its own.
template <class Memory>
class filled_memory {
public:
    explicit filled_memory(std::uint64_t quanta, std::uint64_t seed)
        : memory{{.capacity = quanta * q, .quantum = q}, {.device = host_device(quanta * q)}}, random_(seed) {}

    void churn(int calls) {
        for (int call = 0; call < calls; ++call) {
            if (!held_.empty() && random_.up_to(9) < 4) {
                const std::size_t at = random_.up_to(held_.size() - 1);
                REQUIRE(memory.free(held_[at].handle));
                held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (const auto fresh = memory.allocate((1 + random_.up_to(7)) * q)) {
                held_.push_back({*fresh, random_.next()});
                write(memory, *fresh, held_.back().seed);
            }
        }
    }
    /// Copies the moves of a pass; those whose bit is set in `failing` write garbage. Returns these.
    trivial_vector<std::uint32_t> copy(const pass& begun, std::uint64_t failing) {
        trivial_vector<std::uint32_t> failed;
        for (std::uint32_t at = 0; at < begun.size(); ++at) {
            const begun_move& move = begun.moves[at];
            if (at < 64 && (failing >> at & 1) != 0) failed.push_back(at);
            if (!failed.empty() && failed.back() == at)
                std::ranges::fill(memory.device().bytes(move.to, move.bytes), std::byte{0xee});
            else
                memory.device().copy(move.to, move.from, move.bytes);
        }
        return failed;
    }
    [[nodiscard]] bool has_all_bytes() const {
        return std::all_of(held_.begin(), held_.end(),
                           [&](const filled_buffer& held) { return reads_back(memory, held.handle, held.seed); });
    }
    [[nodiscard]] std::uint64_t count_holes() const {
        std::uint64_t count = 0;
        for (const block_view& block : memory.blocks_and_holes()) count += block.kind == block_kind::hole;
        return count;
    }

    Memory memory;

private:
    struct filled_buffer {
        buffer handle;
        std::uint64_t seed = 0;
    };

    testing::random_numbers random_;
    std::vector<filled_buffer> held_;
};

}  // namespace

TEST_CASE_TEMPLATE("passes: nothing is lost while a thread copies, whichever copy fails", memory_type,
                   moving<compacting<best_fit>>, moving<compacting<first_fit>, evict_lru>,
                   moving<bottom_reserve<compacting<best_fit>>>) {
    pass_result sum;
    std::uint64_t moved_by_relief = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(10); ++seed) {
        filled_memory<memory_type> filled(512, seed);
        filled.churn(200);
        for (std::size_t fails = 0; fails < 24; ++fails) {
            const pass begun = filled.memory.begin_pass((1 + fails % 7) * 24 * q);
            trivial_vector<std::uint32_t> failed;
            std::thread copier([&] { failed = filled.copy(begun, std::uint64_t{1} << fails); });
            const std::uint64_t before = filled.memory.done_so_far().moves;
            filled.churn(60);
            moved_by_relief += filled.memory.done_so_far().moves - before;
            copier.join();
            const auto ended = filled.memory.end_pass(begun, failed);
            REQUIRE(ended);
            REQUIRE(filled.has_all_bytes());
            sum.arrived += ended->arrived;
            sum.stayed += ended->stayed;
            sum.failed += ended->failed;
        }
    }
    MESSAGE("moved ", sum.arrived, ", stayed ", sum.stayed, ", failed ", sum.failed, ", moved by relief ",
            moved_by_relief);
    if (!tries_all_seeds()) return;
    CHECK(sum.arrived > sum.stayed);
    CHECK(sum.stayed > 0);
    CHECK(sum.failed > 0);
    CHECK(moved_by_relief > 0);
}

TEST_CASE_TEMPLATE("passes: nothing is lost with each subset of copies failing, and repeated passes end", memory_type,
                   moving<compacting<best_fit>>, moving<compacting<first_fit>>,
                   moving<bottom_reserve<compacting<best_fit>>>) {
    std::uint64_t passes = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(100); ++seed) {
        std::uint64_t subsets = 1;
        for (std::uint64_t failing = 0; failing < subsets; ++failing) {
            filled_memory<memory_type> filled(96, seed);
            filled.churn(60);
            std::uint64_t longest = filled.memory.largest_free_bytes();
            std::uint64_t holes = filled.count_holes();
            const pass begun = filled.memory.begin_pass(~std::uint64_t{0});
            subsets = std::uint64_t{1} << std::min<std::size_t>(begun.size(), 5);
            REQUIRE(filled.memory.end_pass(begun, filled.copy(begun, failing)));
            REQUIRE(filled.has_all_bytes());
            if (failing == 0) {
                CHECK(filled.memory.largest_free_bytes() >= longest);
                CHECK(filled.count_holes() <= holes);
            }
            for (int more = 0;; ++more) {
                longest = filled.memory.largest_free_bytes();
                holes = filled.count_holes();
                const pass next = filled.memory.begin_pass(20 * q);
                if (next.empty()) break;
                REQUIRE(more < 100);
                REQUIRE(filled.memory.end_pass(next, filled.copy(next, 0)));
                REQUIRE(filled.has_all_bytes());
                CHECK(filled.memory.largest_free_bytes() >= longest);
                CHECK(filled.count_holes() <= holes);
                ++passes;
            }
            ++passes;
        }
    }
    MESSAGE(passes, " passes");
}

}  // namespace hbm::test::passes_bytes_tests
