#include <hbm/report/words.hpp>

#include <algorithm>
#include <string>

#include "compare/html/overview.hpp"
#include "compare/recommendation.hpp"

namespace hbm::compare {

namespace {

/// What nobody can complete.
void add_impossible(page_answer& into, const std::vector<comparison>& all) {
    for (const comparison& each : all) {
        if (!all_fail(each)) continue;
        const scenario& in = *each.in;
        std::string words = "No manager completes " + in.title;
        if (in.how == limit::given && in.min_bytes > in.device.capacity)
            words += ": it needs at least " + size_in_words(in.min_bytes) + ", and the memory has " +
                     size_in_words(in.device.capacity);
        into.more.push_back(words + ".");
    }
}

std::optional<std::size_t> index_of(const manager_entry* wanted, const selection& who) {
    const auto known = std::find(who.managers.begin(), who.managers.end(), wanted);
    if (wanted == nullptr || known == who.managers.end()) return std::nullopt;
    return static_cast<std::size_t>(known - who.managers.begin());
}

}  // namespace

page_answer answer_of(const std::vector<comparison>& all, const selection& who) {
    const recommendation made = recommend(all, who);
    page_answer answer;
    answer.best = index_of(made.best.who, who);
    answer.simple = index_of(made.simpler.who, who);
    answer.type = made.type;
    if (answer.best && !made.sentences.empty()) {
        answer.sentence = made.sentences.front();
        answer.more.assign(made.sentences.begin() + 1, made.sentences.end());
    } else {
        answer.sentence = "No manager completes " + std::string(all.size() == 1 ? "the workload." : "any workload.");
    }
    add_impossible(answer, all);
    return answer;
}

}  // namespace hbm::compare
