#include "compare/show/result_text.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <unistd.h>

#include "compare/command_line/terminal.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/show/recommendation.hpp"
#include "compare/show/records.hpp"
#include "compare/show/show_answer.hpp"
#include "compare/show/table.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using imported::wrapped;

/// Width above which text is hard to read.
constexpr std::size_t widest = 100;

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool wants_colour(const options& settings) {
    if (settings.color != when::automatic) return settings.color == when::always;
    return settings.output.empty() && !is_set("NO_COLOR") && isatty(STDOUT_FILENO) != 0;
}

std::string memory_of(const scenario& load) {
    if (load.how == limit::unlimited) return "unlimited memory";
    if (load.how != limit::given) return "each manager at its minimum capacity";
    const std::string size = size_in_words(load.device.capacity / load.device.quantum * load.device.quantum);
    if (std::string_view(load.device.name) == "custom") return "a memory of " + size;
    return "a " + std::string(load.device.name) + " with " + size;
}

std::string about(const scenario& load) {
    const std::string needed = load.has_programs ? "never less than " + size_in_words(load.min_bytes) + " needed"
                                                 : size_in_words(load.peak_live_bytes) + " live at the peak";
    return counted(load.load.rows.size(), "event") + ", " + needed + ", " + memory_of(load) + ", quantum " +
           size_in_words(load.device.quantum);
}

/// Returns the managers of a workload without second names: those that complete it first, best first.
std::vector<std::size_t> ordered(const comparison& of, const selection& who) {
    std::vector<std::size_t> result = choose(of, who).ranked;
    std::vector<bool> is_in(who.managers.size(), false);
    for (const std::size_t at : result) is_in[at] = true;
    for (const bool completes : {true, false})
        for (std::size_t at = 0; at < who.managers.size(); ++at)
            if (!is_in[at] && !is_second_name(who, at) && of.of(at).completed == completes) result.push_back(at);
    return result;
}

/// Returns the column of a figure; without cells if it is the same for all managers.
table_column column_of(const cell_figure& from, const result& of, const comparison& on,
                       const std::vector<std::size_t>& managers) {
    table_column made{.title = std::string(from.title), .rank = from.rank};
    figure_value best;
    std::set<std::string> texts;
    for (const std::size_t manager : managers) {
        const figure_value value = from.of(of.source(on, manager));
        const bool is_known = !std::holds_alternative<std::monostate>(value);
        const bool is_first = std::holds_alternative<std::monostate>(best);
        if (is_known && (is_first || (from.which == better::less ? value < best : best < value))) best = value;
        made.cells.push_back({in_words(from.in, value)});
        texts.insert(made.cells.back().text);
    }
    const bool is_needed = managers.size() == 1 || from.rank == 0 || from.rank == 1;
    if (texts.size() < 2 && (!is_needed || texts.contains("-"))) return {};
    for (std::size_t at = 0; at < managers.size(); ++at) {
        const bool is_best = from.which != better::neither && from.of(of.source(on, managers[at])) == best;
        if (made.cells[at].text == "-") continue;
        if (is_best && texts.size() > 1) made.cells[at].how = accent::good;
        if (from.in == unit::event) made.cells[at].how = accent::bad;
    }
    return made;
}

/// Returns the table of a workload; empty if no manager can complete it, or if none differs in anything.
text_table workload_table(const result& of, const comparison& on) {
    if (must_fail(*on.in)) return {};
    const std::vector<std::size_t> managers = ordered(on, of.who);
    text_table made{{.title = "manager", .is_number = false}};
    for (const std::size_t at : managers) made.front().cells.push_back({std::string(short_name(*of.who.managers[at]))});
    for (const cell_figure& each : all_figures()) {
        if (each.title.empty()) continue;
        table_column column = column_of(each, of, on, managers);
        if (!column.cells.empty()) made.push_back(std::move(column));
    }
    return made.size() == 1 ? text_table{} : made;
}

/// Returns the cell of a manager in the table of all workloads: the figure that ranks managers there.
table_cell summary_cell(const comparison& on, std::size_t manager) {
    const trace::figures& found = on.of(manager);
    if (!found.completed) return {"fails", accent::bad};
    if (on.in->how == limit::given) {
        const std::uint64_t cost = found.move_us + found.reload_us;
        return {cost == 0 ? "fits" : duration(cost)};
    }
    const std::optional<std::uint64_t>& need =
        on.in->how == limit::unlimited ? found.footprint_bytes : found.min_capacity_bytes;
    return {need ? size_in_words(*need) : "-"};
}

/// Returns a title in lines of at most `width` characters if possible, broken after `_`, `,`, `:` and blanks.
std::string broken_title(std::string_view title, std::size_t width) {
    std::string result;
    std::size_t column = 0;
    for (std::size_t from = 0; from < title.size();) {
        const std::size_t at = title.find_first_of("_,: ", from);
        const std::size_t end = at == std::string_view::npos ? title.size() : at + 1;
        if (column != 0 && column + (end - from) > width) {
            while (result.ends_with(' ')) result.pop_back();
            result += '\n';
            column = 0;
        }
        result += title.substr(from, end - from);
        column += end - from;
        from = end;
    }
    return result;
}

/// Returns the table of all workloads, managers in list order.
text_table summary_table(const result& of) {
    constexpr std::size_t widest_title = 12;
    text_table made{{.title = "manager", .is_number = false, .cells = {{"(memory)"}, {"(at least)"}}}};
    const std::size_t heads = made.front().cells.size();
    for (std::size_t at = 0; at < of.who.managers.size(); ++at)
        if (!is_second_name(of.who, at)) made.front().cells.push_back({std::string(short_name(*of.who.managers[at]))});
    for (const comparison& on : of.workloads) {
        const std::string memory = on.in->how == limit::given       ? size_in_words(on.in->device.capacity)
                                   : on.in->how == limit::unlimited ? "no limit"
                                                                    : "its need";
        table_column column{.title = broken_title(on.in->title, widest_title),
                            .cells = {{memory}, {size_in_words(on.in->min_bytes)}}};
        for (std::size_t at = 0; at < of.who.managers.size(); ++at)
            if (!is_second_name(of.who, at)) column.cells.push_back(summary_cell(on, at));
        made.push_back(std::move(column));
    }
    constexpr std::size_t most_single_rows = 24;  // up to as many managers, each has a row
    if (made.front().cells.size() > most_single_rows) fold_equal_rows(made, heads);
    return made;
}

/// Returns sentences that explain the table of all workloads.
std::vector<std::string> summary_notes(const result& of, bool has_details) {
    const auto has = [&](auto condition) {
        return std::any_of(of.workloads.begin(), of.workloads.end(),
                           [&](const comparison& on) { return condition(on.in->how); });
    };
    std::string cells;
    if (has([](limit how) { return how == limit::minimum || how == limit::needed; }))
        append_item(cells, "Its need: the least memory that completes the workload.", " ");
    if (has([](limit how) { return how == limit::unlimited; })) append_item(cells, "No limit: the footprint.", " ");
    if (has([](limit how) { return how == limit::given; }))
        append_item(cells, "In a given memory: modelled time of moves and reloads, or `fits` without any.", " ");
    std::vector<std::string> notes{cells, "(at least): no manager needs less. K, M and G are KiB, MiB and GiB."};
    if (has_details) return notes;
    notes.back() += " --details: a table for each workload.";
    for (const comparison& on : of.workloads)
        for (const std::string& note : on.in->notes) notes.push_back(on.in->title + ": " + note);
    return notes;
}

/// Adds the managers that fail, and the messages of the first of them.
void add_failures(std::vector<std::string>& notes, const comparison& of, const selection& who) {
    constexpr std::size_t most_messages = 3;
    constexpr std::size_t most_names = 4;
    std::vector<std::size_t> failing;
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!is_second_name(who, at) && !of.of(at).completed) failing.push_back(at);
    if (failing.empty()) return;
    std::string names;
    for (std::size_t at = 0; at < std::min(failing.size(), most_names); ++at)
        append_item(names, short_name(*who.managers[failing[at]]));
    if (failing.size() > most_names) names += " and " + std::to_string(failing.size() - most_names) + " more";
    notes.push_back(std::to_string(failing.size()) + " of " + counted(count_managers(who), "manager") +
                    (failing.size() == 1 ? " fails: " : " fail: ") + names + '.');
    std::set<std::string> told;
    for (const std::size_t at : failing) {
        const trace::figures& found = of.of(at);
        if (told.size() < most_messages && told.insert(*found.error).second)
            notes.push_back(std::string(short_name(*who.managers[at])) + " at event " + grouped(*found.failed_event) +
                            ": " + *found.error);
    }
}

/// Adds how the minimum capacities were found, if that matters.
void add_searches(std::vector<std::string>& notes, const comparison& of, const selection& who) {
    bool is_bisected = false;
    bool has_larger = false;
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        const trace::figures& found = of.of(at);
        if (found.min_search == trace::search::bisection && !is_bisected) {
            is_bisected = true;
            notes.emplace_back("Needs were found by bisection: a smaller capacity may do.");
        }
        if (!found.min_larger_fails_bytes || has_larger) continue;
        has_larger = true;
        notes.push_back("A larger capacity may fail: " + std::string(short_name(*who.managers[at])) + " completes in " +
                        size_in_words(*found.min_capacity_bytes) + " and fails in " +
                        size_in_words(*found.min_larger_fails_bytes) + '.');
    }
}

/// Returns true if nothing had to give way in a given memory.
bool is_idle(const comparison& of) {
    return of.in->how == limit::given && std::all_of(of.cells.begin(), of.cells.end(), [](const cell& each) {
               return each.found.completed && each.found.moves == 0 && each.found.evictions == 0;
           });
}

}  // namespace

std::vector<std::string> findings(const comparison& of, const selection& who) {
    std::vector<std::string> notes;
    const scenario& in = *of.in;
    if (is_imported(in)) notes.push_back("Who holds what: `hbm_compare --growth --trace " + in.load.name + "`.");
    if (!in.notes.empty()) notes.push_back(in.notes.front());
    if (in.load.rows.empty()) notes.emplace_back("There is nothing to replay.");
    if (must_fail(in))
        notes.push_back("No manager can complete it: at least " + size_in_words(in.min_bytes) +
                        " is needed at once. What each manager needs: --capacity min.");
    add_failures(notes, of, who);
    add_searches(notes, of, who);
    if (is_idle(of) && of.cells.size() > 1)
        notes.emplace_back("Nothing had to be moved or evicted. What each manager needs: --capacity min.");
    if (of.offline) notes.push_back(packing_note(in, *of.offline));
    if (!in.notes.empty()) notes.insert(notes.end(), in.notes.begin() + 1, in.notes.end());
    return notes;
}

namespace {

/// `  - text`, broken between words. Lines of `text` after its first are not broken.
std::string item(const std::string& text, std::size_t width) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string result = wrapped(text.substr(0, end), "  - ", std::max<std::size_t>(width, 40));
    for (std::size_t from = end; from < text.size();) {
        const std::size_t next = std::min(text.find('\n', from + 1), text.size());
        result += "    " + text.substr(from + 1, next - from - 1) + '\n';
        from = next;
    }
    return result;
}

/// Returns the table of a workload, and what there is to say of it.
std::string workload_text(const result& of, const comparison& on, std::size_t width, bool coloured) {
    std::string text = wrapped(on.in->title + ": " + about(*on.in), {}, width);
    text_table made = workload_table(of, on);
    const std::string left_out = fit_columns(made, width);
    const std::size_t rows = made.empty() ? 0 : made.front().cells.size();
    fold_equal_rows(made, 0);
    if (!made.empty()) text += '\n' + table_text(made, coloured);
    std::vector<std::string> notes;
    if (!made.empty() && made.front().cells.size() < rows)
        notes.emplace_back("Managers with the same figures share a row.");
    if (!left_out.empty()) notes.push_back("Left out for the width: " + left_out + '.');
    for (std::string& note : findings(on, of.who)) notes.push_back(std::move(note));
    if (!notes.empty()) text += '\n';
    for (const std::string& note : notes) text += item(note, width);
    return text;
}

std::string table_format(const options& settings, const result& of) {
    const bool coloured = wants_colour(settings);
    const std::size_t width = std::min(terminal_width(settings), widest);
    const answer advice = recommendation(of);
    std::vector<std::string> parts;
    if (!advice.headline.empty() || !advice.notes.empty()) parts.push_back(answer_text({&advice, 1}, false));
    if (of.workloads.size() > 1) {
        std::string text;
        for (const text_table& part : parts_of(summary_table(of), width))
            text += (text.empty() ? "" : "\n") + table_text(part, coloured);
        text += '\n';
        for (const std::string& note : summary_notes(of, settings.details)) text += item(note, width);
        parts.push_back(text);
    }
    if (of.workloads.size() == 1 || settings.details)
        for (const comparison& on : of.workloads) parts.push_back(workload_text(of, on, width, coloured));
    std::string names;
    for (const std::string& name : names_explained(of.who)) names += wrapped(name, "  ", width);
    if (!names.empty()) parts.push_back(names);
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "\n") + part;
    return fit_screen(settings, terminal_text(text, coloured));
}

void add_items(std::string& target, const std::vector<std::string>& all) {
    if (!all.empty()) target += '\n';
    for (const std::string& each : all) target += "- " + markdown_literal(each) + '\n';
}

std::string markdown_format(const result& of) {
    const answer advice = recommendation(of);
    std::string text = advice.headline.empty() ? std::string{} : markdown_literal(advice.headline) + '\n';
    std::vector<std::string> sentences;
    for (const answer_note& note : advice.notes) sentences.push_back(note.text.substr(0, note.text.size() - 1));
    add_items(text, sentences);
    if (of.workloads.size() > 1) {
        text += "\n## All workloads\n\n" + table_markdown(summary_table(of));
        add_items(text, summary_notes(of, true));
    }
    for (const comparison& on : of.workloads) {
        text += "\n## " + markdown_literal(on.in->title) + "\n\n" + markdown_literal(about(*on.in)) + '\n';
        if (const text_table made = workload_table(of, on); !made.empty()) text += '\n' + table_markdown(made);
        add_items(text, findings(on, of.who));
    }
    if (const std::vector<std::string> names = names_explained(of.who); !names.empty()) {
        text += "\n## Names\n";
        add_items(text, names);
    }
    return terminal_text(text);
}

}  // namespace

std::string result_text(const options& settings, const result& of) {
    switch (settings.format) {
    case output_format::json: {
        const answer advice = recommendation(of);
        if (advice.tables.empty()) return result_json(of);
        const std::string line = answer_json({&advice, 1});
        return result_json(of, std::string_view(line).substr(0, line.size() - 1));
    }
    case output_format::csv: return result_csv(of);
    case output_format::md: return markdown_format(of);
    case output_format::table: break;
    }
    return table_format(settings, of);
}

}  // namespace hbm::compare
