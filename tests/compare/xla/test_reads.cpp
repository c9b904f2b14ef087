// Files of XLA dumps as they are read. A section of reads.txt has a text, `---`, and the description of --describe, or
// the error. The first word of its name is the kind of file; the last line of
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

#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/read/xla/program.hpp"
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

template <class Content>
std::string described(const Content& read) {
    hbm::json_writer json;
    write_description(json, "text", describe(read));
    std::string text;
    for (const char letter : json.text()) {
        if (letter == '{' && text.ends_with(',')) text += '\n';
        text += letter;
    }
    return text + "\n";
}

std::string described(const std::string& section, std::string text) {
    if (section.find("cut short") != std::string::npos) text.pop_back();
    try {
        if (section.starts_with("module")) return described(read_module(text, "text"));
        return described(read_assignment(text, "text"));
    } catch (const hbm::trace::read_error& error) {
        return std::string(error.what()) + "\n";
    }
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

std::string described(const imported_program& program) {
    const std::vector<step_pair> steps = pair_steps(program, donation_choice::as_is);
    std::string text = program.name +
                       flags({{"outputs", program.knows_outputs}, {"their indices", program.knows_output_indices}}) +
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
    for (const unknown_fact& each : program.unknown) text += "unknown " + each.what + ": " + each.remedy + "\n";
    for (const std::string& note : program.notes) text += "note: " + note + "\n";
    const program_sums sums = sums_of(program);
    return text + "need " + shown(sums.need) + ", aliases " + shown(sums.aliases) + ", padding " +
           std::to_string(sums.padding) + ", donations in " + program.donation_file + "\n";
}

/// Joins the files of a section of joins.txt.
std::string joined(const std::string& section) {
    static const std::map<std::string, std::pair<file_kind, std::string_view>> samples = {
        {"module", {file_kind::module, dump_samples::module_text}},
        {"assignment", {file_kind::assignment, dump_samples::assignment_text}},
        {"message", {file_kind::message, "RESOURCE_EXHAUSTED"}}};
    program_files files;
    std::string kind;
    std::string text;
    const auto add = [&] {
        if (kind.empty()) return;
        const auto& [of, sample] = samples.at(kind);
        add_file(files, of, text.empty() ? sample : text, "folder/" + kind + ".txt");
    };
    try {
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
        return described(join_program(files));
    } catch (const hbm::trace::read_error& error) {
        return std::string(error.what()) + "\n";
    }
}

}  // namespace

TEST_CASE("files of XLA dumps: of each text is read what its golden file says") {
    check_golden_inputs("compare/xla/reads.txt",
                        [](const std::string& section, const std::string& text) { return described(section, text); });
    check_golden_inputs("compare/xla/joins.txt",
                        [](const std::string&, const std::string& files) { return joined(files); });
}

}  // namespace hbm::test::xla_read_tests
