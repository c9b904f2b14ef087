
#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/program.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/programs.hpp"
#include "compare/texts/temporaries.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::donation_choice;
using imported::rounded_size;
using imported::scheduled_program;
using imported::imported_program;
using imported::program_sums;

/// Returns a size, or the range of a rounded size if that shows.
std::string text_of(const rounded_size& size) {
    const std::string low = size_in_words(size.low);
    const std::string high = size_in_words(size.high);
    return low == high ? size_in_words(size.bytes) : filled(texts::size_range, {{"low", low}, {"high", high}});
}

std::string text_of(const std::optional<rounded_size>& size) {
    return size ? text_of(*size) : std::string(texts::unknown_size);
}

/// Difference between the donations of the replay and those of the compiled program, in bytes of outputs that take over
/// an argument.
struct donation_change {
    std::uint64_t saved = 0;
    std::uint64_t lost = 0;
    std::size_t donated = 0;  ///< number of arguments that the replay donates
};

donation_change change_of(const scheduled_program& program) {
    donation_change result;
    const auto pairs = imported::pair_steps(program.what, program.donation);
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        const bool is_compiled = program.what.outputs[at].argument.has_value();
        if (pairs[at].is_donated) ++result.donated;
        if (pairs[at].is_donated == is_compiled) continue;
        std::uint64_t& target = pairs[at].is_donated ? result.saved : result.lost;
        target = saturating_add(target, program.what.outputs[at].size.bytes);
    }
    return result;
}

/// Returns the need as compiled, and as replayed if that differs.
std::string need_of(const scheduled_program& program, const program_sums& sums) {
    if (program.donation == donation_choice::as_is) return text_of(sums.need);
    const donation_change change = change_of(program);
    const std::uint64_t more = saturating_add(sums.need.bytes, change.lost);
    return filled(texts::need_as_replayed, {{"replayed", size_in_words(more - std::min(more, change.saved))},
                                            {"donated", change.donated == 0 ? std::string(texts::nothing_donated)
                                                                            : counted(change.donated, "argument")},
                                            {"compiled", text_of(sums.need)}});
}

std::string outputs_of(const scheduled_program& program, const program_sums& sums) {
    if (!program.what.knows_outputs) return std::string(texts::unknown_size);
    const bool is_changed = program.donation != donation_choice::as_is;
    return filled(program.what.outputs.empty() ? texts::no_outputs
                  : sums.aliases.bytes == 0    ? texts::outputs_without_alias[is_changed]
                                               : texts::outputs_with_alias[is_changed],
                  {{"bytes", text_of(sums.outputs)},
                   {"count", grouped(program.what.outputs.size())},
                   {"aliases", text_of(sums.aliases)}});
}

/// Returns a note on the need of the program, by use.
std::string need_note(const scheduled_program& program, const program_sums& sums) {
    const imported_program& content = program.what;
    const std::string need = need_of(program, sums);
    return filled(texts::need,
                  {{"program", program_label(program.name)},
                   {"need", content.unknown.empty() ? need : filled(texts::need_at_least, {{"need", need}})},
                   {"arguments", text_of(sums.arguments)},
                   {"count", grouped(content.arguments.size())},
                   {"outputs", outputs_of(program, sums)},
                   {"temporaries", text_of(content.temporary)},
                   {"constants", text_of(content.constant)},
                   {"code", text_of(content.code)}});
}

/// Returns notes on sizes that no file has. Of code there is a single note for all programs, because no dump has it.
void add_unknown(std::vector<std::string>& notes, const std::vector<scheduled_program>& all) {
    std::string code;
    for (const scheduled_program& program : all)
        for (const imported::unknown_fact& fact : program.what.unknown) {
            if (fact.what == "code")
                code = fact.remedy;
            else
                notes.push_back(
                    filled(texts::unknown_sizes,
                           {{"sizes", fact.what}, {"program", program_label(program.name)}, {"remedy", fact.remedy}}));
        }
    if (!code.empty()) notes.push_back(filled(texts::unknown_code, {{"remedy", code}}));
}

void add_reading(std::vector<std::string>& notes, const scheduled_program& program, std::uint64_t capacity) {
    for (const std::string& entry : program.what.notes) {
        const bool is_ended = entry.ends_with('.') || entry.ends_with('?');
        notes.push_back(filled(is_ended ? texts::note_with_end : texts::note_without_end,
                               {{"program", program_label(program.name)}, {"note", entry}}));
    }
    const program_sums sums = imported::sums_of(program.what);
    if (capacity != 0 && sums.need.low <= capacity && capacity < sums.need.high)
        notes.push_back(filled(texts::may_fit, {{"program", program_label(program.name)}}));
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

/// `Donation: ...` as `Donation in jit_step: ...`.
std::string headed(std::string_view line, const scheduled_program& program) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    return filled(texts::advice_in_program, {{"subject", std::string(line.substr(0, colon))},
                                             {"program", program_label(program.name)},
                                             {"advice", std::string(line.substr(colon))}});
}

/// Returns a note on the savings of donation and the cost of padding.
void add_advice(std::vector<std::string>& notes, const scheduled_program& program) {
    if (imported::sums_of(program.what).need.high == ~std::uint64_t{0}) return;
    if (!program.what.knows_output_indices && !program.what.outputs.empty()) {
        notes.push_back(filled(texts::unknown_donation, {{"program", program_label(program.name)}}));
        return;
    }
    const std::size_t first = notes.size();
    const std::string text = imported::donation_text(question_of(program), program.what.donation_file);
    // Lines that begin with blanks belong to the one before.
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string line = text.substr(from, end - from);
        if (line.starts_with(' '))
            notes.back() += '\n' + line;
        else
            notes.push_back(headed(line, program));
        from = end + 1;
    }
    if (program.donation != donation_choice::as_is) return;
    const std::string heading = headed("Donation:", program);
    for (std::size_t at = first; at < notes.size(); ++at)
        if (notes[at].starts_with(heading)) notes[at] += texts::donation_option;
}

/// Adds a note on outputs of which those of two steps are in memory at once.
void add_leftovers(std::vector<std::string>& notes, const scheduled_program& program, const program_sums& sums) {
    std::uint64_t bytes = 0;
    const auto pairs = imported::pair_steps(program.what, program.donation);
    for (std::size_t at = 0; at < pairs.size(); ++at)
        if (!pairs[at].argument) bytes = saturating_add(bytes, program.what.outputs[at].size.bytes);
    if (program.runs == 1 || bytes == 0 || bytes < sums.need.bytes / 100) return;
    notes.push_back(
        filled(texts::leftovers, {{"program", program_label(program.name)}, {"bytes", size_in_words(bytes)}}));
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
        if (bytes == 0 || program.shares_arguments) continue;
        notes.push_back(filled(texts::equal_arguments,
                               {{"program", program_label(program.name)}, {"bytes", size_in_words(bytes)}}));
    }
}

}  // namespace

std::string program_label(const std::string& name) {
    constexpr std::size_t longest = 40;
    return name.size() <= longest ? name : std::string(first_characters(name, longest)) + "...";
}

std::vector<std::string> program_notes(const std::vector<scheduled_program>& programs, std::uint64_t capacity) {
    std::vector<std::string> notes;
    for (const scheduled_program& entry : programs)
        notes.push_back(need_note(entry, imported::sums_of(entry.what)));
    add_unknown(notes, programs);
    for (const scheduled_program& entry : programs) add_reading(notes, entry, capacity);
    for (const scheduled_program& program : programs)
        if (!program.what.temporaries.empty())
            notes.push_back(temporaries_note(use_of_temporaries(program.what), program_label(program.name)));
    for (const scheduled_program& entry : programs) add_leftovers(notes, entry, imported::sums_of(entry.what));
    add_equal_arguments(notes, programs);
    for (const scheduled_program& entry : programs) add_advice(notes, entry);
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
    for (const scheduled_program& program : programs)
        for (const imported::unknown_fact& fact : program.what.unknown)
            if (std::find(kinds.begin(), kinds.end(), fact.what) == kinds.end()) kinds.push_back(fact.what);
    std::string list;
    for (const std::string& kind : kinds) append_item(list, kind);
    return list;
}

/// Returns `Fits v4 (30.75G), v6e (31.25G); not v2, v3.` Without the code, which is usually small: `Without its code it
/// fits ...`. Other unknown sizes may be most of the need: then no generation is listed as fitting.
std::string devices_for(const rounded_size& need, const std::string& unknown) {
    const bool is_bound = !unknown.empty() && unknown != "code";
    std::string fits;
    std::string open;
    std::string small;
    for (const memory_spec& device : tpu::generations) {
        const bool is_enough = need.high <= device.capacity && !is_bound;
        std::string& list = is_enough ? fits : need.low <= device.capacity ? open : small;
        append_item(list, filled(&list == &small ? texts::device : texts::device_with_size,
                                 {{"device", device.name}, {"size", size_in_words(device.capacity)}}));
    }
    const std::string_view lead = unknown.empty() ? texts::fits_devices : texts::fits_devices_without_code;
    return filled(!is_bound || open.empty() ? texts::devices[!fits.empty()][!open.empty()][!small.empty()]
                  : small.empty()           ? texts::none_ruled_out
                                            : texts::some_ruled_out,
                  {{"fits", filled(lead, {{"fits", fits}})}, {"open", open}, {"small", small}});
}

}  // namespace

std::string program_verdict(const std::vector<scheduled_program>& programs, std::uint64_t min_bytes,
                            std::uint64_t capacity, bool is_assumed) {
    const rounded_size need = need_of(programs, min_bytes);
    const std::string unknown = unknown_sizes(programs);
    const std::string verdict = filled(texts::verdicts[programs.size() != 1][!unknown.empty()],
                                       {{"program", program_label(programs.front().name)},
                                        {"count", grouped(programs.size())},
                                        {"need", text_of(need)},
                                        {"unknown", unknown},
                                        {"devices", devices_for(need, unknown)}});
    if (is_assumed) return verdict + filled(texts::assumed_device, {{"device", tpu::v5e.name}});
    if (capacity == 0 || capacity >= need.low) return verdict;
    return verdict + filled(texts::too_small_capacity, {{"capacity", size_in_words(capacity)}});
}

}  // namespace hbm::compare
