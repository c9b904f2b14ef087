#include <hbm/imported/step_pairs.hpp>
#include <hbm/imported/xla/program.hpp>
#include <hbm/report/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compare/numbers.hpp"
#include "compare/programs.hpp"

namespace hbm::compare {

namespace {

using imported::rounded_size;
using imported::xla::imported_program;
using imported::xla::program_sums;

/// A size, or the range that a rounded size can stand for if that shows.
std::string words_of(const rounded_size& size) {
    const std::string low = size_in_words(size.low);
    const std::string high = size_in_words(size.high);
    return low == high ? size_in_words(size.bytes) : low + " to " + high;
}

std::string words_of(const std::optional<rounded_size>& size) {
    return size ? words_of(*size) : "unknown";
}

/// What the program needs, and for what.
std::string need_note(const imported::scheduled_program& of, const program_sums& sums) {
    const imported_program& what = of.what;
    const bool is_whole = what.knows_outputs && what.temporary;
    std::string words = of.name + " needs " + (is_whole ? "" : "at least ") + words_of(sums.need) + ": arguments " +
                        words_of(sums.arguments) + " (" + grouped(what.arguments.size()) + "), outputs ";
    words += what.knows_outputs ? words_of(sums.outputs) + " (" + grouped(what.outputs.size()) + ", of which " +
                                      words_of(sums.aliases) + " in place of arguments)"
                                : "unknown";
    words += ", temporaries " + words_of(what.temporary);
    if (what.constant) words += ", constants " + words_of(*what.constant);
    return words + ", code " + words_of(what.code) + ".";
}

void add_unknown(std::vector<std::string>& into, const imported::scheduled_program& of) {
    for (const imported::xla::unknown_fact& each : of.what.unknown) {
        const bool is_code = each.what == "code";
        into.push_back("Not in the files of " + of.name + " and counted as nothing: its " + each.what + "; " +
                       each.remedy + (is_code ? ": add it with code=SIZE." : "."));
    }
}

/// What the program would save if it donated every argument that an output replaces.
void add_donation(std::vector<std::string>& into, const imported::scheduled_program& of, const program_sums& sums) {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    const std::vector<imported::step_pair> pairs = imported::pair_steps(of.what, of.donation);
    std::string largest;
    std::uint64_t most = 0;
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        if (!pairs[at].argument || pairs[at].is_donated) continue;
        const imported::xla::program_output& output = of.what.outputs[at];
        ++count;
        bytes = saturating_add(bytes, output.size.bytes);
        if (output.size.bytes <= most) continue;
        most = output.size.bytes;
        largest = "parameter " + std::to_string(of.what.arguments[*pairs[at].argument].parameter) + " with " +
                  size_in_words(most);
    }
    // What is below a hundredth is no way out of anything.
    if (bytes == 0 || bytes < sums.need.bytes / 100) return;
    into.push_back("Donation left on the table: " + counted(count, "output") + " of " + size_in_words(bytes) +
                   (count == 1 ? " has" : " have") +
                   " the size of an argument that is not donated, so a step holds both (the largest: " + largest +
                   "). If these arguments are dead after the step, donate them (donate_argnums in JAX): " + of.name +
                   " would then need " + size_in_words(sums.need.bytes - std::min(bytes, sums.need.bytes)) +
                   ", as with " + "donate=all.");
}

/// What padding takes, if it is much, and of which arrays most.
void add_padding(std::vector<std::string>& into, const imported::scheduled_program& of, const program_sums& sums) {
    constexpr std::size_t max_arrays = 3;
    if (sums.padding < sums.need.bytes / 100 || sums.padding == 0) return;
    std::vector<std::pair<std::uint64_t, std::string>> worst;
    const auto consider = [&](std::string what, const rounded_size& size, const std::optional<std::uint64_t>& unpadded,
                              const std::string& shape) {
        if (!unpadded || !size.is_exact() || size.bytes <= *unpadded) return;
        worst.emplace_back(size.bytes - *unpadded, std::move(what) + " " + shape + " takes " +
                                                       size_in_words(size.bytes) + " for " + size_in_words(*unpadded));
    };
    for (const auto& each : of.what.arguments)
        consider("parameter " + std::to_string(each.parameter), each.size, each.unpadded_bytes, each.shape);
    for (const auto& each : of.what.outputs)
        if (!each.argument) consider("an output", each.size, each.unpadded_bytes, each.shape);
    std::stable_sort(worst.begin(), worst.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    std::string words = "Padding takes " + size_in_words(sums.padding) + " of the arguments and outputs of " + of.name;
    for (std::size_t at = 0; at < worst.size() && at < max_arrays; ++at)
        words += (at == 0 ? ": " : "; ") + worst[at].second;
    into.push_back(words + ". Dimensions that fill the tiles of the device take none.");
}

}  // namespace

std::vector<std::string> program_notes(const imported::scheduled_program& of, std::uint64_t capacity) {
    std::vector<std::string> notes;
    const program_sums sums = imported::xla::sums_of(of.what);
    notes.push_back(need_note(of, sums));
    add_unknown(notes, of);
    if (capacity != 0 && sums.need.low <= capacity && capacity < sums.need.high)
        notes.push_back("Whether " + of.name +
                        " fits depends on how its sizes were rounded: bring the buffer assignment, "
                        "which has them exactly.");
    for (const std::string& each : of.what.notes) {
        std::string sentence = each;
        if (!sentence.ends_with('.') && !sentence.ends_with('?')) sentence += '.';
        notes.push_back("Of " + of.name + ": " + sentence);
    }
    if (of.donation != imported::donation_choice::all) add_donation(notes, of, sums);
    add_padding(notes, of, sums);
    return notes;
}

}  // namespace hbm::compare
