#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attacks.hpp"
#include "compare/generate/generate.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/texts/advice.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

/// Returns the value of the formula of an attack, in smallest blocks.
double formula_value(std::uint64_t attack, std::uint64_t live, std::uint64_t largest) {
    switch (attack) {
    case 1: return testing::first_fit_bound(live, largest);
    case 2: return static_cast<double>(testing::best_fit_bound(live, largest));
    case 3: return static_cast<double>(testing::buddy_bound(live, largest));
    default: return static_cast<double>(testing::robson_bound(live, largest));
    }
}

/// Returns the parameters of a generated `worst_case`; empty for other workloads.
std::optional<trace::settings> settings_of(const scenario& load) {
    const std::string_view text = load.at.text;
    const std::size_t colon = text.find(':');
    if (load.at.what != sweep_point::kind::generated || text.substr(0, colon) != "worst_case") return std::nullopt;
    trace::settings given(trace::worst_case.parameters);
    std::string error;
    if (colon != std::string_view::npos && !given.read(text.substr(colon + 1), error)) return std::nullopt;
    return given;
}

/// Returns the need of the attacked manager in unlimited memory, next to the formula.
std::string measured_need(const comparison& compared, const selection& chosen, std::string_view attacked,
                          std::uint64_t bytes) {
    std::string_view text = texts::attack_without_manager;
    std::optional<std::uint64_t> footprint;
    for (std::size_t at = 0; at < chosen.managers.size(); ++at) {
        if (chosen.managers[at]->name != attacked) continue;
        footprint = compared.of(at).footprint_bytes;
        text = footprint ? texts::attack_measured : texts::attack_in_limited_memory;
        break;
    }
    return filled(text, {{"manager", std::string(attacked)},
                         {"footprint", size_in_words(footprint.value_or(0))},
                         {"ratio", footprint ? rounded(trace::fraction::of(*footprint, bytes), 3) : ""}});
}

}  // namespace

std::string attack_note(const comparison& compared, const selection& chosen) {
    const std::optional<trace::settings> given = settings_of(*compared.in);
    if (!given) return {};
    const std::uint64_t attack = (*given)["attack"];
    const std::uint64_t live = (*given)["live"];
    const std::uint64_t largest = (*given)["largest"];
    const std::uint64_t unit = (*given)["smallest"];
    const texts::attack_texts& sentences = texts::attacks[attack < std::size(texts::attacks) ? attack : 0];
    const bool is_whole = unit % compared.in->device.quantum == 0;
    const auto bytes =
        is_whole ? static_cast<std::uint64_t>(formula_value(attack, live, largest) * static_cast<double>(unit)) : 0;
    return filled(is_whole ? texts::attack : texts::attack_between_quanta,
                  {{"manager", std::string(sentences.attacked)},
                   {"formula", std::string(sentences.formula)},
                   {"live", live},
                   {"largest", largest},
                   {"unit", size_in_words(unit)},
                   {"bytes", size_in_words(bytes)},
                   {"meaning", std::string(sentences.meaning)},
                   {"measured", is_whole ? measured_need(compared, chosen, sentences.attacked, bytes) : ""}});
}

}  // namespace hbm::compare
