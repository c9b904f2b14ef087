#include "compare/failures/on_oom.hpp"

#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <bit>
#include <map>
#include <memory>

#include "compare/managers/failure_report.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/replay/replay.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Limit of the search for remedies, in looks at blocks: fifty times that of the library, for a tool may take seconds.
constexpr std::uint64_t effort = 50'000'000;

/// Managers that failed in the same way, with the report.
struct failed_cell {
    const scenario* in = nullptr;
    const cell* of = nullptr;
    std::vector<std::string_view> managers;  ///< names of the managers; a manager may have two
    std::vector<std::string_view> others;    ///< managers without the first
    failure_report report;
};

/// Replays again, with names for blocks, until a row fails; an empty report if no row fails.
failure_report explain_cell(const manager_entry& entry, const trace::workload& load, const cell& failed) {
    const std::unique_ptr<trace::replayed_memory> memory = memory_of(failed);
    trace::replay run(load, *memory, trace::naming::ids);
    while (run.step()) {
    }
    if (run.at() == load.rows.size()) return {};
    failed_row row{.load = &load,
                   .at = run.at(),
                   .why = run.trouble(),
                   .buffers = {},
                   .manager = entry.name,
                   .evicts = entry.evicts,
                   .donates = entry.donates,
                   .moves = entry.moves,
                   .effort = effort};
    for (trace::id buffer = 0; buffer < load.ids.size(); ++buffer) row.buffers.push_back(run.buffer_of(buffer));
    failure_report result;
    entry.explain(*memory, row, result);
    return result;
}

/// Returns true for the user's own managers, and for those with a short name.
bool is_known(const manager_entry& entry) {
    return !entry.shipped || find_named(entry.name) != nullptr;
}

/// Returns true if a manager of the cell `at` has a short name or is the user's.
bool is_known_cell(const comparison& compared, const selection& chosen, std::size_t at) {
    for (std::size_t manager = 0; manager < chosen.managers.size(); ++manager)
        if (compared.cell_of[manager] == at && is_known(*chosen.managers[manager])) return true;
    return false;
}

/// Calls `visit` with every cell whose manager failed, in the order of the comparison.
template <class Visit>
void for_each_failed(const std::vector<comparison>& all, const selection& chosen, Visit visit,
                     explained_managers whose = explained_managers::all) {
    for (const comparison& compared : all) {
        const bool is_some = whose == explained_managers::known && compared.in->has_programs;
        for (std::size_t at = 0; at < compared.cells.size(); ++at) {
            if (compared.cells[at].found.completed || (is_some && !is_known_cell(compared, chosen, at))) continue;
            failed_cell failed{
                .in = compared.in, .of = &compared.cells[at], .managers = {}, .others = {}, .report = {}};
            const manager_entry* first = nullptr;
            for (std::size_t manager = 0; manager < chosen.managers.size(); ++manager) {
                if (compared.cell_of[manager] != at) continue;
                const manager_entry& entry = *chosen.managers[manager];
                if (first == nullptr) first = &entry;
                failed.managers.push_back(entry.name);
                if (&entry != first && !same_manager(entry, *first)) failed.others.push_back(entry.name);
            }
            if (first->is_model) continue;  // its segments are not a layout that the library can explain
            failed.report = explain_cell(*first, compared.in->load, compared.cells[at]);
            visit(failed);
        }
    }
}

/// Returns the size that a buddy placement takes for the request; empty if it takes no more than the request, or for
/// another placement.
std::string rounding_of(const failed_cell& failed) {
    const trace::workload& load = failed.in->load;
    const trace::row& request = load.rows[static_cast<std::size_t>(failed.of->found.failed_event.value_or(0))];
    if (!failed.managers.front().starts_with("buddy") || request.what != trace::op::alloc) return {};
    const std::uint64_t quantum = failed.of->spec.quantum;
    const std::uint64_t bytes = trace::granted(request.bytes, quantum);
    if (bytes > failed.of->spec.capacity) return {};
    const std::uint64_t taken = std::bit_ceil(bytes / quantum) * quantum;
    if (taken == bytes) return {};
    return "buddy takes powers of two: " + size_in_words(taken) + " for the requested " + size_in_words(request.bytes) +
           ".\n";
}

/// Returns the other managers that failed in the same way; empty if there are none.
std::string others_of(const failed_cell& failed) {
    if (failed.others.empty()) return {};
    std::string names;
    std::size_t width = 81;
    for (const std::string_view name : failed.others) {
        if (width + name.size() + 1 > 80) {
            names += "\n   ";
            width = 3;
        }
        (names += ' ') += name;
        width += name.size() + 1;
    }
    return ", and under " + std::to_string(failed.others.size()) + " more that cannot differ here:" + names;
}

std::string heading(const failed_cell& failed) {
    const trace::workload& load = failed.in->load;
    const auto row = static_cast<std::size_t>(failed.of->found.failed_event.value_or(0));
    const named_manager* const known = find_named(failed.managers.front());
    std::string text =
        "== " + failed.in->title + ", event " + grouped(row) + " of " + grouped(load.rows.size()) + " counted from 0";
    if (!load.lines.empty()) text += " (line " + std::to_string(load.lines[row]) + ")";
    text += " ==\nunder " + std::string(failed.managers.front());
    if (known != nullptr) text += ", which is " + std::string(known->stands_for);
    return text + others_of(failed) + "\n" + rounding_of(failed);
}

/// Returns the limit of a remedy for a single request: if the workload needs more than the capacity, later requests
/// fail.
std::string whole_workload(const failed_cell& failed) {
    const std::uint64_t min_bytes = failed.in->min_bytes;
    if (min_bytes <= failed.of->spec.capacity) return {};
    return "These are for this request alone: later ones need more, the whole workload at least " +
           size_in_words(min_bytes) + ".\n";
}

/// Returns the next run that takes the requested buffer; nullopt if there is none, or the row is not an allocation.
std::optional<std::size_t> run_of_request(const failed_cell& failed) {
    const trace::workload& load = failed.in->load;
    const auto at = static_cast<std::size_t>(failed.of->found.failed_event.value_or(0));
    if (load.rows[at].what != trace::op::alloc) return std::nullopt;
    const trace::id buffer = load.rows[at].subject;
    for (std::size_t next = at + 1; next < load.rows.size(); ++next) {
        const trace::row& row = load.rows[next];
        if (row.what == trace::op::free && row.subject == buffer) break;
        if (row.what != trace::op::run) continue;
        for (const trace::operand_range taken : {load.details[row.detail].inputs, load.details[row.detail].donated})
            for (std::uint32_t i = 0; i < taken.count; ++i)
                if (load.operands[taken.first + i] == buffer) return next;
    }
    return std::nullopt;
}

/// Returns the fact that a manager has no access to: the buffer is for a program, which must fit next to it.
std::string program_of_request(const failed_cell& failed) {
    const std::optional<std::size_t> run = run_of_request(failed);
    if (!run) return {};
    const std::string_view program = failed.in->load.ids[failed.in->load.rows[*run].subject];
    for (const named_advice& advice : failed.report.explained.remedies)
        for (std::size_t at = 0; at < advice.steps.size(); ++at)
            if (advice.what.steps.steps[at].what == step_kind::evict && advice.steps[at].name == program)
                return "A remedy that evicts program '" + std::string(program) + "' helps this request alone: event " +
                       grouped(*run) + " runs it with this very buffer, and has to bring it back.\n";
    return {};
}

std::string explained(const failed_cell& failed) {
    const std::string text = to_text(failed.report.explained);
    return program_of_request(failed) + "\n" + text + whole_workload(failed) + "\n";
}

std::string body(const failed_cell& failed) {
    // Begins with the message, as the explanation does.
    allocation_dump shown = failed.report.dumped;
    forget_idle_ages(shown, failed.in->load, static_cast<std::size_t>(failed.of->found.failed_event.value_or(0)));
    const std::string dumped = to_text(shown);
    return explained(failed) + dumped.substr(dumped.find('\n') + 1);
}

/// Returns the kind of a failure: its message without names in quotation marks, numbers and their units.
std::string kind_of(const failed_cell& failed) {
    std::string result = failed.in->title + '\n';
    bool is_name = false;
    bool is_number = false;
    for (const char letter : *failed.of->found.error) {
        if (letter == '\'') is_name = !is_name;
        is_number =
            is_digit(letter) || (is_number && (letter == '.' || letter == ',' || (letter >= 'A' && letter <= 'Z')));
        if (!is_name && !is_number) result += letter;
    }
    return result;
}

/// Returns the available managers under which a workload with programs completes; empty if there are none.
std::string completing_managers(const comparison& compared, const selection& chosen) {
    if (!compared.in->has_programs) return {};
    std::vector<std::string> names;
    for (std::size_t at = 0; at < chosen.managers.size(); ++at) {
        const std::string name(chosen.managers[at]->name);
        if (!is_known(*chosen.managers[at]) || !compared.cells[compared.cell_of[at]].found.completed) continue;
        names.push_back(name != runtime_manager.name ? name : name + " (the manager that a TPU has)");
    }
    if (names.empty()) return {};
    return compared.in->title + " completes under " + list_in_words(names) + ".\n";
}

/// Returns the managers that failed without an explanation; empty if there are none.
std::string unexplained_managers(const comparison& compared, const selection& chosen, bool is_only) {
    std::vector<std::string> names;
    for (std::size_t cell = 0; cell < compared.cells.size(); ++cell) {
        if (!compared.in->has_programs || compared.cells[cell].found.completed || is_known_cell(compared, chosen, cell))
            continue;
        for (std::size_t at = 0; at < chosen.managers.size(); ++at)
            if (compared.cell_of[at] == cell && !is_second_name(chosen, at))
                names.emplace_back(chosen.managers[at]->name);
    }
    if (names.empty()) return {};
    constexpr std::size_t shown = 3;
    const std::size_t more = names.size() > shown ? names.size() - shown : 0;
    names.resize(names.size() - more);
    if (more != 0) names.push_back(counted(more, "more manager"));
    return (is_only ? "It" : compared.in->title) + " also fails under " + list_in_words(names) +
           ": to explain, name them with --manager, or write a file: --on-oom why.txt.\n";
}

/// Returns the models that failed; empty if there are none.
std::string failed_models(const comparison& compared, const selection& who) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (who.managers[at]->is_model && !compared.of(at).completed) names.emplace_back(who.managers[at]->name);
    if (names.empty()) return {};
    return compared.in->title + " fails under " + list_in_words(names) +
           ": models of another allocator, whose memory is not explained.\n";
}

}  // namespace

std::string oom_text(const std::vector<comparison>& all, const selection& chosen, explained_managers whose,
                     const std::optional<partial_result>& cut) {
    const std::string before = cut ? interruption_words(*cut) + "\n\n" : std::string{};
    std::string begin;
    std::string end;
    for (const comparison& compared : all) {
        begin += completing_managers(compared, chosen);
        if (whose == explained_managers::known) end += unexplained_managers(compared, chosen, all.size() == 1);
        end += failed_models(compared, chosen);
    }
    std::string text;
    std::map<std::string, std::string_view> first;  // manager whose memory was shown, by the kind of failure
    const auto tell = [&](const failed_cell& failed) {
        if (!text.empty()) text += "\n\n";
        const auto [known, is_new] = first.emplace(kind_of(failed), failed.managers.front());
        text += heading(failed);
        text += is_new ? body(failed)
                       : explained(failed) + "Memory contents omitted; same failure as " + std::string(known->second) +
                             " above. A file whose name ends in .json has all of it.\n";
    };
    for_each_failed(all, chosen, tell, whose);
    if (text.empty() && end.empty()) return before + "No manager ran out of memory.\n";
    // Headings come first if there is no general sentence.
    if (!text.empty())
        text = (begin.empty() ? "" : begin + "\n") + text;
    else
        text = begin;
    if (!end.empty()) text += (text.empty() || text.ends_with("\n") ? "" : "\n") + end + "\n";
    return before + text;
}

std::string oom_json(const std::vector<comparison>& all, const selection& chosen,
                     const std::optional<partial_result>& cut) {
    std::string text;
    for_each_failed(all, chosen, [&](const failed_cell& failed) {
        json_writer json;
        json.begin_object();
        json.field("workload", failed.in->load.name);
        json.values("managers", failed.managers);
        json.field("failed_event", failed.of->found.failed_event.value_or(0));
        json.field("workload_needs_bytes", failed.in->min_bytes);
        json.field("explanation", to_text(failed.report.explained));
        json.literal("dump", to_json(failed.report.dumped));
        json.end_object();
        (text += text.empty() ? "\n" : ",\n") += json.text();
    });
    return "{\"schema\":\"hbm-oom/1\"," + (cut ? "\"interrupted\":" + interruption_json(*cut) + "," : std::string{}) +
           "\"failures\":[" + text + "\n]}\n";
}

std::vector<told_failure> tell_failures(const std::vector<comparison>& all, const selection& chosen) {
    std::vector<told_failure> result;
    for_each_failed(all, chosen, [&](const failed_cell& failed) {
        std::size_t workload = 0;
        while (all[workload].in != failed.in) ++workload;
        const std::string title = failed.in->title + ": " + group_name(failed.managers.front(), failed.others.size()) +
                                  " at event " + grouped(failed.of->found.failed_event.value_or(0));
        result.push_back({.workload = workload,
                          .cell = static_cast<std::size_t>(failed.of - all[workload].cells.data()),
                          .title = title,
                          .text = heading(failed) + body(failed)});
    });
    return result;
}

}  // namespace hbm::compare
