
#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/texts/temporaries.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::donation_choice;
using imported::rounded_size;
using imported::scheduled_program;
using imported::xla::imported_program;
using imported::xla::program_sums;

/// Returns a size, or the range of a rounded size if that shows.
std::string words_of(const rounded_size& size) {
    const std::string low = size_in_words(size.low);
    const std::string high = size_in_words(size.high);
    return low == high ? size_in_words(size.bytes) : low + " to " + high;
}

std::string words_of(const std::optional<rounded_size>& size) {
    return size ? words_of(*size) : "unknown";
}

std::string label_of(const scheduled_program& of) {
    return program_label(of);
}

/// Difference between the donations of the replay and those of the compiled program, in bytes of outputs that take over
/// an argument.
struct donation_change {
    std::uint64_t saved = 0;
    std::uint64_t lost = 0;
    std::size_t donated = 0;  ///< number of arguments that the replay donates
};

donation_change change_of(const scheduled_program& of) {
    donation_change made;
    const auto pairs = imported::pair_steps(of.what, of.donation);
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        const bool is_compiled = of.what.outputs[at].argument.has_value();
        if (pairs[at].is_donated) ++made.donated;
        if (pairs[at].is_donated == is_compiled) continue;
        std::uint64_t& into = pairs[at].is_donated ? made.saved : made.lost;
        into = saturating_add(into, of.what.outputs[at].size.bytes);
    }
    return made;
}

/// Returns a note on the need of the program, by use.
std::string need_note(const scheduled_program& of, const program_sums& sums) {
    const imported_program& what = of.what;
    std::string need = words_of(sums.need);
    if (of.donation != donation_choice::as_is) {
        const donation_change change = change_of(of);
        const std::uint64_t more = saturating_add(sums.need.bytes, change.lost);
        const std::uint64_t replayed = more - std::min(more, change.saved);
        const std::string count = grouped(change.donated) + (change.donated == 1 ? " argument" : " arguments");
        need = size_in_words(replayed) + " as replayed (" + (change.donated == 0 ? "nothing" : count) + " donated), " +
               need + " as compiled";
    }
    std::string words = "By its files a run of " + label_of(of) + " takes " +
                        (what.unknown.empty() ? "" : "at least ") + need + ": arguments " + words_of(sums.arguments) +
                        " (" + grouped(what.arguments.size()) + "), outputs ";
    const std::string as_compiled = of.donation == donation_choice::as_is ? "" : " as compiled";
    if (what.knows_outputs) {
        words += words_of(sums.outputs) + " (" + grouped(what.outputs.size());
        if (!what.outputs.empty())
            words += sums.aliases.bytes == 0
                         ? ", none in place of an argument" + as_compiled
                         : ", " + words_of(sums.aliases) + " of them in place of arguments" + as_compiled;
        words += ')';
    } else {
        words += "unknown";
    }
    words += ", temporaries " + words_of(what.temporary) + ", constants " + words_of(what.constant);
    return words + ", code " + words_of(what.code) + ".";
}

/// Returns notes on sizes that no file has. Of code there is a single note for all programs, because no dump has it.
void add_unknown(std::vector<std::string>& into, const std::vector<scheduled_program>& all) {
    std::string code;
    for (const scheduled_program& of : all)
        for (const imported::xla::unknown_fact& each : of.what.unknown) {
            if (each.what == "code")
                code = each.remedy;
            else
                into.push_back("The " + each.what + " of " + label_of(of) +
                               " are unknown and counted as nothing: " + each.remedy + ".");
        }
    if (!code.empty()) into.push_back("Code is unknown and counted as nothing: " + code + ". Add it with code=SIZE.");
}

void add_reading(std::vector<std::string>& into, const scheduled_program& of, std::uint64_t capacity) {
    for (const std::string& each : of.what.notes) {
        const bool is_ended = each.ends_with('.') || each.ends_with('?');
        into.push_back(label_of(of) + ": " + each + (is_ended ? "" : "."));
    }
    const program_sums sums = imported::xla::sums_of(of.what);
    if (capacity != 0 && sums.need.low <= capacity && capacity < sums.need.high)
        into.push_back(
            label_of(of) +
            " may or may not fit, depending on how its sizes were rounded: bring its buffer assignment, which has them "
            "exactly.");
}

imported::donation_question question_of(const scheduled_program& of) {
    imported::donation_question made;
    for (const auto& each : of.what.arguments)
        made.arguments.push_back({.parameter = each.parameter,
                                  .index = each.index,
                                  .bytes = each.size.bytes,
                                  .unpadded_bytes = each.size.is_exact() ? each.unpadded_bytes : std::nullopt,
                                  .share_bytes = {},
                                  .shape = each.shape,
                                  .label = each.label});
    for (const auto& each : of.what.outputs)
        made.outputs.push_back({.parameter = 0,
                                .index = each.index,
                                .bytes = each.size.bytes,
                                .unpadded_bytes = each.size.is_exact() ? each.unpadded_bytes : std::nullopt,
                                .share_bytes = {},
                                .shape = each.shape,
                                .label = {}});
    const bool all = of.donation == donation_choice::all;
    const auto pairs = imported::pair_steps(of.what, all ? donation_choice::all : donation_choice::as_is);
    for (std::size_t at = 0; at < pairs.size(); ++at)
        if (pairs[at].argument && pairs[at].is_donated) made.aliases.push_back({at, *pairs[at].argument});
    return made;
}

/// `Donation: ...` as `Donation in jit_step: ...`.
std::string headed(std::string_view line, const scheduled_program& of) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    return std::string(line.substr(0, colon)) + " in " + label_of(of) + std::string(line.substr(colon));
}

/// Returns a note on the savings of donation and the cost of padding.
void add_advice(std::vector<std::string>& into, const scheduled_program& of) {
    if (imported::xla::sums_of(of.what).need.high == ~std::uint64_t{0}) return;
    if (!of.what.knows_output_indices && !of.what.outputs.empty()) {
        into.push_back(
            "Donation in " + label_of(of) +
            ": what could be donated is not known, because no file here says which output is which. Bring the "
            "program's module_*after_optimizations.txt or its buffer assignment.");
        return;
    }
    const std::string text = imported::donation_text(question_of(of), of.what.donation_file);
    // Lines that begin with blanks belong to the one before.
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string line = text.substr(from, end - from);
        if (line.starts_with(' '))
            into.back() += '\n' + line;
        else
            into.push_back(headed(line, of));
        from = end + 1;
    }
    for (std::string& each : into)
        if (each.starts_with(headed("Donation:", of)) && of.donation == donation_choice::as_is)
            each += "\n  --program FILE:donate=all replays the steps with all of them donated.";
}

/// Adds a note on outputs of which those of two steps are in memory at once.
void add_leftovers(std::vector<std::string>& into, const scheduled_program& of, const program_sums& sums) {
    std::uint64_t bytes = 0;
    const auto pairs = imported::pair_steps(of.what, of.donation);
    for (std::size_t at = 0; at < pairs.size(); ++at)
        if (!pairs[at].argument) bytes = saturating_add(bytes, of.what.outputs[at].size.bytes);
    if (of.runs == 1 || bytes == 0 || bytes < sums.need.bytes / 100) return;
    into.push_back(
        "Outputs of " + label_of(of) + " that become no argument (" + size_in_words(bytes) +
        ") stay until the next run has replaced them, as in `loss = step(..)`: during a run those of two steps are "
        "in memory.");
}

/// Adds a note on arguments of several programs that may be the same buffers.
void add_equal_arguments(std::vector<std::string>& into, const std::vector<scheduled_program>& all) {
    for (std::size_t at = 1; at < all.size(); ++at) {
        if (all[at].shares_arguments) continue;
        std::multiset<std::pair<std::uint64_t, std::string>> before;
        for (std::size_t other = 0; other < at; ++other)
            for (const auto& each : all[other].what.arguments)
                before.emplace(each.size.bytes, imported::xla::without_layouts(each.shape));
        std::uint64_t bytes = 0;
        for (const auto& each : all[at].what.arguments) {
            const auto found = before.find({each.size.bytes, imported::xla::without_layouts(each.shape)});
            if (each.shape.empty() || found == before.end()) continue;
            before.erase(found);
            bytes = saturating_add(bytes, each.size.bytes);
        }
        if (bytes == 0) continue;
        into.push_back("Arguments of " + label_of(all[at]) + " of " + size_in_words(bytes) +
                       " have the size and shape of arguments of a program before it. If they are the same buffers, as "
                       "weights often are, say share=yes.");
    }
}

}  // namespace

std::string program_label(const scheduled_program& of) {
    constexpr std::size_t longest = 40;
    return of.name.size() <= longest ? of.name : of.name.substr(0, longest) + "...";
}

std::vector<std::string> program_notes(const std::vector<scheduled_program>& of, std::uint64_t capacity) {
    std::vector<std::string> notes;
    for (const scheduled_program& each : of) notes.push_back(need_note(each, imported::xla::sums_of(each.what)));
    add_unknown(notes, of);
    for (const scheduled_program& each : of) add_reading(notes, each, capacity);
    for (const scheduled_program& program : of)
        if (!program.what.temporaries.empty())
            notes.push_back(temporaries_note(use_of_temporaries(program.what), label_of(program)));
    for (const scheduled_program& each : of) add_leftovers(notes, each, imported::xla::sums_of(each.what));
    add_equal_arguments(notes, of);
    for (const scheduled_program& each : of) add_advice(notes, each);
    return notes;
}

namespace {

using imported::rounded_size;
using imported::scheduled_program;

std::string range_in_words(const rounded_size& size) {
    const std::string low = size_in_words(size.low);
    const std::string high = size_in_words(size.high);
    return low == high ? size_in_words(size.bytes) : low + " to " + high;
}

/// Returns the need of all programs, as exact as the rounded sizes in their files.
rounded_size need_of(const std::vector<scheduled_program>& of, std::uint64_t min_bytes) {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (const scheduled_program& each : of) {
        const rounded_size need = imported::xla::sums_of(each.what).need;
        below = saturating_add(below, need.bytes - need.low);
        above = saturating_add(above, need.high - need.bytes);
    }
    return {min_bytes, min_bytes - (below < min_bytes ? below : min_bytes), saturating_add(min_bytes, above)};
}

/// Returns the sizes that no file has, each kind once: `code, constants`.
std::string unknown_in_words(const std::vector<scheduled_program>& of) {
    std::vector<std::string> kinds;
    for (const scheduled_program& program : of)
        for (const imported::xla::unknown_fact& each : program.what.unknown) {
            bool is_new = true;
            for (const std::string& kind : kinds) is_new = is_new && kind != each.what;
            if (is_new) kinds.push_back(each.what);
        }
    std::string words;
    for (const std::string& kind : kinds) words += (words.empty() ? "" : ", ") + kind;
    return words;
}

/// Returns `Fits v4 (30.75G), v6e (31.25G); not v2, v3.` Without the code, which is usually small: `Without its code it
/// fits ...`. Other unknown sizes may be most of the need: then no generation is listed as fitting.
std::string generations_in_words(const rounded_size& need, const std::string& unknown) {
    const bool is_bound = !unknown.empty() && unknown != "code";
    std::string fits;
    std::string open;
    std::string not_enough;
    for (const memory_spec& each : tpu::generations) {
        const bool is_enough = need.high <= each.capacity && !is_bound;
        std::string& into = is_enough ? fits : need.low <= each.capacity ? open : not_enough;
        (into += into.empty() ? "" : ", ") += each.name;
        if (&into != &not_enough) into += " (" + size_in_words(each.capacity) + ")";
    }
    if (is_bound && !open.empty())
        return (not_enough.empty() ? "No TPU is ruled out by that: "
                                   : "Certainly too large for " + not_enough + "; not ruled out: ") +
               open + ".";
    std::string words = fits.empty() ? "" : (unknown.empty() ? "Fits " : "Without its code it fits ") + fits;
    const auto add = [&](const std::string& what, const char* first, const char* later, const char* end) {
        if (!what.empty()) words += (words.empty() ? first : later) + what + end;
    };
    add(open, "Perhaps fits ", "; perhaps ", ", which depends on how sizes were rounded");
    add(not_enough, "Fits no TPU: not ", "; not ", "");
    return words + ".";
}

}  // namespace

std::string program_verdict(const std::vector<scheduled_program>& of, std::uint64_t min_bytes, std::uint64_t capacity,
                            bool is_assumed) {
    const rounded_size need = need_of(of, min_bytes);
    const std::string unknown = unknown_in_words(of);
    std::string words = of.size() == 1 ? program_label(of.front()) + " needs "
                                       : "The " + grouped(of.size()) + " programs together need ";
    if (!unknown.empty()) words += "at least ";
    words += range_in_words(need);
    if (!unknown.empty()) words += " (" + unknown + " unknown)";
    words += ". " + generations_in_words(need, unknown);
    if (is_assumed) return words + " No --capacity was given: " + tpu::v5e.name + " is assumed.";
    if (capacity != 0 && capacity < need.low) words += " The given " + size_in_words(capacity) + " cannot be enough.";
    return words;
}

}  // namespace hbm::compare
