// Buffers in each placement against a plain model: places, sums, refusals and handles.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fuzz/plain_memory.hpp"

namespace {

using namespace hbm;
using test::expect;

constexpr std::uint64_t quantum = 256;

template <class Placement>
class placed {
public:
    explicit placed(test::numbers& numbers, std::uint64_t quanta)
        : numbers_(numbers), memory_(memory_spec{.capacity = quanta * quantum, .quantum = quantum}, {.salt = 1}),
          model_(static_cast<std::size_t>(quanta)) {}

    void run() {
        for (int step = 0; step < 150 && !numbers_.is_empty(); ++step) {
            switch (numbers_.below(8)) {
            default: allocate(); break;
            case 4:
            case 5: free(); break;
            case 6: import(); break;
            case 7: change_value();
            }
            check();
        }
    }

private:
    struct held {
        buffer handle;
        std::uint64_t offset;
        std::uint64_t length;
        bool is_live;
    };

    void keep(buffer handle) {
        const extent where = memory_.where(handle);
        expect(where.offset % quantum == 0 && where.size % quantum == 0, "a block is made of quanta");
        held_.push_back({handle, where.offset / quantum, where.size / quantum, true});
        model_.place(held_.size(), held_.back().offset, held_.back().length);
    }
    void allocate() {
        request wanted{.bytes = numbers_.below(numbers_.once_in(4) ? 65536 : 4096)};
        if (numbers_.once_in(4)) wanted.alignment = std::uint64_t{1} << numbers_.below(14);
        if (numbers_.once_in(8)) wanted.preferred = numbers_.once_in(2) ? side::high : side::low;
        if (numbers_.once_in(4)) wanted.expected = numbers_.once_in(2) ? lifetime::brief : lifetime::lasting;
        if (numbers_.once_in(4)) wanted.label = memory_.tag_of(numbers_.once_in(2) ? "a" : "b");
        if (numbers_.once_in(64)) wanted.bytes = ~numbers_.next();
        if (numbers_.once_in(64)) wanted.alignment = numbers_.next();
        const std::uint64_t length = wanted.bytes == 0 ? 1 : (wanted.bytes - 1) / quantum + 1;
        const std::uint64_t alignment = std::max<std::uint64_t>(1, wanted.alignment / quantum);
        const manager<Placement> before = memory_;
        const auto outcome = memory_.allocate(wanted);
        if (!outcome) {
            expect(memory_ == before, "a refused call changes nothing");
            if (wanted.alignment != 0 && !std::has_single_bit(wanted.alignment)) return;
            if (alignment > std::numeric_limits<typename Placement::quanta>::max()) return;
            expect(!fits(length, alignment), "what fits is placed");
            return;
        }
        const extent where = memory_.where(*outcome);
        expect(where.size / quantum >= length, "a block is as long as requested");
        expect(wanted.alignment == 0 || where.offset % wanted.alignment == 0, "a block is aligned");
        expect(memory_.granted(*outcome) == length * quantum, "what is granted is the request in quanta");
        if (wanted.preferred == side::any && model_.is_free(where.offset / quantum, length)) {
            const auto room = model_.room_for(length, alignment);
            if constexpr (std::same_as<Placement, best_fit> || std::same_as<Placement, best_fit_lifo>)
                expect(model_.run_around(where.offset / quantum) == room.shortest, "the hole is a shortest one");
            if constexpr (std::same_as<Placement, first_fit>)
                expect(where.offset / quantum == room.lowest, "the hole is the lowest");
        }
        keep(*outcome);
    }
    [[nodiscard]] bool fits(std::uint64_t length, std::uint64_t alignment) const {
        if (length > model_.capacity()) return false;
        if constexpr (std::same_as<Placement, buddy>) length = std::bit_ceil(length);
        if constexpr (std::same_as<Placement, buddy>) alignment = std::max(alignment, length);
        return model_.room_for(length, alignment).shortest != 0;
    }
    void free() {
        if (held_.empty()) return;
        held& chosen = held_[numbers_.below(held_.size())];
        expect(memory_.free(chosen.handle).has_value() == chosen.is_live, "free takes live buffers alone");
        if (chosen.is_live) model_.remove(chosen.offset, chosen.length);
        chosen.is_live = false;
    }
    void import() {
        if constexpr (imports<Placement>) {
            const std::uint64_t offset = numbers_.below(model_.capacity() + 2);
            const std::uint64_t length = numbers_.below(numbers_.once_in(4) ? model_.capacity() + 2 : 8);
            const auto outcome = memory_.import({offset * quantum, length * quantum});
            expect(outcome.has_value() == model_.is_free(offset, length), "a free range is imported");
            if (!outcome) return;
            expect(memory_.unpin(*outcome).has_value(), "what is imported is pinned");
            expect(memory_.where(*outcome).offset == offset * quantum, "what is imported is in its place");
            keep(*outcome);
        }
    }
    void change_value() {
        if (numbers_.once_in(2)) {
            manager<Placement> copy = memory_;
            expect(copy == memory_, "a copy is equal");
            memory_ = static_cast<manager<Placement>&&>(copy);
        } else if constexpr (requires { memory_.extend(quantum); }) {
            const std::uint64_t quanta = model_.capacity() + numbers_.below(16);
            if (memory_.extend(quanta * quantum)) model_.extend(static_cast<std::size_t>(quanta));
        }
    }
    void check() const {
        expect(memory_.capacity_bytes() == model_.capacity() * quantum, "the capacity is that of the model");
        expect(memory_.free_bytes() == model_.free() * quantum, "no quantum is lost");
        expect(memory_.largest_free_bytes() == model_.largest_free() * quantum, "the longest run is that of the model");
        for (const held& each : held_) {
            expect((memory_.check(each.handle) == error::none) == each.is_live,
                   "a live handle is good, others are not");
            if (each.is_live)
                expect(memory_.where(each.handle) == extent{each.offset * quantum, each.length * quantum},
                       "nothing moves");
        }
    }

    test::numbers& numbers_;
    manager<Placement> memory_;
    test::plain_memory model_;
    std::vector<held> held_;
};

template <class... Placements>
void run_one(test::numbers& numbers) {
    const std::uint64_t choice = numbers.below(sizeof...(Placements));
    const std::uint64_t quanta = 1 + numbers.below(128);
    std::uint64_t at = 0;
    ((at++ == choice ? placed<Placements>(numbers, quanta).run() : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    test::numbers numbers(data, size);
    run_one<best_fit, best_fit_lifo, first_fit, good_fit, buddy, bfc, free_together<best_fit>,
            lifetimes_apart<first_fit>, lifetimes_apart<best_fit>, bottom_reserve<good_fit>, bottom_reserve<bfc>,
            basic_best_fit<std::uint64_t>>(numbers);
    return 0;
}
