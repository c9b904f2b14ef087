// Messages as they are read and diagnosed. A section of reads.txt has a text, `---`, and what it holds: a line for each
// message, for each of its parts, its diagnosis and each measurement, or the error. A new section needs no more than
// its text: with HBM_WRITE_GOLDEN=1 the rest is written below it.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::read_tests {

using namespace hbm::imported;

namespace {

constexpr std::string_view kinds[] = {"buffer",  "reservation", "load",   "compile",     "early_abort",
                                      "cores",   "exceeds",     "report", "temporaries", "rematerialization",
                                      "donation"};

constexpr std::string_view shortages[] = {"shortage",  "fragmentation", "crowded", "blocked bottom",
                                          "too large", "on chip",       "unknown"};

/// Returns the sizes that are stated.
std::string sizes(std::initializer_list<std::pair<const char*, std::optional<rounded_size>>> stated) {
    std::string text;
    for (const auto& [name, size] : stated)
        if (size) text += std::string("; ") + name + " " + in_words(*size) + " = " + std::to_string(size->bytes);
    return text;
}
/// Returns the texts that are stated.
std::string words(std::initializer_list<std::pair<const char*, std::string>> stated) {
    std::string text;
    for (const auto& [name, value] : stated)
        if (!value.empty()) text += std::string("; ") + name + " " + value;
    return text;
}

std::string parts_of(const memory_message& from) {
    std::string text;
    if (const auto& part = from.usage)
        text += "\n  usage" + sizes({{"total", part->total},
                                     {"reserved", part->reserved},
                                     {"program", part->program},
                                     {"arguments", part->arguments}});
    if (const auto& part = from.output) text += "\n  output" + sizes({{"size", part->size}, {"shared", part->shared}});
    if (const auto& part = from.requirement)
        text += "\n  requirement" + sizes({{"total", part->total},
                                           {"reserved", part->reserved},
                                           {"global", part->global},
                                           {"scoped", part->scoped},
                                           {"temporaries", part->temporaries},
                                           {"unpadded", part->unpadded},
                                           {"padded", part->padded},
                                           {"fragmentation", part->fragmentation}});
    if (const auto& part = from.ledger)
        text += "\n  ledger" + sizes({{"capacity", part->capacity},
                                      {"top reserved", part->top_reserved},
                                      {"allocated", part->allocated},
                                      {"required", part->required},
                                      {"free", part->free},
                                      {"largest", part->largest},
                                      {"arguments", part->arguments},
                                      {"outputs", part->outputs}});
    for (const listed_allocation& entry : from.listed)
        text += "\n  " + std::to_string(entry.rank) +
                sizes({{"size", entry.size}, {"unpadded", entry.unpadded}, {"padding", entry.padding}}) +
                words({{"origin", entry.origin}, {"shape", entry.shape}, {"label", entry.label}, {"type", entry.type}});
    for (const std::string& shape : from.shapes) text += "\n  shape " + shape;
    return text;
}

std::string diagnosis_of(const memory_message& from) {
    const diagnosis diagnosed = diagnose(from);
    std::string text = "\n  diagnosis: " + std::string(shortages[static_cast<std::size_t>(diagnosed.what)]);
    if (diagnosed.missing) text += "; missing " + in_words(*diagnosed.missing);
    if (diagnosed.fresh_outputs) text += "; fresh outputs " + in_words(*diagnosed.fresh_outputs);
    return text + words({{"rests on", diagnosed.rests_on_rounding ? "rounding" : ""},
                         {"contradicts", diagnosed.contradicts ? "itself" : ""},
                         {"counts", diagnosed.counts_reserved ? "what is reserved" : ""},
                         {"does not state", diagnosed.arguments_not_stated ? "arguments" : ""}});
}

std::string described(const memory_message& from) {
    std::string text = std::to_string(from.line) + ":" + std::to_string(from.column) + " ";
    text += kinds[static_cast<std::size_t>(from.kind)];
    if (from.times != 1) text += ", " + std::to_string(from.times) + " times";
    return text +
           words({{"program", from.program},
                  {"space", from.space},
                  {"device", from.device},
                  {"shape", from.shape},
                  {"owner", from.owner},
                  {"replicas", from.replicas},
                  {"capacity is", from.is_setting ? "a setting" : ""}}) +
           sizes({{"asked", from.asked},
                  {"free", from.free},
                  {"largest", from.largest},
                  {"reserved", from.reserved},
                  {"reservable", from.reservable},
                  {"capacity", from.capacity},
                  {"exceeded", from.exceeded},
                  {"tensor core", from.tensor_core},
                  {"sparse core", from.sparse_core}}) +
           parts_of(from) + diagnosis_of(from) + "\n";
}

std::string described(const std::string& log) {
    const reading<found_messages> all = read_messages("log", log);
    if (!all) return all.error().message() + "\n";
    std::string text;
    for (const memory_message& message : all->messages) text += described(message);
    for (const stated_statistics& sample : all->samples)
        text += std::to_string(sample.line) + " measured" +
                sizes({{"in use", sample.in_use},
                       {"peak", sample.peak},
                       {"limit", sample.limit},
                       {"largest", sample.largest},
                       {"reserved", sample.reserved},
                       {"program", sample.program}}) +
                "\n";
    return all->unread.empty() ? text : text + "unread: " + all->unread + "\n";
}

}  // namespace

TEST_CASE("read_messages: reads of each text what its golden file says") {
    check_golden_inputs("compare/message/reads.txt",
                        [](const std::string&, const std::string& log) { return described(log); });
}

}  // namespace hbm::test::read_tests
