// Files of XLA dumps as they are read. A section of reads.txt has a text, `---`, and what it holds: the description of
// --describe, and what that leaves out; or the error. The first word of its name is the kind of file. A new section
// needs no more than its text: with HBM_WRITE_GOLDEN=1 the rest is written below it.

#include <hbm/explain/json_writer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::xla_read_tests {

using namespace hbm::imported;

namespace {

/// Returns the names of what is true.
std::string flags(std::initializer_list<std::pair<const char*, bool>> all) {
    std::string text;
    for (const auto& [name, is_true] : all)
        if (is_true) text += std::string(", ") + name;
    return text;
}

std::string index_of(const index_path& index) {
    std::string text = "{";
    for (const std::uint64_t at : index) text += (text.size() == 1 ? "" : ",") + std::to_string(at);
    return text + "}";
}

std::string cut_at(std::size_t line) {
    return line == xla::not_cut ? "" : "cut at line " + std::to_string(line) + "\n";
}

std::string rest_of(const std::vector<xla::allocation>& allocations) {
    std::string text;
    for (const xla::allocation& entry : allocations)
        text +=
            "allocation " + std::to_string(entry.number) + ": " + std::to_string(entry.size.low) + " to " +
            std::to_string(entry.size.high) + " bytes, color " + std::to_string(entry.color) +
            (entry.parameter ? ", parameter " + std::to_string(*entry.parameter) + " " + index_of(entry.index) : "") +
            (entry.shape.empty() ? "" : ", " + entry.shape) +
            flags({{"result", entry.has_result},
                   {"constant", entry.is_constant},
                   {"per thread", entry.is_per_thread},
                   {"live out", entry.is_live_out},
                   {"temporary", entry.is_temporary},
                   {entry.unknown_flag.c_str(), !entry.unknown_flag.empty()}}) +
            "\n";
    const xla::memory_classes sums = xla::classify(allocations);
    return text + "per thread " + std::to_string(sums.per_thread.bytes) + ", peak " + std::to_string(sums.peak.bytes) +
           ", in all " + std::to_string(sums.all.bytes) + "\n";
}

std::string rest_of(const xla::assignment& read) {
    std::string text = rest_of(read.allocations);
    for (const xla::buffer_value& value : read.values)
        text += "value " + std::to_string(value.id) + ": " + value.name + " " + index_of(value.index) + ", " +
                std::to_string(value.bytes) + " bytes at " + std::to_string(value.offset) + " of allocation " +
                std::to_string(value.allocation) + "\n";
    for (const xla::assigned_output& output : read.outputs)
        text += "output " + index_of(output.index) + ": " + std::to_string(output.bytes) + " bytes in allocation " +
                std::to_string(output.allocation) + "\n";
    return text + "tables of " + std::to_string(output_table_bytes(read)) + " bytes" +
           flags({{"all outputs", read.has_all_outputs}, {"all allocations", read.has_all_allocations()}}) +
           ", unknown flag in line " + std::to_string(read.first_unknown_flag_line) + "\n" + cut_at(read.cut_line);
}

std::string rest_of(const xla::memory_report& read) {
    std::string text = rest_of(read.allocations);
    for (const xla::reported_space& space : read.spaces)
        text += "space " + space.name + ", color " + std::to_string(space.color) + "\n";
    return text + std::to_string(read.not_shown) + " not shown" +
           flags({{"all allocations", read.has_all_allocations()}}) + "\n" + cut_at(read.cut_line);
}

std::string rest_of(const xla::module_config& read) {
    std::string text;
    for (const auto& array : read.arguments) text += "argument " + array.text + "\n";
    for (const auto& array : read.outputs) text += "output " + array.text + "\n";
    return text + "configuration" + flags({{"result", read.has_result}}) + "\n" + cut_at(read.cut_line);
}

std::string rest_of(const xla::hlo_module& read) {
    std::string text = "entry " + read.entry.value_or("none");
    text += flags({{"scheduled", read.is_scheduled},
                   {"cut", read.is_cut},
                   {"layouts", read.states_layouts},
                   {"tiled", read.is_tiled},
                   {"whole arrays", read.has_whole_arrays},
                   {"partitions", read.states_partitions}}) +
            "\n";
    for (const xla::program_array& array : read.arguments)
        if (!array.label.empty()) text += "label of " + std::to_string(array.parameter) + ": " + array.label + "\n";
    for (const std::string& other : read.others) text += "other " + other + "\n";
    const xla::module_sums sums = xla::sums_of(read);
    return text + "at least " + std::to_string(sums.at_least()) + ", donated " + std::to_string(sums.donors) +
           ", on the host " + std::to_string(sums.host_arguments) + ", mismatches " + std::to_string(sums.mismatches) +
           "\n";
}

template <class Content>
std::string described(const reading<Content>& read) {
    if (!read) return read.error().message() + "\n";
    hbm::json_writer json;
    write_description(json, "text", xla::describe(*read));
    std::string text;
    for (const char letter : json.text()) {
        if (letter == '{' && text.ends_with(',')) text += '\n';
        text += letter;
    }
    return text + "\n" + rest_of(*read);
}

std::string described(const std::string& section, const std::string& text) {
    if (section.starts_with("module")) return described(xla::read_module(text, "text"));
    if (section.starts_with("assignment")) return described(xla::read_assignment(text, "text"));
    if (section.starts_with("report")) return described(xla::read_memory_report(text, "text"));
    return described(xla::read_module_config(text, "text"));
}

}  // namespace

TEST_CASE("files of XLA dumps: of each text is read what its golden file says") {
    const std::string file = "compare/xla/reads.txt";
    for (const auto& [section, input] : golden_inputs(file)) {
        CAPTURE(section);
        const std::string text = input + "---\n" + described(section, input);
        CHECK(text == golden_text(file, section, text));
    }
}

}  // namespace hbm::test::xla_read_tests
