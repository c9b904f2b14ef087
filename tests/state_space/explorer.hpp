#pragma once

/// Explores all states that calls can reach, breadth first, so that the first sequence to a broken rule is the
/// shortest.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace hbm::test {

/// `Space` has the type `memory`, and `empty()`; `look(memory)`, a picture with the text `shown()`;
/// `calls(memory, picture)`, each with a `text`; `step(memory, picture, call, later, later_picture)`, which does a call
/// to the copy `later` and returns the broken rule or null; and `key(memory, picture)`, equal for states to be merged.
/// Returns the first broken rule with the shortest calls that lead to it, or an empty text. Prints the numbers of
/// states and of transitions, which have to be `least` or more.
template <class Space>
std::string find_broken_rule(const Space& space, const std::string& subject, std::size_t least) {
    struct origin {
        std::uint32_t from = 0, call = 0;
    };
    std::vector<typename Space::memory> level;
    level.push_back(space.empty());
    std::vector<origin> origins(1);  // of each state, in the order in which they were reached
    std::unordered_set<std::string> keys{space.key(level[0], space.look(level[0]))};
    const auto fail = [&](const std::string& broken, origin last) {
        std::vector<std::uint32_t> path{last.call};
        for (; last.from != 0; last = origins[last.from]) path.insert(path.begin(), origins[last.from].call);
        auto memory = space.empty();
        std::string text = subject + ": " + broken;
        for (const std::uint32_t number : path) {
            const auto picture = space.look(memory);
            const auto call = space.calls(memory, picture)[number];
            auto later = memory.copy(), before = std::move(memory);
            auto after = picture;
            static_cast<void>(space.step(before, picture, call, later, after));
            text += "\n    " + after.shown() + "  " + call.text;
            memory = std::move(later);
        }
        return text;
    };
    std::size_t transitions = 0, first = 0, depth = 0;  // `first`: the number of the first state of the level
    for (; !level.empty(); ++depth) {
        std::vector<typename Space::memory> next_level;
        const std::size_t next_first = origins.size();
        for (std::size_t at = 0; at < level.size(); ++at) {
            const auto picture = space.look(level[at]);
            origin reached{static_cast<std::uint32_t>(first + at), 0};
            for (const auto& call : space.calls(level[at], picture)) {
                auto later = level[at].copy();
                auto after = picture;
                if (const char* broken = space.step(level[at], picture, call, later, after); broken != nullptr)
                    return fail(broken, reached);
                if (keys.insert(space.key(later, after)).second) {
                    origins.push_back(reached);
                    next_level.push_back(std::move(later));
                }
                ++reached.call, ++transitions;
            }
        }
        level = std::move(next_level);
        first = next_first;
    }
    MESSAGE(subject << ": " << origins.size() << " states, " << transitions << " transitions, " << depth - 1
                    << " calls deep");
    CHECK(transitions >= least);
    return {};
}

/// Fails the test at the first broken rule.
template <class Space>
void explore_all(const Space& space, const std::string& subject, std::size_t least) {
    if (const std::string broken = find_broken_rule(space, subject, least); !broken.empty()) FAIL_CHECK(broken);
}

}  // namespace hbm::test
