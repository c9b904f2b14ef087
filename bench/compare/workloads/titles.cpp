#include "compare/workloads/titles.hpp"

#include <hbm/explain/words.hpp>

#include <map>
#include <set>
#include <string_view>

namespace hbm::compare {

namespace {

std::string capacity_words(const scenario& in) {
    const std::string& asked = in.at.capacity.text;
    return asked.empty() ? "the usual capacity" : "capacity " + asked;
}

std::string quantum_words(const scenario& in) {
    return "quantum " + size_in_words(in.device.quantum);
}

std::string seed_words(const scenario& in) {
    return "seed " + std::to_string(in.at.seed);
}

}  // namespace

void set_titles(std::vector<scenario>& all) {
    for (scenario& each : all) each.title = each.load.name;
    for (std::string (*const words)(const scenario&) : {capacity_words, quantum_words, seed_words}) {
        std::map<std::string_view, std::set<std::string>> by_name;
        for (const scenario& each : all) by_name[each.load.name].insert(words(each));
        for (scenario& each : all)
            if (by_name[each.load.name].size() > 1) each.title += ", " + words(each);
    }
}

std::string title_over_seeds(const scenario& of) {
    const std::string seed = ", " + seed_words(of);
    return of.title.substr(0, of.title.size() - (of.title.ends_with(seed) ? seed.size() : 0));
}

}  // namespace hbm::compare
