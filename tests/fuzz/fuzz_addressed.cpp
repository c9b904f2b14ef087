// Pointers over a manager that moves buffers: bytes follow their pointers, wrong pointers are errors.
#include <hbm/adapt/addressed.hpp>
#include <hbm/hbm.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/fuzzing.hpp"

namespace {

using namespace hbm;
using test::expect;
using memory_type = addressed<manager<compacting<best_fit>>>;

struct held {
    unsigned char* begin;
    std::uint64_t bytes;
    unsigned char written;
    std::uint32_t pins;
};

struct owner {
    std::vector<held> buffers;

    [[nodiscard]] held* find(const void* begin) {
        for (held& each : buffers)
            if (each.begin == begin) return &each;
        return nullptr;
    }
};

void follow(void* context, void* from, void* to, std::uint64_t) {
    held* const moved = static_cast<owner*>(context)->find(from);
    expect(moved != nullptr && moved->pins == 0, "a buffer moves that is live and not pinned");
    moved->begin = static_cast<unsigned char*>(to);
}

alignas(4096) std::array<unsigned char, 8192> bytes;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    test::numbers numbers(data, size);
    owner known;
    unsigned char next = 0;
    {
        memory_type memory{{bytes.data(), 64 * (1 + numbers.below(128))}, {.quantum = 64}, {.salt = 1}};
        memory.on_move(follow, &known);
        for (int step = 0; step < 150 && !numbers.is_empty(); ++step) {
            const std::uint64_t choice = numbers.below(8);
            held* const chosen = known.buffers.empty() ? nullptr : &known.buffers[numbers.below(known.buffers.size())];
            if (choice < 4) {
                const std::uint64_t wanted = numbers.below(numbers.once_in(4) ? 4096 : 512);
                const std::uint64_t alignment = numbers.once_in(4) ? std::uint64_t{1} << numbers.below(14) : 0;
                const auto outcome = memory.allocate(wanted, alignment);
                if (outcome) {
                    auto* const begin = static_cast<unsigned char*>(*outcome);
                    expect(alignment == 0 || reinterpret_cast<std::uintptr_t>(begin) % alignment == 0, "it is aligned");
                    known.buffers.push_back({begin, *memory.size_of(begin), ++next, 0});
                    expect(known.buffers.back().bytes >= wanted, "a buffer has its bytes");
                    for (std::uint64_t at = 0; at < known.buffers.back().bytes; ++at) begin[at] = next;
                }
            } else if (choice == 4 && chosen != nullptr) {
                if (numbers.once_in(4)) expect(!memory.deallocate(chosen->begin + 1), "a buffer ends at its beginning");
                expect(memory.deallocate(chosen->begin).has_value(), "a live buffer is freed");
                expect(!memory.deallocate(chosen->begin), "a buffer is freed once");
                *chosen = known.buffers.back();
                known.buffers.pop_back();
            } else if (choice == 5 && chosen != nullptr) {
                const bool adds = chosen->pins == 0 || numbers.once_in(2);
                expect((adds ? memory.pin(chosen->begin) : memory.unpin(chosen->begin)).has_value(),
                       "pins are counted");
                chosen->pins += adds ? 1 : ~std::uint32_t{0};
            } else if (choice == 6) {
                (void)memory.compact(numbers.below(8192));
            } else if (choice == 7) {
                void* const anywhere = bytes.data() + numbers.below(bytes.size());
                expect(memory.size_of(anywhere).has_value() == (known.find(anywhere) != nullptr), "pointers are known");
            }
            for (const held& each : known.buffers)
                for (std::uint64_t at = 0; at < each.bytes; ++at)
                    expect(each.begin[at] == each.written, "bytes are kept");
        }
        for (const held& each : known.buffers)
            expect(memory.deallocate(each.begin).has_value(), "a live buffer is freed");
        expect(memory.manager().free_bytes() == memory.capacity(), "no byte is lost");
    }
    return 0;
}
