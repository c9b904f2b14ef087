#include "compare/answers/message/words.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/serving/pool.hpp"
#include "compare/answers/serving/texts.hpp"
#include "compare/text/share.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

using imported::wrapped;

namespace {

namespace texts = serving_texts;

std::string exactly(std::uint64_t bytes) {
    return filled(texts::exact_bytes, {{"size", size_in_words(bytes)}, {"bytes", grouped_digits(bytes)}});
}

/// Appends an item of a list.
void add_item(std::string& text, const std::string& sentence) {
    text += wrapped(sentence, "  ");
}

/// Appends a row of the table of memory: a size, flush right, and its use.
void add_row(std::string& text, std::uint64_t bytes, std::string_view use) {
    std::string size = size_in_words(bytes);
    size.insert(0, size.size() < 8 ? 8 - size.size() : 0, ' ');
    text += wrapped(use, "  " + size + "  ");
}

/// Returns the share of the device that servers are configured with.
std::string share_of(const memory_spec& device, const largest_pool& pool) {
    return share_in_words(share_in_thousandths(device, pool.weights, pool.running));
}

void add_order(std::string& text, const serving_answer& answer) {
    constexpr std::size_t most = 3;
    const std::vector<std::size_t> order = load_order(answer.memory.programs);
    text += texts::order;
    std::uint64_t number = 0;
    const auto add = [&](std::string_view line, const served_program& program, const std::string& others = {}) {
        add_item(text, filled(line, {{"number", ++number},
                                     {"program", program_label(program.name)},
                                     {"scratch", size_in_words(program.scratch)},
                                     {"code", size_in_words(program.code)},
                                     {"programs", others}}));
    };
    for (std::size_t at = 0; at < std::min(order.size(), most); ++at)
        add(texts::load_program, answer.memory.programs[order[at]]);
    if (order.size() > most) add(texts::load_others, {}, counted(order.size() - most, "other program"));
    add(texts::load_weights, {});
    add(texts::load_pool, {});
}

void add_table(std::string& text, const serving_answer& answer, const largest_pool& pool) {
    const std::vector<served_program>& programs = answer.memory.programs;
    const served_program& first = programs[load_order(programs).front()];
    text += texts::use;
    add_row(text, pool.weights, filled(texts::use_weights, {{"source", answer.weights_source}}));
    add_row(text, pool.scratch, filled(texts::use_scratch, {{"program", program_label(first.name)}}));
    add_row(text, pool.code, filled(texts::use_code, {{"programs", counted(programs.size(), "program")}}));
    if (pool.outputs != 0) add_row(text, pool.pool - pool.running, texts::use_outputs);
    add_row(text, pool.running, texts::use_pool);
}

void add_next(std::string& text, const serving_answer& answer) {
    const memory_spec* const next = next_larger(answer.device);
    if (next == nullptr) return;
    const largest_pool pool = pool_in(*next, answer.memory);
    text += '\n' + wrapped(filled(pool.running == 0 ? texts::next_without_pool : texts::next_pool,
                                  {{"device", device_in_words(*next)},
                                   {"pool", exactly(pool.running)},
                                   {"share", share_of(*next, pool)}}));
}

std::string with_weights(const serving_answer& answer) {
    const largest_pool pool = pool_in(answer.device, answer.memory);
    const std::vector<served_program>& all = answer.memory.programs;
    std::string text = wrapped(filled(pool.missing != 0                ? texts::programs_too_large
                                      : pool.running == 0              ? texts::outputs_too_large
                                      : answer.weights_program.empty() ? texts::largest_pool
                                                                       : texts::largest_pool_by_arguments,
                                      {{"device", device_in_words(answer.device)},
                                       {"missing", size_in_words(pool.missing)},
                                       {"outputs", size_in_words(pool.outputs)},
                                       {"pool", exactly(pool.running)},
                                       {"weights", size_in_words(pool.weights)},
                                       {"program", program_label(answer.weights_program)},
                                       {"programs", counted(all.size(), "program")}}));
    const served_program& first = all[load_order(all).front()];
    text += wrapped(
        filled(texts::needs_most, {{"program", program_label(first.name)}, {"scratch", size_in_words(first.scratch)}}));
    if (pool.running != 0) {
        text += filled(texts::flags, {{"share", share_of(answer.device, pool)}}) + wrapped(texts::meaning_of_flags);
        add_order(text, answer);
    } else {
        text += wrapped(texts::more_memory);
    }
    add_table(text, answer, pool);
    if (pool.pool != pool.running) add_item(text, filled(texts::pool_without_outputs, {{"pool", exactly(pool.pool)}}));
    add_next(text, answer);
    return text;
}

/// Returns the sentences on the pool of a failed start and, after a blank line, on what to do first.
std::string excess_of_start(const serving_answer& answer, const served_program& worst) {
    const std::uint64_t excess = excess_on_device(answer);
    const std::uint64_t left = answer.device.capacity - std::min(excess, answer.device.capacity);
    const std::uint64_t share = 1000 - share_in_thousandths(answer.device, 0, left);
    std::string text = wrapped(filled(texts::pool_too_large, {{"missing", exactly(worst.missing)}}));
    if (excess != worst.missing)
        text += wrapped(filled(excess == 0 ? texts::enough_here : texts::too_large_here,
                               {{"capacity", size_in_words(answer.log_capacity)},
                                {"device", device_in_words(answer.device)},
                                {"excess", size_in_words(excess)}}));
    text += wrapped(filled(texts::needs_most_and_failed, {{"program", program_label(worst.name)}})) + '\n';
    return excess == 0 ? text : text + wrapped(filled(texts::lower_share, {{"share", share_in_words(share)}}));
}

/// Returns the answer from failures alone: the pool of that start is not known, only by how much it was too large.
std::string from_failures(const serving_answer& answer) {
    const auto& all = answer.memory.programs;
    const served_program& worst =
        *std::max_element(all.begin(), all.end(), [](const served_program& left, const served_program& right) {
            return left.missing < right.missing;
        });
    const served_program& first = all[load_order(all).front()];
    const std::uint64_t alone = std::max(first.scratch, first.code);
    std::string text;
    if (alone > answer.device.capacity)
        text = wrapped(filled(texts::no_pool_helps, {{"program", program_label(first.name)},
                                                     {"device", device_in_words(answer.device)},
                                                     {"need", size_in_words(alone)}})) +
               '\n' + wrapped(texts::smaller_program);
    else if (worst.missing == 0)
        text = wrapped(filled(texts::unknown_excess,
                              {{"program", program_label(worst.name)}, {"device", device_in_words(answer.device)}})) +
               '\n' + wrapped(texts::bring_whole_message);
    else
        text = excess_of_start(answer, worst);
    if (alone <= answer.device.capacity) text += wrapped(texts::bring_weights);
    text += texts::failed_loads;
    for (const std::size_t at : load_order(all)) {
        const served_program& program = all[at];
        const bool has_missing = program.missing != 0;
        add_item(text, filled(texts::failed_load[program.scratch != 0 ? 0 : 1][has_missing ? 1 : 0],
                              {{"program", program_label(program.name)},
                               {"need", size_in_words(std::max(program.scratch, program.code))},
                               {"missing", size_in_words(program.missing)}}));
    }
    return text;
}

}  // namespace

std::string serving_text(const serving_answer& answer) {
    std::string text = answer.memory.weights ? with_weights(answer) : from_failures(answer);
    text += '\n';
    if (answer.is_assumed) text += wrapped(filled(texts::assumed_device, {{"device", device_in_words(answer.device)}}));
    for (const std::string& note : answer.notes) text += wrapped(note);
    return text;
}

}  // namespace hbm::compare
