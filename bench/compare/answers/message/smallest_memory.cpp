#include "compare/answers/message/smallest_memory.hpp"

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/reservation.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/growth/growth_onset.hpp>
#include <hbm/growth/growth_tally.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_order.hpp>
#include <hbm/manager/compact.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/manager/policy_order.hpp>
#include <hbm/manager/runs.hpp>
#include <hbm/manager/waiting_transaction.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/planning_problem.hpp>
#include <hbm/search/exact_search.hpp>
#include <hbm/search/joint_search.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/need_packing.hpp>
#include <hbm/search/room_search.hpp>
#include <hbm/search/segment.hpp>
#include <hbm/search/slide.hpp>
#include <hbm/state/pending_move.hpp>
#include <hbm/state/plan.hpp>
#include <hbm/tpu.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "compare/read/message/read.hpp"
#include "compare/read/reading.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace {

/// A run of memory: a hole, or a block.
struct portion {
    std::uint64_t bytes = 0;
    bool is_free = true;
    bool may_move = true;
};

/// What is to be built.
struct blueprint {
    std::uint64_t asked = 0;
    std::uint64_t reserved = 0;          // scratch of a program that is loaded before
    std::vector<portion> portions = {};  // above the reservation, in address order
    std::uint64_t quantum = default_quantum;
    std::uint64_t top_reserved = 0;
};

bool prints_like(std::uint64_t bytes, const rounded_size& size) {
    return size.is_exact() ? bytes == size.bytes
                           : bytes >= size.low && bytes <= size.high && size_in_words(bytes) == in_words(size);
}

/// The first or the last number that prints like `size`, if `inside` does. Bounds count what truncation may have
/// dropped, ties go either way, and numbers below a unit are printed in the one below: those near the bounds may print
/// differently. O(log of the distance).
std::uint64_t outermost_like(const rounded_size& size, std::uint64_t inside, bool is_first) {
    std::uint64_t outside = is_first ? size.low : size.high;
    if (prints_like(outside, size)) return outside;
    for (;;) {
        const std::uint64_t low = std::min(inside, outside);
        const std::uint64_t apart = std::max(inside, outside) - low;
        if (apart <= 1) return inside;
        const std::uint64_t middle = low + apart / 2;
        (prints_like(middle, size) ? inside : outside) = middle;
    }
}

/// A multiple of `quantum` that prints like `size`: the smallest, the largest or the closest. Empty if there is none.
enum class pick : std::uint8_t { smallest, closest, largest };

std::optional<std::uint64_t> bytes_like(const rounded_size& size, std::uint64_t quantum, pick which) {
    // 1024.0K are a byte less than 1.00M.
    const std::uint64_t inside = prints_like(size.bytes, size) || size.bytes == 0 ? size.bytes : size.bytes - 1;
    if (!prints_like(inside, size)) return std::nullopt;
    const std::uint64_t first = outermost_like(size, inside, true);
    const std::uint64_t last = outermost_like(size, inside, false) / quantum * quantum;
    if (last < first) return std::nullopt;
    if (which == pick::largest) return last;
    // No multiple above `last` prints alike, so none of the sums below exceeds it.
    const auto from = [&](std::uint64_t bytes) { return bytes > last ? last : bytes + (last - bytes) % quantum; };
    if (which == pick::smallest) return from(first);
    const std::uint64_t down = std::min(size.bytes / quantum * quantum, last);
    const std::uint64_t up = from(size.bytes);
    return down < first || (up >= size.bytes && up - size.bytes < size.bytes - down) ? up : down;
}

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t quantum) noexcept {
    return bytes / quantum * quantum + (bytes % quantum == 0 ? 0 : quantum);
}

constexpr std::uint64_t most_pieces = 1000;

/// Walls that can be seen in a map of 100 characters where there are few of them.
constexpr std::uint64_t visible_wall(std::uint64_t free, std::uint64_t walls, std::uint64_t quantum) {
    return std::max(quantum, rounded_up(free / 40 / walls, quantum));
}

/// Too little is free: a buffer, and above all the free memory. The request would fit if the memory were empty.
std::optional<blueprint> of_shortage(const memory_message& from, std::uint64_t quantum) {
    auto free = bytes_like(*from.free, quantum, pick::closest);
    auto asked = bytes_like(*from.asked, 1, pick::closest);
    if (free && asked && *asked <= *free) {
        free = bytes_like(*from.free, quantum, pick::smallest);
        asked = bytes_like(*from.asked, quantum, pick::largest);  // what is granted is printed
    }
    if (!free || !asked || *asked <= *free || *asked > ~std::uint64_t{0} - quantum) return std::nullopt;
    blueprint made{.asked = *asked, .quantum = quantum};
    if (*free != 0) made.portions.push_back({*free});
    made.portions.push_back({rounded_up(*asked, quantum) - *free, false});
    return made;
}

/// Enough is free, in pieces: as few pieces as possible, with a block between two of them that cannot be moved.
std::optional<blueprint> in_pieces(const memory_message& from, std::uint64_t quantum) {
    auto free = bytes_like(*from.free, quantum, pick::closest);
    auto asked = bytes_like(*from.asked, 1, pick::closest);
    auto largest = bytes_like(*from.largest, quantum, pick::closest);
    if (free && asked && *asked > *free) {
        free = bytes_like(*from.free, quantum, pick::largest);
        asked = bytes_like(*from.asked, 1, pick::smallest);
    }
    if (largest && asked && *asked <= *largest) largest = bytes_like(*from.largest, quantum, pick::smallest);
    if (largest && asked && *asked <= *largest) asked = bytes_like(*from.asked, quantum, pick::largest);
    if (free && asked && *asked > *free) free = bytes_like(*from.free, quantum, pick::largest);
    if (!free || !asked || !largest || *largest == 0 || *asked > *free || *asked <= *largest) return std::nullopt;
    const std::uint64_t pieces = *free / *largest + (*free % *largest == 0 ? 0 : 1);
    if (pieces > most_pieces || pieces < 2) return std::nullopt;
    const std::uint64_t wall = visible_wall(*free, pieces - 1, quantum);
    blueprint made{.asked = *asked, .quantum = quantum};
    for (std::uint64_t left = *free; left != 0;) {
        const std::uint64_t piece = std::min(left, *largest);
        made.portions.push_back({piece});
        left -= piece;
        if (left != 0) made.portions.push_back({wall, false, false});
    }
    return made;
}

/// The bottom of memory is too short: what is reserved, the free run above it, a block, and what else is free.
std::optional<blueprint> at_the_bottom(const memory_message& from, std::uint64_t quantum) {
    auto free = bytes_like(*from.free, quantum, pick::closest);
    auto asked = bytes_like(*from.asked, 1, pick::closest);
    const auto reserved = bytes_like(*from.reserved, quantum, pick::closest);
    auto run = bytes_like(*from.reservable, quantum, pick::closest);
    // What prints alike is taken for the same: then nothing else is free.
    if (free && run && prints_like(*free, *from.reservable)) run = free;
    if (free && run && *run > *free) run = bytes_like(*from.reservable, quantum, pick::smallest);
    if (!free || !asked || !reserved || !run || *run > *free) return std::nullopt;
    if (*asked <= saturating_add(*reserved, *run)) asked = bytes_like(*from.asked, quantum, pick::largest);
    if (!asked) return std::nullopt;
    if (missing_for_reservation(*asked, *reserved, *run) == 0 || *asked > ~std::uint64_t{0} - quantum)
        return std::nullopt;
    blueprint made{.asked = *asked, .reserved = *reserved, .quantum = quantum};
    const std::uint64_t needed = missing_for_reservation(rounded_up(*asked, quantum), *reserved, *free);
    const bool is_whole = *run == *free;
    if (*run != 0) made.portions.push_back({*run});
    // Whoever has reserved can be thrown out, with its code of a quantum: then more than that has to be missing.
    const bool may_move = is_whole && (*reserved == 0 || needed > quantum);
    made.portions.push_back(
        {is_whole ? std::max(needed, quantum) : std::max(needed, visible_wall(*free, 1, quantum)), false, may_move});
    if (!is_whole) made.portions.push_back({*free - *run});
    return made;
}

std::optional<blueprint> drawn_up(const memory_message& from, std::uint64_t quantum) {
    if (from.kind == message_kind::reservation)
        return from.reserved && from.reservable ? at_the_bottom(from, quantum) : std::nullopt;
    if (from.largest) return in_pieces(from, quantum);
    auto made = of_shortage(from, quantum);
    const bool has_ledger = made && from.ledger && from.ledger->allocated && from.ledger->allocated->is_exact() &&
                            from.ledger->allocated->bytes % quantum == 0;
    if (has_ledger) {
        made->portions.back().bytes = from.ledger->allocated->bytes;
        if (from.ledger->top_reserved && from.ledger->top_reserved->bytes % quantum == 0)
            made->top_reserved = from.ledger->top_reserved->bytes;
    }
    return made;
}

/// Whether a failure in the model prints what the message printed.
bool says_the_same(const memory_message& from, const failure& why, const std::string& printed) {
    const outcome<found_messages> read = read_messages("", printed);
    if (!read || read->messages.size() != 1) return false;
    const memory_message& found = read->messages.front();
    const auto alike = [](const std::optional<rounded_size>& said, const std::optional<rounded_size>& model) {
        if (!said || !model) return said.has_value() == model.has_value();
        return size_in_words(said->bytes) == size_in_words(model->bytes);
    };
    return for_want_of_room(why.reason) && found.kind == from.kind && found.program == from.program &&
           alike(from.asked, found.asked) && alike(from.free, found.free) && alike(from.largest, found.largest) &&
           alike(from.reserved, found.reserved) && alike(from.reservable, found.reservable);
}

failure_place place_of(const memory_message& from) {
    failure_place place;
    const auto number_at = [](std::string_view text, std::size_t& at) {
        std::uint32_t value = 0;
        while (at < text.size() && (text[at] < '0' || text[at] > '9')) ++at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
            value = value * 10 + static_cast<std::uint32_t>(text[at] - '0');
        return value;
    };
    std::size_t at = 0;
    for (std::uint32_t* each : {&place.at.x, &place.at.y, &place.at.z, &place.at.hbm})
        *each = number_at(from.device, at);
    if (from.replicas.starts_with("replica ") && from.replicas.find(" and partition ") != std::string::npos) {
        at = 0;
        place.replica = number_at(from.replicas, at);
        place.partition = number_at(from.replicas, at);
    }
    return place;
}

/// Builds the memory and tries the request. Empty if a step fails, or another message comes out.
std::optional<drawn_memory> built(const memory_message& from, const blueprint& plan) {
    const bool has_program = plan.reserved != 0;
    std::uint64_t capacity = saturating_add(plan.reserved, has_program ? plan.quantum : 0);
    for (const portion& each : plan.portions) capacity = saturating_add(capacity, each.bytes);
    if (capacity / plan.quantum >= 0xffff'ffff) return std::nullopt;  // more than 32-bit quanta count
    tpu::runtime_memory memory{memory_spec{.name = "the smallest memory that agrees with the message",
                                           .capacity = saturating_add(capacity, plan.top_reserved),
                                           .quantum = plan.quantum,
                                           .top_reserved = plan.top_reserved}};
    // Its code takes a quantum at the top.
    if (has_program && !memory.load({.name = "another program", .code = 0, .scratch = plan.reserved}))
        return std::nullopt;
    drawn_memory drawn;
    drawn.capacity = capacity;
    drawn.quantum = plan.quantum;
    drawn.blocks = has_program ? 2 : 0;
    std::uint64_t at = plan.reserved;
    for (const portion& each : plan.portions) {
        if (!each.is_free) {
            const auto block =
                memory.import({at, each.bytes}, memory.tag_of(each.may_move ? "what else is in use" : "in the way"));
            if (!block || (each.may_move && !memory.unpin(*block))) return std::nullopt;  // imports are pinned
            if (!each.may_move && drawn.walls++ == 0) drawn.first_wall = at;
            if (!each.may_move) drawn.wall_bytes = each.bytes;
            ++drawn.blocks;
        }
        at += each.bytes;
    }
    program_spec asked{.name = from.program.c_str()};
    (from.kind == message_kind::reservation ? asked.scratch : asked.code) = plan.asked;
    const attempt tried = from.kind == message_kind::buffer ? attempt(request{.bytes = plan.asked}) : attempt(asked);
    const failure why = tried.on(memory);
    dump_options options{.most = 5, .place = place_of(from), .programs_leave = false};
    drawn.dumped = dump(memory, why, options);
    drawn.dumped.message = message(why, from.program, options.place);
    if (!says_the_same(from, why, drawn.dumped.message)) return std::nullopt;
    drawn.explained = explanation_of(memory, tried, why, {.effort = 200'000});
    return drawn;
}

}  // namespace

std::optional<drawn_memory> smallest_memory(const memory_message& from) {
    if (from.of_compiler() || !from.asked || !from.free) return std::nullopt;
    const auto with = [&](std::uint64_t quantum) -> std::optional<drawn_memory> {
        const auto plan = drawn_up(from, quantum);
        return plan ? built(from, *plan) : std::nullopt;
    };
    for (std::uint64_t quantum = default_quantum; quantum != 0; quantum /= 2)
        if (auto drawn = with(quantum)) return drawn;
    for (std::uint64_t quantum = 16 * default_quantum; quantum <= std::uint64_t{1} << 29; quantum *= 16)
        if (auto drawn = with(quantum)) return drawn;  // memories of many TiB
    return std::nullopt;
}

}  // namespace hbm::imported
