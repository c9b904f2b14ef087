#include "compare/answers/message/answer.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>

#include "compare/answers/message/bars.hpp"
#include "compare/answers/message/changes.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

std::string where(const memory_message& from) {
    std::string text = "line " + grouped_digits(from.line);
    if (!from.device.empty()) text += ", device " + from.device;
    if (!from.replicas.empty()) text += ", " + from.replicas;
    if (from.times > 1) text += ", there " + grouped_digits(from.times) + " times";
    return text;
}

std::string figures_in_words(const memory_message& from, const diagnosis& found) {
    const auto figures = figures_of(from, found);
    std::size_t width = 0;
    for (const auto& [size, meaning] : figures)
        if (size.size() <= 12) width = std::max(width, size.size());
    std::string text;
    for (const auto& [size, meaning] : figures)
        text += wrapped(meaning, "  " + std::string(size.size() < width ? width - size.size() : 0, ' ') + size + "  ");
    return text.empty() ? text : "\nWhat the numbers mean:\n" + text;
}

/// Returns true if a donation may be possible: always without files, or else if a file leaves one.
bool may_donate(const std::vector<program_beside>& beside) {
    return beside.empty() ||
           std::any_of(beside.begin(), beside.end(), [](const program_beside& each) { return each.leaves_donation; });
}

std::string remedies_in_words(const memory_message& from, const diagnosis& found,
                              const std::vector<program_beside>& beside) {
    const std::vector<std::string> all = remedies_for(from, found, may_donate(beside));
    if (all.empty()) return {};
    std::string text = "\nWhat helps, the cheapest first:\n";
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::string number = std::to_string(at + 1);
        text += wrapped(all[at], std::string(number.size() < 2 ? 2 : 1, ' ') + number + ". ");
    }
    return text;
}

/// Returns the facts missing in the message, and the file to provide; `has_program`: a program's file was given.
std::string next_in_words(const memory_message& from, const diagnosis& found, bool has_program) {
    if (found.what == shortage_kind::on_chip) return {};
    if (from.of_compiler() && has_program)
        return wrapped("Not in the message: when each array lives. A smaller batch that compiles tells more: "
                       "`jax.jit(f).lower(...).compile().memory_analysis()`.");
    if (from.of_compiler())
        return wrapped(std::string("Not in the message: ") +
                       (from.listed.empty() ? "which arrays take the most."
                                            : "when each array lives, and which argument is which.") +
                       " Set XLA_FLAGS=--xla_dump_to=DIR and run again; then `hbm_compare --message LOG --describe "
                       "FILE` says what could be donated, FILE being the program's "
                       "DIR/module_*after_optimizations.txt. A smaller batch that compiles tells the rest: "
                       "`jax.jit(f).lower(...).compile().memory_analysis()`.");
    std::string text =
        "Not in the message: whose memory it is that is in use. Just before the line that fails, call "
        "`jax.profiler.save_device_memory_profile('memory.prof')`; then `hbm_compare --growth --trace memory.prof` "
        "lists who holds what. LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true, set before the process starts, lets "
        "the runtime list all allocations when it fails.";
    if (!has_program)
        text += " What a program needs is in the files that XLA_FLAGS=--xla_dump_to=DIR writes: `hbm_compare "
                "--describe DIR/module_*after_optimizations.txt`.";
    return wrapped(text);
}

}  // namespace

std::string answer_to(const memory_message& from, const found_messages* before,
                      const std::vector<program_beside>& beside) {
    const diagnosis found = diagnose(from);
    std::string text = wrapped(headline(from, found)) + "(" + where(from) + ")\n" + figures_in_words(from, found);
    if (before != nullptr) text += "\n" + changes_in_words(from, *before);
    if (found.what == shortage_kind::on_chip) return text;
    if (const std::string drawing = bars(from); !drawing.empty()) text += "\nTo scale:\n" + drawing;
    return text + remedies_in_words(from, found, beside);
}

std::string answers_to(const found_messages& all, const found_messages* before,
                       const std::vector<program_beside>& beside) {
    const std::size_t count = all.messages.size();
    std::string text =
        count > 1 ? (all.left_out != 0 ? "More than " : "") + grouped_digits(count) + " different messages found.\n\n"
                  : "";
    std::string last;    // file to provide, for the messages in full
    std::string others;  // first sentences of the other messages
    for (std::size_t at = 0; at < count; ++at) {
        const memory_message& each = all.messages[at];
        if (at >= 2 && at + 1 != count) {
            others += wrapped(headline(each, diagnose(each)), "  line " + grouped_digits(each.line) + ": ");
            continue;
        }
        if (at != 0) text += "\n" + std::string(line_width, '-') + "\n\n";
        text += answer_to(each, at == 0 ? before : nullptr, beside);
        const std::string next = next_in_words(each, diagnose(each), !beside.empty());
        if (last.find(next) == std::string::npos) last += (next.empty() ? "" : "\n") + next;
    }
    if (!others.empty())
        text +=
            "\n" + wrapped("Other messages, between the second and the last; give one alone to learn more:") + others;
    if (all.left_out != 0) text += "  and " + grouped_digits(all.left_out) + " more\n";
    if (count > 1 && !last.empty()) text += "\n" + std::string(line_width, '-') + "\n";
    return text + last;
}

}  // namespace hbm::imported
