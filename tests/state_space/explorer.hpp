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

/// `Space` has the types `manager_type` and `operation`, and `empty()`, `operations(memory)`, `key(memory)`, which is
/// equal for states that are merged, `step(memory, operation)`, which returns the broken rule or null, and the texts of
/// both.
template <class Space>
class explorer {
    using memory = typename Space::manager_type;
    using operation = typename Space::operation;

public:
    explicit explorer(Space space) : space_(std::move(space)) {}

    /// Fails the test at the first broken rule, and prints the numbers of states and of transitions. Returns the
    /// former.
    std::size_t run(const std::string& subject) {
        std::vector<memory> level;
        level.push_back(space_.empty());
        origins_.push_back({});
        keys_.insert(space_.key(level.front()));
        std::size_t first = 0;  // the number of the level's first state
        std::size_t depth = 0;
        std::size_t transitions = 0;
        for (; !level.empty(); ++depth) {
            std::vector<memory> next_level;
            const std::size_t next_first = origins_.size();
            for (std::size_t at = 0; at < level.size(); ++at) {
                for (const operation& call : space_.operations(level[at])) {
                    ++transitions;
                    memory later = level[at].copy();
                    if (const char* broken = space_.step(later, call); broken != nullptr) {
                        FAIL_CHECK(subject << ": " << std::string(broken) << sequence(first + at, call));
                        return origins_.size();
                    }
                    if (!keys_.insert(space_.key(later)).second) continue;
                    origins_.push_back({static_cast<std::uint32_t>(first + at), call});
                    next_level.push_back(std::move(later));
                }
            }
            level = std::move(next_level);
            first = next_first;
        }
        MESSAGE(subject << ": " << origins_.size() << " states, " << transitions << " transitions, at most "
                        << depth - 1 << " calls");
        return origins_.size();
    }

private:
    struct origin {
        std::uint32_t from = 0;
        operation call = {};
    };

    /// The calls that lead to a state, and one more, with the memory after each.
    std::string sequence(std::size_t state, const operation& last) {
        std::vector<operation> calls{last};
        for (; state != 0; state = origins_[state].from) calls.insert(calls.begin(), origins_[state].call);
        memory shown = space_.empty();
        std::string text;
        for (const operation& call : calls) {
            text += "\n    " + space_.text(call);
            static_cast<void>(space_.step(shown, call));
            text += "  ->  " + space_.text(shown);
        }
        return text;
    }

    Space space_;
    std::vector<origin> origins_;  // of each state, in the order in which they were reached
    std::unordered_set<std::string> keys_;
};

}  // namespace hbm::test
