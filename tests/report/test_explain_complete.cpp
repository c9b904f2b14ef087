// In small memories nothing is missed: for every set of kinds (waiting, evicting, moving, unpinning) a brute force that
// shares no code with explain() finds a remedy of these kinds if and only if explain() offers one.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <testing/seeds.hpp>
#include <unordered_set>

#include "explain_support.hpp"

namespace hbm::test {
namespace {

using testing::random_numbers;

enum : unsigned { waiting = 1, evicting = 2, moving = 4, unpinning = 8, all_kinds = 15 };

/// A memory as plain numbers, in quanta.
struct arena {
    struct block {
        unsigned offset;
        unsigned size;
        unsigned alignment;
        bool movable;
    };
    unsigned capacity = 0;
    unsigned reserved = 0;  // [0, reserved) is in use
    unsigned level = 0;     // [0, level) must be free but for that
    unsigned length = 0;    // and so must a run of this length be above
    unsigned alignment = 1;
    std::vector<block> blocks = {};

    [[nodiscard]] bool free_but_for(std::size_t except, unsigned from, unsigned size) const {
        if (from < reserved || from + size > capacity) return false;
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (i != except && blocks[i].offset < from + size && from < blocks[i].offset + blocks[i].size) return false;
        return true;
    }
    [[nodiscard]] bool fits() const {
        const unsigned above = std::max(level, reserved);
        if (level > reserved && !free_but_for(blocks.size(), reserved, level - reserved)) return false;
        for (unsigned from = 0; from + length <= capacity; from += alignment)
            if (from >= above && free_but_for(blocks.size(), from, length)) return true;
        return false;
    }
    [[nodiscard]] std::uint64_t key() const {
        std::uint64_t key = 0;
        for (const block& one : blocks) key = key * 32 + one.offset;
        return key;
    }
};

/// Whether any sequence of moves of single blocks, each onto what is free but for itself, leads to a fit.
bool moves_lead_to_fit(const arena& start) {
    std::vector<arena> open{start};
    std::unordered_set<std::uint64_t> seen{start.key()};
    while (!open.empty()) {
        const arena here = open.back();
        open.pop_back();
        if (here.fits()) return true;
        for (std::size_t i = 0; i < here.blocks.size(); ++i) {
            if (!here.blocks[i].movable) continue;
            for (unsigned to = 0; to < here.capacity; to += here.blocks[i].alignment) {
                if (!here.free_but_for(i, to, here.blocks[i].size)) continue;
                arena next = here;
                next.blocks[i].offset = to;
                if (seen.insert(next.key()).second) open.push_back(next);
            }
        }
    }
    return false;
}

/// What is asked for, in quanta. With a program, the reservation must hold its scratch as well.
struct wish {
    unsigned length = 0;
    unsigned alignment = 1;
    bool is_program = false;
    unsigned scratch = 0;
    std::uint32_t slot = no_index;  // of one that is to come back
};

template <class Placement>
inline constexpr bool is_buddy = requires(Placement p) {
    { Placement::merges_neighbours } -> std::convertible_to<bool>;
    requires !Placement::merges_neighbours;
};

/// The memory after all that is of `kinds` was done, but for moving.
template <class Manager>
arena after(const Manager& memory, unsigned kinds, const wish& wanted) {
    auto fork = memory.fork();
    if ((kinds & waiting) != 0) fork.sync();
    const auto in_quanta = [](std::uint64_t bytes) { return static_cast<unsigned>(bytes / q); };
    arena made{.capacity = in_quanta(fork.capacity_bytes()), .length = wanted.length, .alignment = wanted.alignment};
    std::vector<bool> stays(fork.programs().size(), false);
    for (const block_view& block : fork.blocks())
        if (block.kind == block_kind::code)
            stays[block.owner] = (kinds & evicting) == 0 || block.holds != 0 || block.owner == wanted.slot;
    unsigned level = 0;
    for (std::size_t slot = 0; slot < stays.size(); ++slot) {
        const unsigned scratch = in_quanta(fork.programs()[slot].scratch);
        if (stays[slot]) level = std::max(level, scratch);
    }
    for (const block_view& block : fork.blocks()) {
        if (block.kind == block_kind::reservation) made.reserved = std::min(level, in_quanta(block.where.size));
        const bool of_program = block.kind == block_kind::code || block.kind == block_kind::scratch;
        if (block.kind == block_kind::reservation || (of_program && !stays[block.owner])) continue;
        const bool pinned = block.pins != 0 && (kinds & unpinning) == 0;
        unsigned alignment = 1;
        // What was aligned when it was allocated stays so; the map is asked, since no view tells.
        for (block_index index = 0; index < 64; ++index)
            if (block.kind == block_kind::data && block.handle.index == index)
                alignment = fork.state().blocks.map().alignment(index);
        if (is_buddy<typename Manager::placement_type>)
            alignment = std::max(alignment, std::bit_ceil(in_quanta(block.where.size)));
        made.blocks.push_back({in_quanta(block.where.offset), in_quanta(block.where.size), alignment,
                               block.kind != block_kind::deferred && block.holds == 0 && !pinned});
    }
    if (wanted.is_program && wanted.scratch != 0) made.level = std::max(level, wanted.scratch);
    if (is_buddy<typename Manager::placement_type>) {
        made.length = std::bit_ceil(made.length);
        made.alignment = std::max(made.alignment, made.length);
    }
    return made;
}

struct tally {
    std::uint32_t compared = 0;
    std::uint32_t possible = 0;    // sets of kinds that have a remedy
    std::uint32_t impossible = 0;  // and that have none
};

template <class Manager>
const char* wrong_about(const Manager& memory, const attempt& tried, const wish& wanted, tally& seen) {
    auto trial = memory.fork();
    if (tried.on(trial).reason == error::none) return nullptr;
    const explanation what = explanation_of(memory, tried);
    ++seen.compared;
    bool any = false;
    for (unsigned kinds = 1; kinds <= all_kinds; ++kinds) {
        bool offered = false;
        for (const named_advice& given : what.remedies) {
            if (given.what.ask_for || given.what.capacity) continue;
            const unsigned used = (given.what.has(step_kind::wait) ? +waiting : 0u) |
                                  (given.what.has(step_kind::evict) ? +evicting : 0u) |
                                  (given.what.has(step_kind::move) ? +moving : 0u) |
                                  (given.what.unpin.empty() ? 0u : +unpinning);
            offered = offered || (used & ~kinds) == 0;
        }
        const arena relieved = after(memory, kinds, wanted);
        const bool exists = (kinds & moving) != 0 ? moves_lead_to_fit(relieved) : relieved.fits();
        if (offered && !exists) return "explain offers what the brute force does not find";
        if (!offered && exists) return "the brute force finds what explain does not offer";
        (exists ? seen.possible : seen.impossible) += 1;
        any = any || exists;
    }
    if (!any && what.conclusion != verdict::not_enough_bytes && what.conclusion != verdict::walls)
        return "there is no remedy, and that was not proven";
    return nullptr;
}

template <class Manager>
void compare_many(std::uint64_t seeds) {
    using placement = typename Manager::placement_type;
    tally seen;
    for_each_seed(seeds, 12, [&](std::uint64_t seed, std::uint32_t steps) -> testing::outcome {
        random_numbers random(seed * 104729);
        random_memory<Manager> story(random, 5 + random.below(10), steps, 100);
        const Manager& memory = story.memory();
        if (memory.state().blocks.map().live_blocks() > 8) return {};
        const auto free = static_cast<unsigned>(memory.free_bytes() / q);
        const unsigned size = 1 + static_cast<unsigned>(random.up_to(free + 1));
        const char* wrong = nullptr;
        if (random.once_in(2) || !(reserves<placement>)) {
            const unsigned alignment = random.once_in(3) ? 1u << random.below(3) : 1;
            wrong = wrong_about(memory, request{.bytes = size * q, .alignment = alignment * q},
                                {.length = size, .alignment = alignment}, seen);
        } else if (random.once_in(3) && !memory.programs().empty()) {
            for (std::uint32_t slot = 0; slot < memory.programs().size() && wrong == nullptr; ++slot) {
                const program_record& record = memory.programs()[slot];
                if (!record.resident && record.generation % 2 == 1)
                    wrong = wrong_about(memory, memory.handle_of(slot),
                                        {.length = static_cast<unsigned>(record.code / q),
                                         .is_program = true,
                                         .scratch = static_cast<unsigned>(record.scratch / q),
                                         .slot = slot},
                                        seen);
            }
        } else {
            const unsigned code = 1 + static_cast<unsigned>(random.below(3));
            wrong = wrong_about(memory, program_spec{.name = "new", .code = code * q, .scratch = size * q},
                                {.length = code, .is_program = true, .scratch = size}, seen);
        }
        return {.broken = wrong, .subject = Manager::full_name.c_str(), .seed = seed, .step = steps};
    });
    if (!tries_all_seeds()) return;
    CHECK(seen.compared > seeds / 4);
    CHECK(seen.possible > seeds / 4);
    CHECK(seen.impossible > seeds);
}

}  // namespace

TEST_CASE_TEMPLATE("in small memories nothing is missed and nothing invented", Manager,
                   manager<best_fit, never_evict, never_donate, never_relieve>,
                   manager<bottom_reserve<compacting<best_fit>>, never_evict>,
                   manager<bottom_reserve<first_fit>, evict_lru>, manager<compacting<buddy>, never_evict>,
                   manager<bottom_reserve<buddy>, never_evict>) {
    compare_many<Manager>(300);
}

}  // namespace hbm::test
