#pragma once

/// A model of the streams of a memory that shares no code with a manager: it keeps each piece of work with the work
/// before it, and a clock.

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/events/events.hpp>
#include <hbm/state/flight.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace hbm::test {

/// Work, buffers and time as plain lists; numbers are indices plus 1. Sizes in quanta of one byte.
struct plain_streams {
    struct work {
        std::uint32_t stream = 0;
        bool is_run = false, over = false;
        std::set<std::uint64_t> after = {};  // numbers of the work that comes directly before it
        std::set<std::size_t> holds = {};    // buffers
        std::uint64_t ends = 0;              // time in the model
    };
    struct buffer_block {
        std::uint64_t offset = 0, size = 0, until = 0;
        bool freed = false, gone = false;
    };
    std::uint32_t streams = 2;
    std::uint64_t capacity = 0;
    std::vector<work> all = {};
    std::vector<buffer_block> blocks = {};
    std::vector<std::set<std::uint64_t>> next_after = std::vector<std::set<std::uint64_t>>(streams);  // by stream
    std::uint64_t now = 0, waits = 0, waited = 0;
    std::vector<std::uint64_t> reported = {};

    [[nodiscard]] bool is_over(std::uint64_t number) const { return number == 0 || all[number - 1].over; }
    [[nodiscard]] std::uint64_t time_left(std::uint64_t number) const {
        return is_over(number) || all[number - 1].ends < now ? 0 : all[number - 1].ends - now;
    }
    /// The numbers of the work that is not over, in the order in which it ends.
    [[nodiscard]] std::vector<std::uint64_t> in_order() const {
        std::vector<std::uint64_t> numbers;
        for (std::uint64_t number = 1; number <= all.size(); ++number)
            if (!is_over(number)) numbers.push_back(number);
        std::sort(numbers.begin(), numbers.end(), [&](std::uint64_t a, std::uint64_t b) {
            return std::pair(all[a - 1].ends, a) < std::pair(all[b - 1].ends, b);
        });
        return numbers;
    }
    [[nodiscard]] bool is_held(std::size_t block) const {
        for (const work& entry : all)
            if (!entry.over && entry.holds.count(block) != 0) return true;
        return false;
    }
    void free_what_can_be() {
        for (std::size_t at = 0; at < blocks.size(); ++at)
            if (blocks[at].freed && is_over(blocks[at].until) && !is_held(at)) blocks[at].gone = true;
    }

    std::uint64_t issue(std::uint32_t stream, bool is_run, std::set<std::size_t> holds, std::uint64_t nanoseconds) {
        std::uint64_t begins = now;
        for (const std::uint64_t before : next_after[stream])
            if (!is_over(before)) begins = std::max(begins, all[before - 1].ends);
        all.push_back({stream, is_run, false, next_after[stream], std::move(holds), begins + nanoseconds});
        next_after[stream] = {all.size()};
        return all.size();
    }
    void wait(std::uint32_t stream, std::uint64_t until) {
        if (until != 0) next_after[stream].insert(until);
    }
    /// Returns these numbers and those of all that came before, without what is over.
    [[nodiscard]] std::set<std::uint64_t> with_all_before(const std::set<std::uint64_t>& numbers) const {
        std::set<std::uint64_t> before;
        std::vector<std::uint64_t> open(numbers.begin(), numbers.end());
        while (!open.empty()) {
            const std::uint64_t next = open.back();
            open.pop_back();
            if (is_over(next) || !before.insert(next).second) continue;
            open.insert(open.end(), all[next - 1].after.begin(), all[next - 1].after.end());
        }
        return before;
    }
    /// Ends work and all that it came after, as the device must have.
    void retire(std::uint64_t number) {
        if (!is_over(number)) {
            now = std::max(now, all[number - 1].ends);
            const std::set<std::uint64_t> ended = with_all_before({number});
            for (const std::uint64_t next : in_order())
                if (ended.count(next) != 0) reported.push_back(next);
            for (const std::uint64_t next : ended) all[next - 1].over = true;
        }
        free_what_can_be();
    }
    void wait_for(std::uint64_t number) {
        ++waits;
        waited += time_left(number);
    }

    [[nodiscard]] std::uint64_t longest_hole() const {
        std::vector<bool> taken(capacity, false);
        for (const buffer_block& entry : blocks)
            if (!entry.gone)
                for (std::uint64_t at = 0; at < entry.size; ++at) taken[entry.offset + at] = true;
        std::uint64_t longest = 0, run = 0;
        for (const bool is_taken : taken) longest = std::max(longest, run = is_taken ? 0 : run + 1);
        return longest;
    }
    /// Returns how many works, in the order in which they end, are waited for to have `size` in one piece.
    [[nodiscard]] std::optional<std::size_t> waits_for(std::uint64_t size) const {
        plain_streams later = *this;
        const std::vector<std::uint64_t> order = in_order();
        for (std::size_t count = 0; count <= order.size(); ++count) {
            if (count != 0) later.retire(order[count - 1]);
            if (later.longest_hole() >= size) return count;
        }
        return std::nullopt;
    }
    /// Waits as a request of `size` does. Returns false if it fails.
    bool make_room(std::uint64_t size) {
        const std::optional<std::size_t> count = waits_for(size);
        if (!count) return false;
        const std::vector<std::uint64_t> order = in_order();
        if (*count != 0) wait_for(order[*count - 1]);
        for (std::size_t at = 0; at < *count; ++at) retire(order[at]);
        return true;
    }
    /// Waits if the latest work is one too many.
    void limit(std::uint32_t runs_in_flight) {
        const work& latest = all.back();
        std::uint32_t runs = 0;
        if (latest.is_run && runs_in_flight == 0) return retire(all.size());
        for (std::uint64_t number = all.size(); number > 0 && latest.is_run; --number) {
            if (is_over(number) || !all[number - 1].is_run || all[number - 1].stream != latest.stream) continue;
            if (++runs <= runs_in_flight) continue;
            wait_for(number);
            return retire(number);
        }
    }
};

/// Compares all that a manager shows of its streams with the model. Returns the broken rule, or null.
template <class Memory>
[[nodiscard]] const char* difference(const Memory& memory, const plain_streams& model) {
    const std::vector<std::uint64_t> order = model.in_order();
    if (memory.flights().size() != order.size()) return "other work is in flight";
    for (std::size_t at = 0; at < order.size(); ++at) {
        if (memory.flights()[at].over.number != order[at]) return "work is in another order";
        if (memory.flights()[at].holds != model.all[order[at] - 1].holds.size()) return "work holds other blocks";
    }
    std::uint64_t reached = 0, taken = 0;
    while (reached < model.all.size() && model.is_over(reached + 1)) ++reached;
    if (memory.reached().number != reached) return "another fence is reached";
    if (memory.issued().number != model.all.size()) return "another fence is issued";
    for (std::uint32_t line = 0; line < model.streams; ++line) {
        std::uint64_t issued = 0, over = 0;
        for (std::uint64_t number = 1; number <= model.all.size(); ++number) {
            if (model.all[number - 1].stream != line) continue;
            issued = number;
            if (model.is_over(number)) over = number;
        }
        if (memory.issued({line}).number != issued) return "another fence is issued on a stream";
        if (memory.reached({line}).number != over) return "another fence is reached on a stream";
    }
    for (std::uint64_t number = 1; number <= model.all.size(); ++number) {
        if (memory.is_over({number}) != model.is_over(number)) return "work is over, or not, wrongly";
        if (memory.nanoseconds_until({number}) != model.time_left(number)) return "a wait has another price";
    }
    std::set<std::pair<std::uint64_t, std::uint64_t>> blocks, expected;
    for (const block_view& block : memory.blocks()) blocks.insert({block.where.offset, block.where.size});
    for (const plain_streams::buffer_block& block : model.blocks)
        if (!block.gone) expected.insert({block.offset, block.size}), taken += block.size;
    if (memory.free_bytes() != model.capacity - taken) return "other bytes are free";
    if (blocks != expected) return "blocks lie elsewhere, or a freed block is still there";
    if (memory.done_so_far().waits != model.waits) return "other waits are counted";
    if (memory.done_so_far().wait_nanoseconds != model.waited) return "waits are counted with another price";
    std::vector<std::uint64_t> reported;
    for (const event& occurred : memory.events().events)
        if (occurred.what == event_kind::reached) reported.push_back(occurred.from);
    return reported == model.reported ? nullptr : "other fences are reported, or in another order";
}

}  // namespace hbm::test
