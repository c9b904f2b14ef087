// Files of XLA dumps as they are read. A section of reads.txt has a text, `---`, and what it holds: the description of
// --describe, and what that leaves out; or the error. The first word of its name is the kind of file; the last line of
// one that was cut short has no end. A new section needs no more than its text: with HBM_WRITE_GOLDEN=1 the rest is
// written below it. A section of joins.txt has the files of a program instead, each after a line with its kind: a file
// without lines is that of dump_samples.hpp.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "compare/read/xla/program/program_files.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/xla/dump_samples.hpp"
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
    for (const auto& [name, origin] : read.origins)
        text += "origin of " + name + ": " + origin.operation + ", " + origin.source + "\n";
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

std::string described(const std::string& section, std::string text) {
    if (section.find("cut short") != std::string::npos) text.pop_back();
    if (section.starts_with("module")) return described(xla::read_module(text, "text"));
    return described(xla::read_assignment(text, "text"));
}

std::string shown(const rounded_size& size) {
    return std::to_string(size.bytes) +
           (size.is_exact() ? "" : " (" + std::to_string(size.low) + " to " + std::to_string(size.high) + ")");
}

/// Returns an argument or an output in words.
template <class Array>
std::string array_of(const Array& of) {
    return index_of(of.index) + ": " + shown(of.size) + " bytes, " +
           (of.unpadded_bytes ? std::to_string(*of.unpadded_bytes) : "unknown") + " of elements, " + of.shape;
}

std::string described(const xla::imported_program& program) {
    const std::vector<step_pair> steps = pair_steps(program, donation_choice::as_is);
    std::string text = program.name +
                       flags({{"arguments", program.knows_arguments},
                              {"outputs", program.knows_outputs},
                              {"their indices", program.knows_output_indices}}) +
                       "\n";
    for (const auto& each : program.arguments)
        text += "argument " + std::to_string(each.parameter) + " " + array_of(each) +
                (each.label.empty() ? "" : ", label " + each.label) + "\n";
    for (std::size_t at = 0; at < program.outputs.size(); ++at) {
        const auto place = [](std::optional<std::size_t> argument) {
            return argument ? std::to_string(*argument) : "none";
        };
        text += "output " + array_of(program.outputs[at]) + ", in argument " + place(program.outputs[at].argument) +
                ", next " + place(steps[at].argument) + flags({{"donated", steps[at].is_donated}}) + "\n";
    }
    for (const std::size_t donor : program.donors) text += "donor " + std::to_string(donor) + "\n";
    for (const auto& [name, size] : {std::pair{"temporary ", program.temporary},
                                     std::pair{"constant ", program.constant}, std::pair{"code ", program.code}})
        text += name + (size ? shown(*size) : "unknown") + "\n";
    for (const xla::unknown_fact& each : program.unknown) text += "unknown " + each.what + ": " + each.remedy + "\n";
    for (const std::string& note : program.notes) text += "note: " + note + "\n";
    const xla::program_sums sums = sums_of(program);
    return text + "need " + shown(sums.need) + ", aliases " + shown(sums.aliases) + ", padding " +
           std::to_string(sums.padding) + ", donations in " + program.donation_file + "\n";
}

/// Joins the files of a section of joins.txt.
std::string joined(const std::string& section) {
    static const std::map<std::string, std::pair<file_kind, std::string_view>> samples = {
        {"module", {file_kind::module, dump_samples::module_text}},
        {"assignment", {file_kind::assignment, dump_samples::assignment_text}},
        {"message", {file_kind::message, "RESOURCE_EXHAUSTED"}}};
    xla::program_files files;
    std::string kind;
    std::string text;
    std::string wrong;
    const auto add = [&] {
        if (kind.empty()) return;
        const auto& [of, sample] = samples.at(kind);
        const auto error = xla::add_file(files, of, text.empty() ? sample : text, "folder/" + kind + ".txt");
        if (error) wrong += error->message() + "\n";
    };
    std::istringstream lines(section);
    for (std::string line; std::getline(lines, line);) {
        if (samples.count(line) == 0) {
            text += (text.empty() ? "" : "\n") + line;
            continue;
        }
        add();
        kind = line;
        text.clear();
    }
    add();
    if (!wrong.empty()) return wrong;
    const auto program = xla::join_program(files);
    return program ? described(*program) : program.error().message() + "\n";
}

}  // namespace

TEST_CASE("files of XLA dumps: of each text is read what its golden file says") {
    check_golden_inputs("compare/xla/reads.txt",
                        [](const std::string& section, const std::string& text) { return described(section, text); });
    check_golden_inputs("compare/xla/joins.txt",
                        [](const std::string&, const std::string& files) { return joined(files); });
}

}  // namespace hbm::test::xla_read_tests
