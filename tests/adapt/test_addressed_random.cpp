// Random calls of `addressed` against a map of the live pointers, whose bytes are checked, also after moves.
#include <hbm/adapt/addressed.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/compact_first.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <bit>
#include <cstdint>
#include <iterator>
#include <manager/host_allocations.hpp>
#include <map>
#include <string>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::addressed_random_tests {

namespace {

/// A live buffer as the test knows it.
struct expected_buffer {
    std::uint64_t bytes = 0;  // as granted
    std::uint32_t pattern = 0;
    bool fixed = false;
};

/// A memory, and what must be in it.
template <class Addressed>
class compared_memory {
public:
    compared_memory(const memory_on_host& host, std::uint64_t quantum, std::uint64_t seed)
        : memory_(host.range(), memory_spec{.quantum = quantum}), quantum_(quantum), random_(seed) {
        if constexpr (Addressed::moves)
            memory_.on_move([](void* self, void* from, void* to,
                               std::uint64_t bytes) { static_cast<compared_memory*>(self)->moved(from, to, bytes); },
                            this);
    }

    void step() {
        switch (random_.below(16)) {
        case 0: return misuse();
        case 1:
            if constexpr (Addressed::moves) return compact();
            [[fallthrough]];
        case 2:
        case 3:
        case 4:
        case 5:
        case 6: return deallocate();
        default: return allocate();
        }
    }

    /// All that is live is where it should be and holds its bytes, and nothing overlaps.
    void check() const {
        std::uintptr_t end = address(memory_.base());
        std::uint64_t live = 0;
        for (const auto& [begin, held] : live_) {
            REQUIRE(begin >= end);
            end = begin + held.bytes;
            live += held.bytes;
            REQUIRE(*memory_.size_of(pointer(begin)) == held.bytes);
            const auto* words = reinterpret_cast<const std::uint32_t*>(begin);
            std::size_t wrong = 0;
            for (std::uint32_t at = 0; at < held.bytes / 4; ++at) wrong += words[at] != held.pattern + at;
            REQUIRE(wrong == 0);
        }
        REQUIRE(end <= address(memory_.base()) + memory_.capacity());
        REQUIRE(memory_.manager().live_bytes() == live);
        REQUIRE(memory_.use().in_use() == live);
    }

    void end() {
        while (!live_.empty()) deallocate();
        REQUIRE(memory_.manager().free_bytes() == memory_.capacity());
    }

    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    [[nodiscard]] std::uint64_t refusals() const { return refusals_; }

private:
    static std::uintptr_t address(const void* begin) { return reinterpret_cast<std::uintptr_t>(begin); }
    static void* pointer(std::uintptr_t begin) { return reinterpret_cast<void*>(begin); }

    void allocate() {
        const std::uint64_t most = random_.once_in(8) ? memory_.capacity() : memory_.capacity() / 12;
        const std::uint64_t bytes = random_.once_in(40) ? ~std::uint64_t{0} - random_.below(2000) : random_.up_to(most);
        const std::uint64_t alignment = random_.once_in(2) ? 0 : std::uint64_t{1} << random_.below(15);
        const bool fixed = Addressed::moves && random_.once_in(10);
        const bool fits_somewhere = fits(bytes, alignment);
        const auto made = fixed ? memory_.allocate_fixed(bytes, alignment) : memory_.allocate(bytes, alignment);
        if (!made) {
            ++refusals_;
            REQUIRE(memory_.last_failure() == made.error());
            if (alignment > memory_.largest_alignment())
                REQUIRE(made.error().what == address_error::base_is_aligned_to_less);
            else
                REQUIRE(made.error().what == address_error::call_failed);
            REQUIRE(!fits_somewhere);
            return;
        }
        REQUIRE(alignment <= memory_.largest_alignment());
        REQUIRE(address(*made) % (alignment == 0 ? 1 : alignment) == 0);
        const expected_buffer held{(bytes == 0 ? 0 : (bytes - 1) / quantum_) * quantum_ + quantum_,
                                   static_cast<std::uint32_t>(random_.next()), fixed};
        REQUIRE(live_.emplace(address(*made), held).second);
        auto* words = static_cast<std::uint32_t*>(*made);
        for (std::uint32_t at = 0; at < held.bytes / 4; ++at) words[at] = held.pattern + at;
    }

    /// Whether the placement must find a place without moves. Buddy has rules of its own.
    [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t alignment) const {
        if (alignment > memory_.largest_alignment() || bytes > memory_.capacity()) return false;
        if (!Addressed::manager_type::placement_type::merges_neighbours) return false;
        const std::uint64_t unit = alignment > quantum_ ? alignment : quantum_;
        const std::uint64_t size = (bytes == 0 ? 1 : (bytes - 1) / quantum_ + 1) * quantum_;
        std::uint64_t from = 0;
        const auto gap = [&](std::uint64_t to) {
            const std::uint64_t begin = (from + unit - 1) / unit * unit;
            return begin <= to && size <= to - begin;
        };
        for (const auto& [begin, held] : live_) {
            const std::uint64_t offset = begin - address(memory_.base());
            if (gap(offset)) return true;
            from = offset + held.bytes;
        }
        return gap(memory_.capacity());
    }

    void deallocate() {
        if (live_.empty()) return;
        const auto chosen = std::next(live_.begin(), static_cast<std::ptrdiff_t>(random_.below(live_.size())));
        void* const begin = pointer(chosen->first);
        live_.erase(chosen);
        REQUIRE(memory_.deallocate(begin));
        REQUIRE(memory_.deallocate(begin).error().what == address_error::not_live);
    }

    void misuse() {
        const std::uint64_t offset = random_.below(memory_.capacity() + 2 * quantum_);
        const std::uintptr_t wrong = address(memory_.base()) + offset - quantum_;
        auto above = live_.upper_bound(wrong);
        const bool first = live_.contains(wrong);
        if (first) return;
        address_error expected = address_error::not_live;
        if (offset < quantum_ || offset >= memory_.capacity() + quantum_)
            expected = address_error::outside;
        else if (above != live_.begin() && wrong < std::prev(above)->first + occupied(std::prev(above)->second.bytes))
            expected = address_error::inside_a_buffer;
        REQUIRE(memory_.deallocate(pointer(wrong)).error().what == expected);
    }
    /// Under buddy the block goes on behind what was granted.
    [[nodiscard]] std::uint64_t occupied(std::uint64_t granted) const {
        return Addressed::manager_type::placement_type::merges_neighbours
                   ? granted
                   : std::bit_ceil(granted / quantum_) * quantum_;
    }

    void compact() {
        if constexpr (Addressed::moves) {
            static_cast<void>(memory_.compact(random_.up_to(memory_.capacity())));
            REQUIRE(!memory_.manager().moving());
        }
    }

    void moved(void* from, void* to, std::uint64_t bytes) {
        ++moves_;
        const auto found = live_.find(address(from));
        REQUIRE(found != live_.end());
        REQUIRE(found->second.bytes == bytes);
        REQUIRE(!found->second.fixed);
        const expected_buffer held = found->second;
        live_.erase(found);
        REQUIRE(live_.emplace(address(to), held).second);
    }

    Addressed memory_;
    std::uint64_t quantum_;
    testing::random_numbers random_;
    std::map<std::uintptr_t, expected_buffer> live_;
    std::uint64_t moves_ = 0;
    std::uint64_t refusals_ = 0;
};

template <class Manager>
void compare(bool moves) {
    std::uint64_t moved = 0;
    std::uint64_t refused = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(12); ++seed) {
        const std::uint64_t quantum = std::uint64_t{64} << seed % 4;
        const memory_on_host host(200 * quantum + seed, std::uint64_t{64} << seed % 7);
        compared_memory<addressed<Manager>> compared(host, quantum, seed);
        for (int step = 0; step < 700; ++step) {
            INFO("manager ", std::string(Manager::name.c_str()), ", seed ", seed, ", step ", step);
            compared.step();
            if (step % 8 == 0) compared.check();
        }
        compared.check();
        compared.end();
        moved += compared.moves();
        refused += compared.refusals();
    }
    CHECK((moved > 0) == moves);
    CHECK((moved > 100 || !moves || !tries_all_seeds()));
    CHECK((refused > 100 || !tries_all_seeds()));
}

}  // namespace

TEST_CASE("pointers behave as a map says, where nothing moves") {
    compare<manager<best_fit>>(false);
    compare<manager<good_fit>>(false);
    compare<manager<first_fit>>(false);
    compare<manager<buddy>>(false);
    compare<manager<basic_best_fit<std::uint64_t>>>(false);
    compare<manager<bottom_reserve<best_fit_lifo>>>(false);
}

TEST_CASE("pointers behave as a map says, where buffers move with their bytes") {
    compare<manager<bottom_reserve<compacting<best_fit>>>>(true);
    compare<manager<compacting<first_fit>, evict_lru, donate_same_size, compact_first>>(true);
    compare<manager<compacting<buddy>>>(true);
    compare<manager<compacting<basic_good_fit<std::uint64_t>>>>(true);
    compare<manager<compacting<free_together<best_fit>>, never_evict, never_donate, relieve_cheapest, no_device,
                    statistics>>(true);
}

namespace {

/// How often the host was asked while 1,000 buffers came and went.
template <class Manager>
std::size_t asked_during_churn() {
    const memory_on_host host(std::uint64_t{1} << 25);
    addressed<Manager> memory{host.range(), memory_spec{.quantum = 64}};
    std::vector<void*> held;
    held.reserve(1000);
    memory.reserve_metadata(1000);
    testing::random_numbers random(1);
    const std::size_t before = host_allocations();
    for (int step = 0; step < 40'000; ++step) {
        const bool filling = step / 4000 % 2 == 0;
        if (held.size() < 1000 && (held.empty() || random.below(8) < (filling ? 6u : 2u))) {
            void* const made = memory.allocate_or_null(random.below(8000), 64);
            REQUIRE(made != nullptr);
            held.push_back(made);
        } else {
            const std::size_t at = random.below(held.size());
            REQUIRE(memory.deallocate(held[at]));
            held[at] = held.back();
            held.pop_back();
        }
    }
    return host_allocations() - before;
}

}  // namespace

TEST_CASE("after reserve_metadata pointers come and go without asking the host") {
    CHECK(asked_during_churn<manager<best_fit>>() == 0);
    CHECK(asked_during_churn<manager<good_fit>>() == 0);
    CHECK(asked_during_churn<manager<buddy>>() == 0);
    CHECK(asked_during_churn<manager<bottom_reserve<compacting<best_fit>>>>() == 0);
}

}  // namespace hbm::test::addressed_random_tests
