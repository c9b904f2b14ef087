// A manager is a value: copy it, try something, discard the copy.
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

int main() {
    hbm::manager<hbm::compacting<hbm::best_fit>> memory{{.name = "small", .capacity = 1_MiB}};
    const auto first = memory.allocate(256_KiB, "first");
    const auto second = memory.allocate(256_KiB, "second");
    const auto third = memory.allocate(256_KiB, "third");
    if (!first || !second || !third) return 1;
    memory.free(*first);
    memory.free(*third);  // 256 KiB free below `second`, 512 KiB above it

    // Would 768 KiB fit, and what would it cost? A fork has the same blocks and honours the same handles.
    auto trial = memory.fork();
    const bool fits = trial.allocate(768_KiB).has_value();
    std::printf("768 KiB: %s, moving %llu bytes in %llu moves\n", fits ? "fits" : "does not fit",
                static_cast<unsigned long long>(trial.done_so_far().moved_bytes),
                static_cast<unsigned long long>(trial.done_so_far().moves));

    // And if `second` may not move?
    auto pinned = memory.fork();
    pinned.pin(*second);
    const bool fits_around_a_wall = pinned.allocate(768_KiB).has_value();
    std::printf("with a pinned block: %s\n", fits_around_a_wall ? "fits" : "does not fit");

    // Nothing has happened to the original.
    const bool as_expected = fits && trial.done_so_far().moves == 1 && !fits_around_a_wall &&
                             memory.done_so_far().moves == 0 && memory.where(*second).offset == 256_KiB &&
                             memory == memory.fork();
    return as_expected ? 0 : 1;
}
