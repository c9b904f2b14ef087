// Every state of small memories with two streams: work of the user's own, runs, waits between streams, frees until a
// fence, and fences that are retired in any order, compared with a plain model. HBM_SCOPE=1 and more: one more quantum.
#include <hbm/events/event_log.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/streams.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "state_space/explorer.hpp"
#include "support/memory_brute_force.hpp"
#include "support/plain_streams.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::streams_tests {
namespace {

/// The bounds of an exploration. Sizes in quanta of one byte.
struct bounds {
    std::uint64_t capacity = 4;
    std::size_t buffers = 2, flights = 3;  ///< no more are live or in flight when a call adds one
    std::uint64_t longest = 3;
    bool runs = false;  ///< a program of one quantum runs, once on each stream
};

template <class Placement>
class two_streams {
    using manager_type =
        manager<streams<Placement, 2>, never_evict, never_donate, relieve_cheapest, no_device, event_log>;

    /// With moves a run never waits for another, so that what it waits for is what it needs.
    static constexpr std::uint32_t runs_in_flight = compacts<Placement> ? 3 : 1;

public:
    /// A manager and its model, with the handles of the model's blocks.
    struct memory {
        manager_type held;
        plain_streams model;
        std::vector<buffer> handles;
        program step = {};

        [[nodiscard]] memory copy() const { return *this; }
    };
    struct picture {
        std::string text;
        [[nodiscard]] const std::string& shown() const { return text; }
    };
    struct call {
        std::string text;
        std::function<const char*(memory&)> act;
    };

    explicit two_streams(bounds limits) : limits_(limits) {}

    [[nodiscard]] memory empty() const {
        memory here{.held = manager_type({.capacity = limits_.capacity, .quantum = 1, .runs_in_flight = runs_in_flight},
                                         {.salt = 5}),
                    .model = {.streams = 2, .capacity = limits_.capacity},
                    .handles = {}};
        if (!limits_.runs) return here;
        here.step = *here.held.load({.name = "step", .code = 1});
        here.model.blocks.push_back({here.held.where(here.step).offset, 1});
        here.handles.push_back({});
        return here;
    }
    [[nodiscard]] static picture look(memory& here) {
        std::string text(here.model.capacity, '.');
        for (std::size_t at = 0; at < here.model.blocks.size(); ++at) {
            const auto& block = here.model.blocks[at];
            for (std::uint64_t byte = 0; byte < (block.gone ? 0 : block.size); ++byte)
                text[block.offset + byte] = static_cast<char>((block.freed ? 'A' : 'a') + at % 26);
        }
        for (const std::uint64_t number : here.model.in_order())
            text += " " + std::to_string(number) + "@" + std::to_string(here.model.all[number - 1].stream);
        return {text};
    }
    /// A text that is equal for states which behave alike from here on: fences are numbered by the order of their ends.
    [[nodiscard]] static std::string key(const memory& here, const picture&) {
        const plain_streams& model = here.model;
        const std::vector<std::uint64_t> order = model.in_order();
        std::string text;
        const auto add = [&](std::uint64_t number) { text += std::to_string(number) + ","; };
        const auto add_fences = [&](const std::set<std::uint64_t>& fences) {
            const std::set<std::uint64_t> before = model.with_all_before(fences);
            for (std::size_t at = 0; at < order.size(); ++at) add(before.count(order[at]));
        };
        std::vector<std::size_t> blocks;
        for (std::size_t at = 0; at < model.blocks.size(); ++at)
            if (!model.blocks[at].gone) blocks.push_back(at);
        std::sort(blocks.begin(), blocks.end(),
                  [&](std::size_t a, std::size_t b) { return model.blocks[a].offset < model.blocks[b].offset; });
        for (const std::size_t at : blocks) {
            const auto& block = model.blocks[at];
            add(block.offset), add(block.size), add(block.freed);
            add_fences(block.until == 0 ? std::set<std::uint64_t>{} : std::set<std::uint64_t>{block.until});
        }
        text += "|";
        for (const std::uint64_t number : order) {
            const auto& work = model.all[number - 1];
            add(work.stream), add(work.is_run), add(model.time_left(number));
            add_fences(work.after);
            for (const std::size_t at : blocks) add(work.holds.count(at));
        }
        for (const auto& fences : model.next_after) add_fences(fences);
        return text;
    }

    [[nodiscard]] std::vector<call> calls(const memory& here, const picture&) const {
        std::vector<call> all;
        const plain_streams& model = here.model;
        const std::vector<std::uint64_t> order = model.in_order();
        std::vector<std::size_t> live;
        std::size_t present = 0;
        for (std::size_t at = limits_.runs; at < model.blocks.size(); ++at) {
            present += !model.blocks[at].gone;
            if (!model.blocks[at].freed) live.push_back(at);
        }
        const auto add = [&](std::string text, std::initializer_list<std::uint64_t> arguments, auto act) {
            for (const std::uint64_t number : arguments) text += " " + std::to_string(number);
            all.push_back({std::move(text), act});
        };
        const bool has_room = present < limits_.buffers, flies = order.size() < limits_.flights;
        for (std::uint64_t size = 1; size <= (has_room ? limits_.longest : 0); ++size)
            add("allocate", {size}, [size](memory& m) {
                buffer fresh;
                const char* broken = request(m, size, no_index, [&](manager_type& held) {
                    const auto outcome = held.allocate(size);
                    if (outcome) fresh = *outcome;
                    return outcome.has_value();
                });
                return broken != nullptr || !fresh ? broken : add_block(m, fresh, size);
            });
        std::vector<std::vector<std::size_t>> lists{{}};
        for (const std::size_t at : live) lists.push_back({at});
        if (live.size() > 1) lists.push_back(live);
        for (std::uint32_t line = 0; line < 2 && flies; ++line) {
            for (const auto& list : lists)
                for (const std::uint64_t us : {1u, 2u})
                    add("issue", {line, list.size(), list.empty() ? 0 : list[0], us}, [=](memory& m) -> const char* {
                        std::vector<buffer> uses;
                        for (const std::size_t at : list) uses.push_back(m.handles[at]);
                        const auto issued = m.held.issue({.on = {line}, .uses = uses, .us = us});
                        const std::uint64_t number = m.model.issue(line, false, {list.begin(), list.end()}, us * 1000);
                        return issued && issued->number == number ? nullptr : "work is not issued";
                    });
            for (std::uint64_t size = 0; limits_.runs && size <= (has_room ? 1u : 0u); ++size)
                for (const auto& list : lists)
                    if (list.size() < 2)
                        add("run", {line, size, list.empty() ? 0 : list[0]},
                            [=](memory& m) { return run(m, line, size, list); });
        }
        for (const std::size_t at : live) {
            add("free", {at}, [=](memory& m) { return free(m, at, 0); });
            for (const std::uint64_t until : order)
                add("free until", {at, until}, [=](memory& m) { return free(m, at, until); });
        }
        for (const std::uint64_t until : order) {
            for (std::uint32_t line = 0; line < 2; ++line)
                add("wait", {line, until}, [=](memory& m) {
                    m.model.wait(line, until);
                    return m.held.wait({line}, {until}) ? nullptr : "a stream does not wait";
                });
            add("retire", {until}, [=](memory& m) {
                m.model.retire(until);
                return m.held.retire({until}) ? nullptr : "a fence cannot be retired";
            });
        }
        add("sync", {}, [](memory& m) -> const char* {
            for (const std::uint64_t number : m.model.in_order()) m.model.retire(number);
            m.held.sync();
            return nullptr;
        });
        return all;
    }

    [[nodiscard]] static const char* step(const memory&, const picture&, const call& due, memory& later, picture& now) {
        const char* broken = due.act(later);
        if (broken == nullptr) broken = difference(later.held, later.model);
        now = look(later);
        return broken;
    }

private:
    static const char* free(memory& m, std::size_t at, std::uint64_t until) {
        m.model.blocks[at].freed = true;
        m.model.blocks[at].until = until;
        if (m.model.is_over(until) && !m.model.is_held(at)) m.model.blocks[at].gone = true;
        const auto freed = until == 0 ? m.held.free(m.handles[at]) : m.held.free(m.handles[at], {until});
        return freed ? nullptr : "a buffer cannot be freed";
    }
    static const char* add_block(memory& m, buffer fresh, std::uint64_t size) {
        m.handles.push_back(fresh);
        m.model.blocks.push_back({m.held.where(fresh).offset, size});
        return nullptr;
    }
    static const char* run(memory& m, std::uint32_t line, std::uint64_t size, const std::vector<std::size_t>& inputs) {
        std::vector<buffer> handles;
        for (const std::size_t at : inputs) handles.push_back(m.handles[at]);
        const output fresh(size);
        result<run_result> ran = failure{};
        const auto call = [&](manager_type& held) {
            const run_spec spec{.inputs = handles, .outputs = {&fresh, size != 0}, .run_us = 1};
            ran = held.run(m.step, spec, stream{line});
            return ran.has_value();
        };
        if (const char* broken = request(m, size, inputs.empty() ? no_index : handles[0].index, call)) return broken;
        if (!ran) return nullptr;
        std::set<std::size_t> holds(inputs.begin(), inputs.end());
        holds.insert(0);
        if (size != 0) {
            holds.insert(m.handles.size());
            add_block(m, ran->outputs[0], size);
        }
        if (ran->over.number != m.model.issue(line, true, holds, 1000)) return "a run has a wrong fence";
        m.model.limit(runs_in_flight);
        return nullptr;
    }
    /// Makes a call that needs `size` quanta while `wall` stays, and lets the model wait as it must.
    template <class Call>
    static const char* request(memory& m, std::uint64_t size, block_index wall, Call call) {
        if constexpr (!compacts<Placement>) {
            const bool fits = size == 0 || m.model.make_room(size);
            return call(m.held) == fits ? nullptr : "a request succeeds or fails wrongly";
        } else {
            const manager_type before = m.held;
            auto state = before.state();
            if (wall != no_block) state.blocks.map().pin(wall);
            const need<std::uint32_t> required{.length = static_cast<std::uint32_t>(size)};
            const std::uint64_t price =
                size == 0 ? 0 : cheapest_after_waits<streams<Placement, 2>>(state, {&required, 1}, false);
            const bool fits = price != brute_force<streams<Placement, 2>>::impossible;
            if (call(m.held) != fits) return "a request succeeds or fails wrongly";
            if (!fits) return m.held.state() == before.state() ? nullptr : "a call that failed changed the memory";
            const std::uint64_t moves = m.held.done_so_far().move_nanoseconds - before.done_so_far().move_nanoseconds;
            // The rest was waited for: for the first works that the model ends. (Of those that end at once, for some.)
            const std::vector<std::uint64_t> order = m.model.in_order();
            std::size_t count = 0;
            while (count < order.size() && m.held.is_over({order[count]})) ++count;
            const std::uint64_t waited = count == 0 ? 0 : m.model.time_left(order[count - 1]);
            if (moves + waited != price) return "relief does not cost the least price";
            if (count != 0) m.model.wait_for(order[count - 1]);
            for (std::size_t at = 0; at < count; ++at) m.model.retire(order[at]);
            for (std::size_t at = 0; at < m.handles.size(); ++at) {
                auto& block = m.model.blocks[at];
                if (block.freed) continue;
                const extent now = m.handles[at] ? m.held.where(m.handles[at]) : m.held.where(m.step);
                if (now.offset != block.offset && (m.model.is_held(at) || m.handles[at].index == wall))
                    return "a block moves that is in use";
                block.offset = now.offset;
            }
            return nullptr;
        }
    }

    bounds limits_;
};

/// Explores at least this many transitions.
template <class Placement>
void explore(bounds limits, std::size_t least) {
    const std::uint64_t scope = number_from_environment("HBM_SCOPE", 0);
    limits.capacity += scope;
    limits.longest += scope;
    explore_all(two_streams<Placement>(limits), std::string(streams<Placement, 2>::name.c_str()), least);
}

TEST_CASE("state space: two streams do what a plain model does in every small state") {
    if (tries_all_seeds()) {  // the large ones not in slow builds
        explore<best_fit>({.capacity = 3, .buffers = 2, .flights = 2, .longest = 2}, 840000);
        explore<compacting<best_fit>>({.capacity = 3, .buffers = 2, .flights = 2, .longest = 2}, 840000);
    }
    explore<best_fit>({.capacity = 3, .buffers = 1, .flights = 3, .longest = 1}, 380000);
    explore<best_fit>({.capacity = 3, .buffers = 1, .flights = 2, .longest = 2, .runs = true}, 59000);
    explore<compacting<best_fit>>({.capacity = 3, .buffers = 1, .flights = 2, .longest = 2, .runs = true}, 62000);
}

}  // namespace
}  // namespace hbm::test::streams_tests
