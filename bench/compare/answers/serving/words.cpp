#include <hbm/explain/words.hpp>

#include <algorithm>
#include <string>

#include "compare/answers/message/elsewhere.hpp"
#include "compare/answers/serving/pool.hpp"
#include "compare/text/share.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

using imported::device_in_words;
using imported::wrapped;

namespace {

std::string exactly(std::uint64_t bytes) {
    return size_in_words(bytes) + " (" + grouped_digits(bytes) + " bytes)";
}

/// Returns the name of a program, cut if it is long.
std::string name_of(const std::string& name) {
    constexpr std::size_t longest = 40;
    return name.size() <= longest ? name : name.substr(0, longest) + "...";
}

std::string name_of(const served_program& program) {
    return name_of(program.name);
}

/// Appends an item of a list.
void add_item(std::string& text, const std::string& sentence) {
    text += wrapped(sentence, "  ");
}

/// Appends a row of the table of memory: a size, flush right, and its use.
void add_row(std::string& text, std::uint64_t bytes, const std::string& use) {
    std::string size = size_in_words(bytes);
    size.insert(0, size.size() < 8 ? 8 - size.size() : 0, ' ');
    text += wrapped(use, "  " + size + "  ");
}

/// Appends the flags of servers, for a share of the device.
void add_flags(std::string& text, const std::string& share) {
    text += "\nSet one of these first:\n"
            "  vLLM    --gpu-memory-utilization " +
            share +
            "\n"
            "  SGLang  --mem-fraction-static " +
            share + "\n";
    text += wrapped("Both are the share of the device for weights and pool together, rounded down.");
}

void add_order(std::string& text, const serving_answer& answer) {
    constexpr std::size_t most = 3;
    const std::vector<std::size_t> order = load_order(answer.memory.programs);
    text += "\nLoad in this order, so that a start that cannot succeed fails at once:\n";
    std::size_t number = 0;
    for (; number < std::min(order.size(), most); ++number) {
        const served_program& program = answer.memory.programs[order[number]];
        add_item(text, std::to_string(number + 1) + ". " + name_of(program) + ": " + size_in_words(program.scratch) +
                           " of scratch, " + size_in_words(program.code) + " of code and constants");
    }
    const std::size_t others = order.size() - number;
    if (others != 0) add_item(text, std::to_string(++number) + ". " + counted(others, "other program"));
    add_item(text, std::to_string(++number) + ". the weights");
    add_item(text, std::to_string(++number) + ". the pool, sized from what is then free (memory_stats())");
}

void add_table(std::string& text, const serving_answer& answer, const largest_pool& pool) {
    const std::vector<served_program>& programs = answer.memory.programs;
    const served_program& first = programs[load_order(programs).front()];
    text += "\nUse of the memory:\n";
    add_row(text, pool.weights, "weights: " + answer.weights_source);
    add_row(text, pool.scratch, "scratch of " + name_of(first) + "; programs share it, so only the largest counts");
    add_row(text, pool.code, "code and constants of " + counted(programs.size(), "program"));
    if (pool.outputs != 0) add_row(text, pool.pool - pool.running, "outputs of a run in new memory, at most");
    add_row(text, pool.running, "pool");
}

void add_next(std::string& text, const serving_answer& answer) {
    const memory_spec* const next = next_larger(answer.device);
    if (next == nullptr) return;
    const largest_pool pool = pool_in(*next, answer.memory);
    text += '\n';
    if (pool.running == 0)
        text += wrapped("Next larger device, " + device_in_words(*next) + ": no room for a pool either.");
    else
        text += wrapped("Next larger device, " + device_in_words(*next) + ": a pool of " + exactly(pool.running) +
                        ", set as " + share_in_words(share_in_thousandths(*next, pool.weights, pool.running)) + ".");
}

std::string with_weights(const serving_answer& answer) {
    const largest_pool pool = pool_in(answer.device, answer.memory);
    const std::string programs = counted(answer.memory.programs.size(), "program");
    std::string text;
    if (pool.missing != 0) {
        text += wrapped("No pool fits on " + device_in_words(answer.device) + ": weights and programs alone need " +
                        size_in_words(pool.missing) + " more than it has.");
    } else if (pool.running == 0) {
        text += wrapped("No pool fits on " + device_in_words(answer.device) +
                        ": weights, programs and the outputs of a run, " + size_in_words(pool.outputs) +
                        ", take all of it.");
    } else {
        const std::string weights = size_in_words(pool.weights) + " of weights";
        text += answer.weights_program.empty()
                    ? wrapped("Largest pool on " + device_in_words(answer.device) + ": " + exactly(pool.running) +
                              ", next to " + weights + " and " + programs + ".")
                    : wrapped("If the arguments of " + name_of(answer.weights_program) + " are the weights (" +
                              size_in_words(pool.weights) + "), the largest pool on " + device_in_words(answer.device) +
                              " is " + exactly(pool.running) + ", next to " + programs + ".");
    }
    const std::vector<served_program>& all = answer.memory.programs;
    const served_program& first = all[load_order(all).front()];
    text += wrapped(name_of(first) + " needs the most: " + size_in_words(first.scratch) + " of scratch.");
    if (pool.running != 0)
        add_flags(text, share_in_words(share_in_thousandths(answer.device, pool.weights, pool.running)));
    else
        text += wrapped(
            "Use more devices or a larger one, quantise the weights, or leave out the largest program (a shorter "
            "prefill, a smaller batch).");
    if (pool.running != 0) add_order(text, answer);
    add_table(text, answer, pool);
    if (pool.pool != pool.running)
        add_item(text, "Without room for these outputs, all programs load next to a pool of " + exactly(pool.pool) +
                           "; a run then fails. Donated arguments make such outputs unnecessary.");
    add_next(text, answer);
    return text;
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
    if (alone > answer.device.capacity) {
        text += wrapped("No pool lets " + name_of(first) + " load on " + device_in_words(answer.device) +
                        ": alone it needs " + size_in_words(alone) + ".");
        text += '\n';
        text += wrapped("First make that program smaller (a shorter prefill, a smaller batch), spread it over more "
                        "devices, or take a larger device.");
    } else if (worst.missing == 0) {
        text += wrapped("The pool left " + name_of(worst) + " too little room on " + device_in_words(answer.device) +
                        ". The log does not say by how much: the message is cut.");
        text += '\n';
        text += wrapped("Bring the whole message first, to the end of its line.");
    } else {
        const std::uint64_t excess = excess_on_device(answer);
        const std::uint64_t left = answer.device.capacity - std::min(excess, answer.device.capacity);
        const std::uint64_t share = 1000 - share_in_thousandths(answer.device, 0, left);
        text += wrapped("The pool was " + exactly(worst.missing) +
                        " too large, or more: these bytes were missing, counting what rounding hides.");
        if (excess != worst.missing)
            text += wrapped("That was on a device with " + size_in_words(answer.log_capacity) + ". On " +
                            device_in_words(answer.device) +
                            (excess == 0 ? " a pool of that size leaves the program room."
                                         : " a pool of that size is " + size_in_words(excess) + " too large."));
        text += wrapped(name_of(worst) + " needs the most, and did not load.");
        text += '\n';
        if (excess != 0)
            text += wrapped("First lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang) by " +
                            share_in_words(share) +
                            ", or by more: a start stops at its first failure, and programs after it are not in the "
                            "log.");
    }
    if (alone <= answer.device.capacity)
        text += wrapped(
            "With --weights SIZE, or with the folder of the dump in place of the log, the answer is the pool itself.");
    text += "\nFailed loads:\n";
    for (const std::size_t at : load_order(all)) {
        const served_program& program = all[at];
        add_item(text,
                 name_of(program) + ": " + size_in_words(std::max(program.scratch, program.code)) +
                     (program.scratch != 0 ? " of scratch" : " of code and constants") +
                     (program.missing != 0 ? ", " + size_in_words(program.missing) + " more than there was" : ""));
    }
    return text;
}

}  // namespace

std::string serving_text(const serving_answer& answer) {
    std::string text = answer.memory.weights ? with_weights(answer) : from_failures(answer);
    text += '\n';
    if (answer.is_assumed)
        text += wrapped("No --capacity was given: " + device_in_words(answer.device) + " is assumed.");
    for (const std::string& program : answer.notes) text += wrapped(program);
    return text;
}

}  // namespace hbm::compare
