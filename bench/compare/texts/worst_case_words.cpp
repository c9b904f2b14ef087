#include <hbm/explain/words.hpp>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attacks.hpp"
#include "compare/generate/generate.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

/// Theory of an attack.
struct attack_formula {
    std::string_view attacked;  ///< attacked manager
    std::string_view text;      ///< formula; M: limit on live blocks, n: longest block, in smallest blocks
    std::string_view meaning;   ///< words after the formula
    double blocks = 0;          ///< value of the formula
};

attack_formula formula_of(std::uint64_t attack, std::uint64_t live, std::uint64_t largest) {
    const auto exact = [](std::uint64_t blocks) { return static_cast<double>(blocks); };
    switch (attack) {
    case 1:
        return {"first_fit", "M H(n) / ln 2", "which first fit never exceeds", testing::first_fit_bound(live, largest)};
    case 2:
        return {"best_fit", "(M - 4 n + 11)(n - 2)", "which best fit cannot avoid",
                exact(testing::best_fit_bound(live, largest))};
    case 3:
        return {"buddy", "the power of two at or above M (1 + log2(n) / 2) - n + 1", "which buddy never exceeds",
                exact(testing::buddy_bound(live, largest))};
    default:
        return {"best_fit", "M (1 + log2(n) / 2) - n + 1", "which no placement that does not move blocks can avoid",
                exact(testing::robson_bound(live, largest))};
    }
}

/// Returns the parameters of a generated `worst_case`; empty for other workloads.
std::optional<trace::settings> settings_of(const scenario& in) {
    const std::string_view text = in.at.text;
    const std::size_t colon = text.find(':');
    if (in.at.what != sweep_point::kind::generated || text.substr(0, colon) != "worst_case") return std::nullopt;
    trace::settings given(trace::worst_case.parameters);
    std::string error;
    if (colon != std::string_view::npos && !given.read(text.substr(colon + 1), error)) return std::nullopt;
    return given;
}

/// Returns the need of the attacked manager in unlimited memory, next to the formula.
std::string measured_words(const comparison& of, const selection& who, const attack_formula& formula,
                           std::uint64_t bytes) {
    const std::string name(formula.attacked);
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        if (who.managers[at]->name != name) continue;
        const std::optional<std::uint64_t>& footprint = of.of(at).footprint_bytes;
        if (!footprint)
            return " It speaks of footprints in memory without a limit: --capacity unlimited compares " + name +
                   " with it.";
        return " The footprint of " + name + " is " + size_in_words(*footprint) + ", " +
               rounded(trace::fraction::of(*footprint, bytes), 3) + " of that.";
    }
    return " " + name + " takes no part here: --manager " + name + " compares it with that.";
}

}  // namespace

std::string worst_case_words(const comparison& of, const selection& who) {
    const std::optional<trace::settings> given = settings_of(*of.in);
    if (!given) return {};
    const std::uint64_t unit = (*given)["smallest"];
    const attack_formula formula = formula_of((*given)["attack"], (*given)["live"], (*given)["largest"]);
    std::string words = "The attack is on " + std::string(formula.attacked) + ". Its formula, " +
                        std::string(formula.text) + " with M = " + std::to_string((*given)["live"]) +
                        " and n = " + std::to_string((*given)["largest"]) + " blocks of " + size_in_words(unit) + ", ";
    if (unit % of.in->device.quantum != 0)
        return words + "says nothing where such a block is no multiple of the quantum: choose another `smallest`.";
    const auto bytes = static_cast<std::uint64_t>(formula.blocks * static_cast<double>(unit));
    words += "gives " + size_in_words(bytes) + ", " + std::string(formula.meaning) + ".";
    return words + measured_words(of, who, formula, bytes);
}

}  // namespace hbm::compare
