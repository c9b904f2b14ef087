#include "compare/report.hpp"

#include <hbm/report/words.hpp>

#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"

namespace hbm::compare {

namespace {

std::string memory_words(const scenario& in) {
    switch (in.how) {
    case limit::unlimited:
        return "unlimited memory";
    case limit::minimum:
        return "each manager at its minimum capacity";
    case limit::needed:
        return "each manager at its minimum capacity; footprints are those in unlimited memory";
    case limit::given:
        break;
    }
    const std::string size = size_in_words(in.device.capacity / in.device.quantum * in.device.quantum);
    const std::string_view name = in.device.name;
    return name == "custom" ? "a memory of " + size : "a " + std::string(name) + " with " + size;
}

std::string about_words(const scenario& in) {
    return grouped(in.load.rows.size()) + " events, " + (in.has_programs ? "never less than " : "") +
           size_in_words(in.min_bytes) + (in.has_programs ? " needed" : " live at the peak") + ", " + memory_words(in) +
           ", quantum " + size_in_words(in.device.quantum);
}

/// Why managers share rows.
std::string folding_words(const scenario& in) {
    std::string words = "Managers that cannot differ here share a row: ";
    if (!in.has_programs)
        words += "without programs there is nothing to evict or donate";
    else if (!in.has_donations)
        words += "nothing is donated";
    else
        words += "nothing is evicted where nothing can fail";
    if (in.how == limit::unlimited)
        words += !in.has_programs ? ", and where memory never runs out nothing moves" : ", nor moved";
    return words + ".";
}

}  // namespace

report make_report(const std::vector<comparison>& of, const selection& who) {
    report made;
    std::size_t managers = 0;  // without second names
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!is_second_name(who, at)) ++managers;
    for (const comparison& each : of) {
        const std::vector<folded_row> rows = fold(each, who);
        chapter written{.title = each.in->load.name,
                        .about = about_words(*each.in),
                        .columns = must_fail(*each.in) ? std::vector<table_column>{} : make_columns(each, who, rows),
                        .findings = make_findings(*each.in, rows)};
        if (rows.size() < managers && !must_fail(*each.in)) written.findings.push_back(folding_words(*each.in));
        if (const std::vector<std::string>& notes = each.in->notes; !notes.empty()) {
            written.findings.insert(written.findings.begin(), notes.front());
            written.findings.insert(written.findings.end(), notes.begin() + 1, notes.end());
        }
        made.chapters.push_back(std::move(written));
    }
    if (of.size() > 1) made.findings = make_conclusion(of, who);
    std::vector<std::string>& last = of.size() == 1 ? made.chapters.front().findings : made.findings;
    for (std::string& name : names_explained(who)) last.push_back(std::move(name));
    return made;
}

}  // namespace hbm::compare
