#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "compare/answers/message/words.hpp"
#include "compare/answers/serving/pool.hpp"
#include "compare/text/share.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

std::string exact_size(std::uint64_t bytes) {
    return size_in_words(bytes) + " (" + grouped_digits(bytes) + " bytes)";
}

void add_bytes(answer& to, std::string_view key, std::string label, std::optional<std::uint64_t> bytes) {
    const bool is_detail = label.empty();
    to.facts.push_back({key, std::move(label), {bytes, {}, {}}, is_detail});
}

/// Adds the programs, in the order in which to load them.
void add_programs(answer& to, const server& of) {
    answer_table table{"programs", "", {"program", "scratch_bytes", "code_bytes", "missing_bytes"}, {}, 3};
    table.has_names = true;
    for (const std::size_t at : load_order(of.memory.programs)) {
        const served_program& each = of.memory.programs[at];
        const auto known = [&](std::uint64_t bytes) {
            return each.has_failed && bytes == 0 ? std::optional<std::uint64_t>{} : std::optional(bytes);
        };
        const std::optional<std::uint64_t> missing =
            each.missing == 0 ? std::optional<std::uint64_t>{} : std::optional(each.missing);
        table.rows.push_back({{{}, {}, program_label(each.name)},
                              {known(each.scratch), {}, {}},
                              {known(each.code), {}, {}},
                              {missing, {}, {}}});
    }
    to.tables.push_back(std::move(table));
}

/// Adds the largest pool with which all programs load and run.
void add_pool(answer& to, const server& of) {
    const largest_pool pool = pool_in(of.device, of.memory);
    const std::vector<served_program>& all = of.memory.programs;
    const std::string device = device_in_words(of.device);
    const std::string programs = counted(all.size(), "program");
    const std::string first = program_label(all[load_order(all).front()].name);
    const std::string share = share_in_words(share_in_thousandths(of.device, pool.weights, pool.running));
    if (pool.missing != 0)
        to.headline = "No pool fits on " + device + ": weights and programs alone need " + size_in_words(pool.missing) +
                      " more than it has.";
    else if (pool.running == 0)
        to.headline = "No pool fits on " + device + ": weights, programs and the outputs of a run, " +
                      size_in_words(pool.outputs) + ", take all of it.";
    else
        to.headline = "Largest pool on " + device + ": " + exact_size(pool.running) + ", next to " +
                      size_in_words(pool.weights) + " of weights and " + programs + ".";
    if (!of.weights_program.empty())
        to.headline += " The arguments of " + program_label(of.weights_program) + " are taken for the weights.";
    if (of.memory.failed_use && pool.running != 0)
        to.headline += " The start in the log failed with a larger one, and other things were in memory, too.";
    add_bytes(to, "weights_bytes", "weights: " + of.weights_source, pool.weights);
    add_bytes(to, "scratch_bytes", "scratch of " + first + "; programs share it, so only the largest counts",
              pool.scratch);
    add_bytes(to, "code_bytes", "code and constants of " + programs, pool.code);
    if (pool.outputs != 0)
        add_bytes(to, "outputs_bytes", "outputs of a run in new memory, at most; donated arguments make them needless",
                  pool.pool - pool.running);
    add_bytes(to, "pool_bytes", {}, pool.running != 0 ? std::optional(pool.running) : std::nullopt);
    add_bytes(to, "loaded_pool_bytes", {}, pool.pool);
    add_bytes(to, "missing_bytes", {}, pool.missing);
    to.facts.push_back({"utilization", {}, {{}, {}, pool.running == 0 ? std::string{} : share}});
    if (pool.running != 0) {
        to.remedies.push_back({"Set --gpu-memory-utilization " + share + " (vLLM) or --mem-fraction-static " + share +
                                   " (SGLang): the share of the device for weights and pool together, rounded down.",
                               "--gpu-memory-utilization", share});
        to.remedies.push_back({"Load the programs before the pool, " + first +
                               " first, which has the most scratch: a start that cannot succeed then fails at its "
                               "first load, and the pool is sized from what is left (memory_stats())."});
    } else {
        to.remedies.push_back({"Use more devices or a larger one, quantise the weights, or leave out the largest "
                               "program (a shorter prefill, a smaller batch)."});
    }
    const memory_spec* const next = next_larger(of.device);
    if (next == nullptr) return;
    served_memory there = of.memory;
    there.failed_use.reset();
    const largest_pool larger = pool_in(*next, there);
    to.facts.push_back({"next_device", {}, {{}, {}, next->name}});
    add_bytes(to, "next_pool_bytes", {}, larger.running);
    if (larger.running != 0)
        to.remedies.push_back({"Take the next larger device, " + device_in_words(*next) + ": a pool of " +
                               size_in_words(larger.running) + ", set as " +
                               share_in_words(share_in_thousandths(*next, larger.weights, larger.running)) + "."});
}

/// Adds what failures alone say: the pool of that start is not known, only by how much it was too large.
void add_excess(answer& to, const server& of) {
    const std::vector<served_program>& all = of.memory.programs;
    const served_program& worst = *std::max_element(
        all.begin(), all.end(), [](const auto& left, const auto& right) { return left.missing < right.missing; });
    const served_program& first = all[load_order(all).front()];
    const std::uint64_t alone = std::max(first.scratch, first.code);
    const std::uint64_t excess = excess_on_device(of);
    const std::string device = device_in_words(of.device);
    add_bytes(to, "pool_bytes", {}, std::nullopt);
    add_bytes(to, "pool_excess_bytes", {}, excess != 0 ? std::optional(excess) : std::nullopt);
    if (alone > of.device.capacity) {
        to.headline = "No pool lets " + program_label(first.name) + " load on " + device + ": alone it needs " +
                      size_in_words(alone) + ".";
        to.remedies.push_back({"Make that program smaller (a shorter prefill, a smaller batch), spread it over more "
                               "devices, or take a larger device."});
        return;
    }
    if (worst.missing == 0) {
        to.headline = "The pool left " + program_label(worst.name) + " too little room on " + device +
                      ". The log does not say by how much: the message is cut.";
        to.remedies.push_back({"Bring the whole message, to the end of its line."});
    } else {
        to.headline = "The pool was " + exact_size(worst.missing) + " too large, or more: so much was missing for " +
                      program_label(worst.name) + ", counting what rounding hides.";
        if (excess != worst.missing)
            to.headline += " That was on a device with " + size_in_words(of.log_capacity) + ". On " + device +
                           " a pool of that size " +
                           (excess == 0 ? "leaves the program room." : "is " + size_in_words(excess) + " too large.");
    }
    if (excess != 0) {
        const std::uint64_t left = of.device.capacity - std::min(excess, of.device.capacity);
        const std::string share = share_in_words(1000 - share_in_thousandths(of.device, 0, left));
        to.remedies.push_back({"Lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang) by " + share +
                                   ", or by more: a start stops at its first failure, and programs after it are not in "
                                   "the log.",
                               "--gpu-memory-utilization"});
    }
    to.notes.push_back({"With --weights SIZE, or with the folder of the dump, the answer is the pool itself."});
}

}  // namespace

answer serving_answer(const server& of) {
    answer result{"serving"};
    result.facts.push_back({"device", {}, {{}, {}, std::string(of.device.name) == "custom" ? "" : of.device.name}});
    add_bytes(result, "capacity_bytes", {}, of.device.capacity);
    of.memory.weights ? add_pool(result, of) : add_excess(result, of);
    add_programs(result, of);
    if (of.is_assumed)
        result.notes.push_back({"No --capacity was given: " + device_in_words(of.device) + " is assumed."});
    for (const std::string& note : of.notes) result.notes.push_back({note});
    return result;
}

}  // namespace hbm::compare
