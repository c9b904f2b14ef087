#include "compare/answers/message/drawing.hpp"

#include <hbm/blocks/block_map.hpp>
#include <hbm/blocks/block_placement.hpp>
#include <hbm/blocks/live_blocks.hpp>
#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/dump_map.hpp>
#include <hbm/fwd.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/growth/growth_onset.hpp>
#include <hbm/growth/growth_series.hpp>
#include <hbm/growth/growth_tally.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/index/hole_lists.hpp>
#include <hbm/index/list_pages.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/manager/waiting_transaction.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/planning_problem.hpp>
#include <hbm/search/exact_search.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/need_packing.hpp>
#include <hbm/search/packing.hpp>
#include <hbm/search/segment.hpp>
#include <hbm/search/slide.hpp>
#include <hbm/search/victim_search.hpp>
#include <hbm/state/memory_state.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/pending_move.hpp>
#include <hbm/state/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/shares.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/wrapped.hpp"

namespace hbm::imported {

namespace {

/// Adds what a cell shows that several things share.
void add_mixed(std::string& legend, const std::string& cells, const std::string& present) {
    if (cells.find(map_cell::mixed) != std::string::npos) legend += ", + more than one of: " + present;
}

/// The legend of what is drawn; what is too small for a cell of its own is named with the cells that things share.
std::string legend_of(const drawn_memory& drawn, const memory_message& from) {
    constexpr std::pair<char, const char*> meanings[] = {{map_cell::reservation, "reserved for programs"},
                                                         {map_cell::buffer, "in use"},
                                                         {map_cell::program, "program"},
                                                         {map_cell::wall, "in the way (not moved by the runtime)"},
                                                         {map_cell::freed, "freed but waiting"},
                                                         {map_cell::hole, "free"}};
    const std::string& map = drawn.dumped.map;
    const bool is_reserved = from.reserved && from.reserved->bytes != 0;
    std::string text;
    std::string present;
    for (const auto& [cell, meaning] : meanings) {
        const bool is_drawn = map.find(cell) != std::string::npos;
        const bool is_there = is_drawn || cell == map_cell::hole || (cell == map_cell::wall && drawn.walls != 0) ||
                              (cell == map_cell::reservation && is_reserved) ||
                              (cell == map_cell::buffer && drawn.blocks > drawn.walls + (is_reserved ? 1 : 0));
        if (is_drawn) text += (text.empty() ? "" : ", ") + std::string(1, cell) + " " + meaning;
        if (is_there) present += (present.empty() ? "" : ", ") + std::string(meaning);
    }
    add_mixed(text, map, present);
    return text;
}

/// A size of the drawn memory, as the message prints the size that it may stand for.
std::string as_stated(std::uint64_t bytes, const memory_message& from) {
    const auto near = [&](const rounded_size& size) {
        const std::uint64_t spare = size.is_exact() ? 0 : dropped_of(10);
        return saturating_add(bytes, spare) >= size.low && bytes <= size.high;
    };
    for (const auto* each : {&from.reservable, &from.largest, &from.free})
        if (*each && near(**each)) return in_words(**each);
    const bool is_small = bytes < std::uint64_t{1} << 30;
    return in_unit(bytes, is_small ? 0 : unit_of(*from.asked), rounding::down);
}

/// What was tried on the drawn memory and works, without remedies that users of the runtime do not have.
std::string tried(const drawn_memory& drawn, const memory_message& from) {
    std::string text;
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : "; or ") + words; };
    for (const named_advice& each : drawn.explained.remedies) {
        if (each.what.has(step_kind::move) && !each.what.ask_for && !each.what.capacity)
            add("once what is in the way is gone from there");
        if (each.what.ask_for && each.what.steps.steps.empty() && each.what.unpin.empty())
            add("with " + as_stated(*each.what.ask_for, from) + " or less asked for");
    }
    return text.empty() ? text : "Tried there, it fits " + text + ".";
}

/// A part of what a program needs.
struct part {
    char cell;
    const char* name;
    std::uint64_t bytes;
};

}  // namespace

std::string in_words(const drawn_memory& drawn, const memory_message& from) {
    const std::string size = size_in_words(drawn.capacity);
    std::string text = wrapped("The simplest memory in which the same request fails with the same words, from 0 to " +
                               size + (from.ledger ? ":" : " (the device has more, but that is in use):"));
    text += drawn.dumped.map + "\n" + wrapped(legend_of(drawn, from));
    text += wrapped("It is one of many arrangements: where things lie, and how large they are, is not in the message.");
    const std::string attempts = tried(drawn, from);
    return attempts.empty() ? text : text + wrapped(attempts);
}

std::string drawing_of_program(const memory_message& from) {
    if (!from.capacity || !from.asked || from.capacity->bytes == 0 || diagnose(from).contradicts) return {};
    std::vector<part> parts;
    std::uint64_t left = from.asked->bytes;
    const auto add = [&](char cell, const char* name, const std::optional<rounded_size>& size) {
        if (!size || size->bytes == 0) return;
        const std::uint64_t bytes = std::min(left, size->bytes);
        parts.push_back({cell, name, bytes});
        left -= bytes;
    };
    if (from.usage && diagnose(from).counts_reserved) add('r', "reserved by the system", from.usage->reserved);
    if (from.usage) add('a', "arguments", from.usage->arguments);
    if (from.requirement) add('c', "constants and the like", from.requirement->global);
    if (from.requirement) add('t', "temporaries", from.requirement->temporaries);
    if (!from.requirement && from.usage) add('p', "the program itself", from.usage->program);
    add('T', "TensorCore", from.tensor_core);
    add('S', "SparseCore", from.sparse_core);
    if (parts.empty()) return {};
    constexpr std::size_t cells = line_width;
    if (left >= from.asked->bytes / 100) parts.push_back({'x', "other", left});
    memory_map map{from.asked->bytes};
    std::string legend;
    std::uint64_t at = 0;
    for (const part& each : parts) {
        map.draw(each.cell, {at, each.bytes});
        at += each.bytes;
    }
    map.draw(parts.back().cell, {at, from.asked->bytes - std::min(at, from.asked->bytes)});
    for (const part& each : parts)
        if (map.cells().find(each.cell) != std::string::npos)
            legend += (legend.empty() ? "" : ", ") + std::string(1, each.cell) + " " + each.name;
    std::string present;
    for (const part& each : parts) present += (present.empty() ? "" : ", ") + std::string(each.name);
    add_mixed(legend, map.cells(), present);
    const std::size_t end =
        std::min<std::size_t>(cells - 1, static_cast<std::size_t>(per_cent(from.capacity->bytes, from.asked->bytes)));
    const std::string mark = "^ here the device ends: " + in_words(*from.capacity);
    const bool on_the_left = end + mark.size() > line_width;
    const std::string other = "here the device ends: " + in_words(*from.capacity) + " ^";
    return wrapped("What the program needs, from 0 to " + in_words(*from.asked) + ":") + map.cells() + "\n" +
           (on_the_left ? std::string(end + 1 > other.size() ? end + 1 - other.size() : 0, ' ') + other
                        : std::string(end, ' ') + mark) +
           "\n" + wrapped(legend);
}

}  // namespace hbm::imported
