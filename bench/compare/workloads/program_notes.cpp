// Notes on the programs of a comparison, beside its figures.

#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/program.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::donation_choice;
using imported::imported_program;
using imported::program_sums;
using imported::rounded_size;
using imported::scheduled_program;
using imported::temporary_value;

std::string text_of(const std::optional<rounded_size>& size) {
    return size ? size_in_words(size->bytes) : std::string("unknown");
}

/// Returns what a run takes as replayed, if that differs from the compiled program; empty if it does not. An output
/// that is donated an argument only in the replay saves its bytes, one that is donated only as compiled adds them.
std::string need_as_replayed(const scheduled_program& program, const program_sums& sums) {
    if (program.donation == donation_choice::as_is) return {};
    const auto pairs = imported::pair_steps(program.what, program.donation);
    std::uint64_t bytes = sums.need.bytes;
    std::uint64_t saved = 0;
    std::size_t donated = 0;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        const auto& output = program.what.outputs[at];
        donated += pairs[at].is_donated ? 1U : 0U;
        if (pairs[at].is_donated && !output.argument) saved = saturating_add(saved, output.size.bytes);
        if (!pairs[at].is_donated && output.argument) bytes = saturating_add(bytes, output.size.bytes);
    }
    return size_in_words(bytes - std::min(bytes, saved)) + " as replayed (" +
           (donated == 0 ? std::string("nothing") : counted(donated, "argument")) + " donated), ";
}

std::string outputs_of(const imported_program& program, const program_sums& sums) {
    if (!program.knows_outputs) return "unknown";
    const std::string text = size_in_words(sums.outputs.bytes) + " (" + grouped(program.outputs.size());
    if (sums.aliases.bytes == 0) return text + ")";
    return text + ", " + size_in_words(sums.aliases.bytes) + " of them in place of arguments)";
}

/// Returns a note on the need of the program, by use.
std::string need_note(const scheduled_program& program) {
    const imported_program& what = program.what;
    const program_sums sums = imported::sums_of(what);
    const std::string replayed = need_as_replayed(program, sums);
    return "By its files a run of " + program_label(program.name) + " takes " +
           (what.unknown.empty() ? "" : "at least ") + replayed + size_in_words(sums.need.bytes) +
           (replayed.empty() ? "" : " as compiled") + ": arguments " + size_in_words(sums.arguments.bytes) + " (" +
           grouped(what.arguments.size()) + "), outputs " + outputs_of(what, sums) + ", temporaries " +
           text_of(what.temporary) + ", constants " + text_of(what.constant) + ", code " + text_of(what.code) + ".";
}

/// Returns notes on sizes that no file has. Of code there is a single note for all programs, because no dump has it.
void add_unknown(std::vector<std::string>& notes, const std::vector<scheduled_program>& all) {
    std::string code;
    for (const scheduled_program& program : all)
        for (const imported::unknown_fact& fact : program.what.unknown) {
            if (fact.what == "code")
                code = fact.remedy;
            else
                notes.push_back("The " + fact.what + " of " + program_label(program.name) +
                                " are unknown and counted as nothing: " + fact.remedy + ".");
        }
    if (!code.empty()) notes.push_back("Code is unknown and counted as nothing: " + code + ". Add it with code=SIZE.");
}

/// Returns the instruction at which most bytes are live, and the bytes.
std::pair<std::uint64_t, std::uint64_t> peak_of(const std::vector<temporary_value>& values) {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> changes;  // bytes that begin and that end
    for (const temporary_value& value : values) {
        auto& begins = changes[value.begin].first;
        begins = saturating_add(begins, value.bytes);
        if (value.end == ~std::uint64_t{0}) continue;
        auto& ends = changes[value.end + 1].second;
        ends = saturating_add(ends, value.bytes);
    }
    std::pair<std::uint64_t, std::uint64_t> peak;
    std::uint64_t live = 0;
    for (const auto& [at, change] : changes) {
        live = saturating_add(live - std::min(live, change.second), change.first);
        if (live > peak.second) peak = {at, live};
    }
    return peak;
}

/// Returns a note on the temporaries at their peak, the largest groups in lines of their own.
std::string temporaries_note(const scheduled_program& program) {
    constexpr std::size_t most = 5;
    const auto [peak_at, peak_bytes] = peak_of(program.what.temporaries);
    std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint64_t> counts;
    for (const temporary_value& value : program.what.temporaries)
        if (value.begin <= peak_at && peak_at <= value.end) ++counts[{value.name, value.shape, value.bytes}];
    std::vector<std::pair<std::uint64_t, std::string>> groups;
    for (const auto& [key, count] : counts) {
        const auto& [name, shape, bytes] = key;
        groups.emplace_back(saturating_multiply(bytes, count),
                            grouped(count) + " x " + size_in_words(bytes) + " " + shape + ", " + name);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string note = "Temporaries of " + program_label(program.name) + " are most at instruction " +
                       grouped(peak_at) + " of its schedule: " + size_in_words(peak_bytes) + " live, in " +
                       size_in_words(program.what.temporaries_height) + ".";
    for (std::size_t at = 0; at < std::min(most, groups.size()); ++at) note += "\n  " + groups[at].second;
    if (groups.size() > most) note += "\n  and " + counted(groups.size() - most, "smaller group");
    return note;
}

imported::donation_question question_of(const scheduled_program& program) {
    imported::donation_question result;
    for (const auto& entry : program.what.arguments)
        result.arguments.push_back({.parameter = entry.parameter,
                                    .index = entry.index,
                                    .bytes = entry.size.bytes,
                                    .unpadded_bytes = entry.size.is_exact() ? entry.unpadded_bytes : std::nullopt,
                                    .share_bytes = {},
                                    .shape = entry.shape,
                                    .label = entry.label});
    for (const auto& entry : program.what.outputs)
        result.outputs.push_back({.parameter = 0,
                                  .index = entry.index,
                                  .bytes = entry.size.bytes,
                                  .unpadded_bytes = entry.size.is_exact() ? entry.unpadded_bytes : std::nullopt,
                                  .share_bytes = {},
                                  .shape = entry.shape,
                                  .label = {}});
    const bool all = program.donation == donation_choice::all;
    const auto pairs = imported::pair_steps(program.what, all ? donation_choice::all : donation_choice::as_is);
    std::vector<bool> is_taken(program.what.arguments.size(), false);
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        if (!pairs[at].argument || !pairs[at].is_donated) continue;
        is_taken[*pairs[at].argument] = true;
        result.aliases.push_back({at, *pairs[at].argument});
    }
    for (const std::size_t donor : program.what.donors)
        if (!is_taken[donor]) result.donors.push_back(donor);
    return result;
}

/// Adds notes on the savings of donation and the cost of padding.
void add_advice(std::vector<std::string>& notes, const scheduled_program& program) {
    const std::string label = program_label(program.name);
    if (!program.what.knows_output_indices && !program.what.outputs.empty()) {
        notes.push_back("Donation in " + label +
                        ": no file here says which output is which. Bring the program's "
                        "module_*after_optimizations.txt or its buffer assignment.");
        return;
    }
    const std::string text = imported::donation_text(question_of(program), program.what.donation_file);
    // Lines that begin with blanks belong to the one before.
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        std::string line = text.substr(from, end - from);
        from = end + 1;
        if (line.starts_with(' ')) {
            notes.back() += '\n' + line;
            continue;
        }
        line.insert(std::min(line.find(':'), line.size()), " in " + label);
        if (line.starts_with("Donation in ") && program.donation == donation_choice::as_is)
            line += " Replay the steps with all of them donated: --program FILE:donate=all.";
        notes.push_back(line);
    }
}

/// Adds a note on arguments of several programs that may be the same buffers.
void add_equal_arguments(std::vector<std::string>& notes, const std::vector<scheduled_program>& all) {
    using argument_counts = std::map<std::pair<std::uint64_t, std::string>, std::size_t>;
    argument_counts before;
    for (const scheduled_program& program : all) {
        argument_counts own;
        std::uint64_t bytes = 0;
        for (const auto& entry : program.what.arguments) {
            if (entry.shape.empty()) continue;
            const std::pair key(entry.size.bytes, imported::without_layouts(entry.shape));
            const auto match = before.find(key);
            const std::size_t count = ++own[key];
            if (match != before.end() && count <= match->second) bytes = saturating_add(bytes, entry.size.bytes);
        }
        for (const auto& [key, count] : own) before[key] += count;
        if (bytes != 0 && !program.shares_arguments)
            notes.push_back("Arguments of " + program_label(program.name) + " of " + size_in_words(bytes) +
                            " have the size and shape of arguments of a program before it. If they are the same "
                            "buffers, as weights often are, say share=yes.");
    }
}

}  // namespace

std::string program_label(const std::string& name) {
    constexpr std::size_t longest = 40;
    return name.size() <= longest ? name : std::string(first_characters(name, longest)) + "...";
}

std::vector<std::string> program_notes(const std::vector<scheduled_program>& programs) {
    std::vector<std::string> notes;
    for (const scheduled_program& program : programs) notes.push_back(need_note(program));
    add_unknown(notes, programs);
    for (const scheduled_program& program : programs)
        for (const std::string& entry : program.what.notes) {
            const bool is_ended = entry.ends_with('.') || entry.ends_with('?');
            notes.push_back(program_label(program.name) + ": " + entry + (is_ended ? "" : "."));
        }
    for (const scheduled_program& program : programs)
        if (!program.what.temporaries.empty()) notes.push_back(temporaries_note(program));
    add_equal_arguments(notes, programs);
    for (const scheduled_program& program : programs)
        if (imported::sums_of(program.what).need.high != ~std::uint64_t{0}) add_advice(notes, program);
    return notes;
}

namespace {

/// Returns the need of all programs, as exact as the rounded sizes in their files.
rounded_size need_of(const std::vector<scheduled_program>& programs, std::uint64_t min_bytes) {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (const scheduled_program& program : programs) {
        const rounded_size need = imported::sums_of(program.what).need;
        below = saturating_add(below, need.bytes - need.low);
        above = saturating_add(above, need.high - need.bytes);
    }
    return {min_bytes, min_bytes - (below < min_bytes ? below : min_bytes), saturating_add(min_bytes, above)};
}

/// Returns the sizes that no file has, each kind once: `code, constants`.
std::string unknown_sizes(const std::vector<scheduled_program>& programs) {
    std::vector<std::string> kinds;
    std::string list;
    for (const scheduled_program& program : programs)
        for (const imported::unknown_fact& fact : program.what.unknown) {
            if (std::find(kinds.begin(), kinds.end(), fact.what) != kinds.end()) continue;
            kinds.push_back(fact.what);
            append_item(list, fact.what);
        }
    return list;
}

/// Returns ` It fits v4 (30.75G), v6e (31.25G); too little: v2, v3.` Code that is unknown is usually small; other
/// unknown sizes may be most of the need: then no generation is listed as fitting.
std::string devices_for(const rounded_size& need, const std::string& unknown) {
    const bool is_bound = !unknown.empty() && unknown != "code";
    std::string fits;
    std::string open;
    std::string small;
    for (const memory_spec& device : tpu::generations) {
        const std::string with_size = std::string(device.name) + " (" + size_in_words(device.capacity) + ")";
        if (need.low > device.capacity)
            append_item(small, device.name);
        else
            append_item(need.high <= device.capacity && !is_bound ? fits : open, with_size);
    }
    std::string text;
    if (!fits.empty()) append_item(text, (unknown.empty() ? "it fits " : "without its code it fits ") + fits, "; ");
    if (!open.empty()) append_item(text, (is_bound ? "not ruled out: " : "to the printed digit: ") + open, "; ");
    if (!small.empty()) append_item(text, "too little: " + small, "; ");
    return text;
}

}  // namespace

std::string program_verdict(const std::vector<scheduled_program>& programs, std::uint64_t min_bytes,
                            std::uint64_t capacity, bool is_assumed) {
    const rounded_size need = need_of(programs, min_bytes);
    const std::string unknown = unknown_sizes(programs);
    std::string text = programs.size() == 1 ? program_label(programs.front().name) + " needs "
                                            : "The " + grouped(programs.size()) + " programs together need ";
    if (!unknown.empty()) text += "at least ";
    text += size_in_words(need.bytes);
    if (!unknown.empty()) text += " (" + unknown + " unknown)";
    text += "; " + devices_for(need, unknown) + ".";
    if (is_assumed) return text + " No --capacity was given: " + std::string(tpu::v5e.name) + " is assumed.";
    if (capacity == 0 || capacity >= need.low) return text;
    return text + " The given " + size_in_words(capacity) + " cannot be enough.";
}

}  // namespace hbm::compare
