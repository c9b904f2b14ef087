#include <hbm/explain/words.hpp>

#include <algorithm>
#include <string>

#include "compare/page/overview.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/seed_rows.hpp"
#include "compare/texts/recommendation.hpp"
#include "compare/workloads/titles.hpp"

namespace hbm::compare {

namespace {

/// Returns a sentence for each workload that no manager completes, one for all its seeds.
void add_impossible(page_answer& into, const std::vector<comparison>& all) {
    for (const seed_group& group : grouped_by_seed(all)) {
        seed_group failing;
        for (const comparison* each : group)
            if (all_fail(*each)) failing.push_back(each);
        if (failing.empty()) continue;
        const scenario& in = *failing.front()->in;
        std::string words = "No manager completes ";
        words += failing.size() == 1 ? in.title
                                     : title_over_seeds(in) + " under " + std::to_string(failing.size()) + " of " +
                                           counted(group.size(), "seed");
        if (std::all_of(failing.begin(), failing.end(), [](const comparison* each) { return must_fail(*each->in); }))
            words += ": it needs at least " + needed_words(failing) + ", and the memory has " +
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
        answer.sentence = "No manager completes " + std::string(all.size() == 1 ? "the workload."
                                                                : made.is_sweep ? "any point of the sweep."
                                                                                : "any workload.");
    }
    add_impossible(answer, all);
    return answer;
}

}  // namespace hbm::compare
