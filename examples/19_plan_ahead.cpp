// A program that repeats its steps is planned for: from what it did at first to where its blocks go later; and by a
// placement that is told nothing and learns. With the name of a trace, that of an allocation log such as
// record_torch.py writes, unpacked, it says what a plan from the first third of the rows is worth for it, and what
// learning is.
#include <hbm/pack/learning.hpp>
#include <hbm/pack/plan_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/planned.hpp>
#include <hbm/trace/read.hpp>
#include <hbm/trace/sequence_of.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

// 1. Four weights and steps: activations, each beside scratch that is gone at once, then back through them.
hbm::known_sequence program(int steps) {
    hbm::known_sequence made;
    for (const std::uint32_t weight : {64u, 96u, 32u, 80u}) made.ask(weight);
    for (int step = 0; step < steps; ++step) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t layer = 0; layer < 12; ++layer) {
            const std::uint32_t scratch = made.ask(40 + 6 * layer);
            kept.push_back(made.ask(16 + layer % 3));
            made.free(scratch);
        }
        for (; !kept.empty(); kept.pop_back()) made.free(kept.back());
    }
    return made;
}

// 2. The footprint of a placement: the highest end of a block in a memory without a limit, in quanta.
template <class Placement>
std::uint64_t footprint(Placement memory, const hbm::known_sequence& all) {
    std::vector<hbm::block_index> blocks(all.lives().size(), hbm::no_block);
    std::uint64_t highest = 0;
    for (const auto& each : all.events()) {
        if (each.is_free) {
            memory.release(blocks[each.request]);
            continue;
        }
        const hbm::block_index block = memory.place({.length = all.lives()[each.request].size});
        blocks[each.request] = block;
        if (memory.map().end(block) > highest) highest = memory.map().end(block);
    }
    return highest;
}

}  // namespace

int main(int argc, char** argv) {
    using planned = hbm::planned<hbm::best_fit>;
    hbm::known_sequence seen = program(6);
    hbm::known_sequence all = program(60);
    if (argc > 1) {
        const auto load = hbm::trace::read_file(argv[1]);
        if (!load) {
            std::puts(load.error().message().c_str());
            return 2;
        }
        seen = hbm::trace::sequence_of(*load, load->rows.size() / 3, 512);
        all = hbm::trace::sequence_of(*load, load->rows.size(), 512);
    }

    // 3. The plan is a value that someone keeps; planned<P> looks at it.
    const hbm::sequence_plan plan = hbm::plan_for(seen);
    const std::uint64_t without = footprint(hbm::best_fit(hbm::best_fit::unlimited), all);
    const std::uint64_t with = footprint(planned(planned::unlimited, plan), all);
    using learning = hbm::learning<hbm::best_fit>;
    const std::uint64_t learned = footprint(learning(learning::unlimited), all);
    std::printf("best fit %llu quanta, planned %llu, as planned for what was seen %u; learning %llu\n",
                static_cast<unsigned long long>(without), static_cast<unsigned long long>(with), plan.height,
                static_cast<unsigned long long>(learned));
    return argc > 1 || with < without ? 0 : 1;
}
