#include "compare/answers/message/answer.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/elsewhere.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/remedy_texts.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace texts = message_texts;

namespace {

std::string place_of(const memory_message& from) {
    const auto if_stated = [](bool is_stated, std::string_view text, const std::string& value) {
        return is_stated ? filled(text, {{"value", value}}) : std::string{};
    };
    return filled(texts::place, {{"line", grouped_digits(from.line)},
                                 {"device", if_stated(!from.device.empty(), texts::place_device, from.device)},
                                 {"replicas", if_stated(!from.replicas.empty(), texts::place_replicas, from.replicas)},
                                 {"times", if_stated(from.times > 1, texts::place_times, grouped_digits(from.times))}});
}

std::string figures_in_words(const memory_message& from, const diagnosis& shortage) {
    const auto figures = figures_of(from, shortage);
    std::size_t width = 0;
    for (const auto& [size, meaning] : figures)
        if (size.size() <= 12) width = std::max(width, size.size());
    std::string text;
    for (const auto& [size, meaning] : figures)
        text += wrapped(meaning, "  " + std::string(size.size() < width ? width - size.size() : 0, ' ') + size + "  ");
    return text.empty() ? text : std::string(texts::figures) + text;
}

/// Returns true if a donation may be possible: always without files, or else if a file leaves one.
bool may_donate(const std::vector<program_beside>& beside) {
    return beside.empty() ||
           std::any_of(beside.begin(), beside.end(), [](const program_beside& each) { return each.leaves_donation; });
}

std::string remedies_in_words(const memory_message& from, const diagnosis& shortage,
                              const std::vector<program_beside>& beside) {
    const std::vector<remedy> all = remedies_for(from, shortage, may_donate(beside));
    if (all.empty()) return {};
    std::string text(remedy_texts::remedies);
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::string number = std::to_string(at + 1);
        text += wrapped(all[at].text, std::string(number.size() < 2 ? 2 : 1, ' ') + number + ". ");
    }
    return text;
}

/// Returns the facts missing in the message, and the file to provide; `has_program`: a program's file was given.
std::string next_in_words(const memory_message& from, const diagnosis& shortage, bool has_program) {
    if (shortage.what == shortage_kind::on_chip || from.kind == message_kind::donation) return {};
    if (from.of_compiler())
        return wrapped(has_program ? texts::next_batch : texts::next_dump[from.listed.empty() ? 0 : 1]);
    const bool has_kinds = from.ledger && (from.ledger->arguments || from.ledger->outputs);
    return wrapped(filled(texts::next_profile[has_kinds ? 1 : 0],
                          {{"program", std::string(has_program ? "" : texts::next_program)}}));
}

/// Returns the first failure of the runtime before the message `at`, if that one fails for want of a long piece alone:
/// then the process has tried again. Null otherwise.
const memory_message* retried_by(const std::vector<memory_message>& all, std::size_t at) {
    const shortage_kind kind = diagnose(all[at]).what;
    if (kind != shortage_kind::fragmentation && kind != shortage_kind::blocked_bottom) return nullptr;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(at);
    const auto first =
        std::find_if(all.begin(), end, [](const memory_message& message) { return !message.of_compiler(); });
    return first == end ? nullptr : &*first;
}

/// Returns the answer to a message: a sentence or two, remedies, the meaning of each number, and bars. The next file to
/// provide is not in it. `retried`: the failure before, if the process went on after it.
std::string answer_to(const memory_message& from, const given_facts& facts, const memory_message* retried) {
    const diagnosis shortage = diagnose(from);
    std::string text = wrapped(headline(from, shortage)) + place_of(from);
    if (facts.device != nullptr) text += wrapped(on_device(from, shortage, *facts.device).text);
    if (retried != nullptr) text += wrapped(filled(texts::retry, {{"line", grouped_digits(retried->line)}}));
    if (const std::string known = known_program(from.program); !known.empty()) text += wrapped(known);
    // Remedies come before the evidence.
    text +=
        remedies_in_words(from, shortage, facts.programs) + largest_in_words(from) + figures_in_words(from, shortage);
    const std::string drawing = bars(from);
    return drawing.empty() ? text : text + std::string(texts::bars) + drawing;
}

}  // namespace

std::string answers_to(const found_messages& all, const given_facts& facts) {
    const given_facts later{.device = facts.device, .programs = facts.programs};
    const std::size_t count = all.messages.size();
    std::string text =
        all.unread.empty() ? std::string{} : wrapped(filled(texts::unread, {{"place", all.unread}})) + "\n";
    if (count > 1) text += filled(texts::several[all.left_out != 0 ? 1 : 0], {{"count", grouped_digits(count)}});
    std::string last;    // file to provide, for the messages in full
    std::string others;  // first sentences of the other messages
    for (std::size_t at = 0; at < count; ++at) {
        const memory_message& each = all.messages[at];
        if (at >= 2 && at + 1 != count) {
            others += wrapped(headline(each, diagnose(each)),
                              filled(texts::other_message, {{"line", grouped_digits(each.line)}}));
            continue;
        }
        if (at != 0) text += "\n" + std::string(line_width, '-') + "\n\n";
        text += answer_to(each, at == 0 ? facts : later, retried_by(all.messages, at));
        const std::string next = next_in_words(each, diagnose(each), !facts.programs.empty());
        if (last.find(next) == std::string::npos) last += (next.empty() ? "" : "\n") + next;
    }
    if (!others.empty()) text += "\n" + wrapped(texts::other_messages) + others;
    if (all.left_out != 0) text += filled(texts::more_messages, {{"count", grouped_digits(all.left_out)}});
    if (count > 1 && !last.empty()) text += "\n" + std::string(line_width, '-') + "\n";
    return text + last;
}

}  // namespace hbm::imported
