#include "compare/read/xla/module/module.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

module_sums sums_of(const hlo_module& subject) noexcept {
    module_sums sums;
    for (const program_array& entry : subject.arguments) {
        if (entry.in_device_memory()) {
            sums.arguments += entry.bytes;
            sums.unpadded_arguments += entry.unpadded_bytes;
        } else if (entry.shape.memory_space == host_memory_space) {
            sums.host_arguments += entry.bytes;
        }
    }
    for (const program_array& entry : subject.outputs) {
        if (entry.in_device_memory())
            sums.outputs += entry.bytes;
        else if (entry.shape.memory_space == host_memory_space)
            sums.host_outputs += entry.bytes;
    }
    for (const program_alias& entry : subject.aliases) {
        const program_array& output = subject.outputs[entry.output];
        const program_array& argument = subject.arguments[entry.argument];
        const bool same_memory = output.shape.memory_space == argument.shape.memory_space;
        if (output.in_device_memory() && same_memory) sums.aliases += output.bytes;
        if (output.bytes != argument.bytes || !same_memory) ++sums.mismatches;
    }
    for (const std::size_t entry : subject.donors)
        if (subject.arguments[entry].in_device_memory()) sums.donors += subject.arguments[entry].bytes;
    return sums;
}

donation_question donation_question_of(const hlo_module& module) {
    donation_question question;
    const auto add = [](std::vector<donation_array>& target, const program_array& entry) {
        target.push_back({entry.parameter, entry.index, entry.bytes, entry.unpadded_bytes, entry.share_bytes,
                          entry.shape.memory_space, entry.text, entry.label});
    };
    for (const program_array& entry : module.arguments) add(question.arguments, entry);
    for (const program_array& entry : module.outputs) add(question.outputs, entry);
    for (const program_alias& entry : module.aliases) question.aliases.push_back({entry.output, entry.argument, true});
    question.donors = module.donors;
    question.devices = module.has_whole_arrays ? module.num_partitions : 1;
    return question;
}

namespace {

std::string json_of(bool truth) {
    return truth ? "true" : "false";
}

std::string text_json(std::string_view text) {
    json_writer json;
    json.value(text);
    return json.text();
}

std::vector<described_leaf> leaves_of(const hlo_module& module, bool arguments) {
    std::vector<described_leaf> leaves;
    for (const program_array& entry : arguments ? module.arguments : module.outputs) {
        described_leaf& leaf = leaves.emplace_back();
        if (arguments) leaf.parameter = entry.parameter;
        leaf.index = entry.index;
        leaf.bytes = entry.bytes;
        leaf.more = {{"shape", text_json(entry.text)},
                     {"unpadded_bytes", number_json(entry.unpadded_bytes)},
                     {"memory_space", number_json(entry.shape.memory_space)}};
        if (module.has_whole_arrays) leaf.more.emplace_back("share_bytes", number_json(entry.share_bytes));
    }
    return leaves;
}

/// Returns the sum of the shares in device memory; empty if a share is not stated.
std::optional<std::uint64_t> share_bytes(const std::vector<program_array>& all) noexcept {
    std::uint64_t sum = 0;
    for (const program_array& entry : all) {
        if (!entry.in_device_memory()) continue;
        if (!entry.share_bytes) return std::nullopt;
        sum += *entry.share_bytes;
    }
    return sum;
}

std::string donors_json(const hlo_module& module) {
    json_writer json;
    json.objects(module.donors, [&](const std::size_t entry) {
        json.field("parameter", module.arguments[entry].parameter);
        write(json, "index", module.arguments[entry].index);
    });
    return json.text();
}

}  // namespace

description describe(const hlo_module& module) {
    const module_sums sums = sums_of(module);
    description result;
    result.kind = file_kind::module;
    result.name = module.name;
    result.argument_bytes = sums.arguments;
    result.output_bytes = sums.outputs;
    result.alias_bytes = sums.aliases;
    result.arguments = leaves_of(module, true);
    result.outputs = leaves_of(module, false);
    result.aliases.emplace();
    for (const program_alias& alias : module.aliases) {
        const program_array& argument = module.arguments[alias.argument];
        result.aliases->push_back({module.outputs[alias.output].index, argument.parameter, argument.index,
                                   alias.must ? "must-alias" : "may-alias"});
    }
    result.more = {
        {"donors", donors_json(module)},
        {"scheduled", json_of(module.is_scheduled)},
        {"num_partitions", number_json(module.states_partitions ? module.num_partitions : 1)},
        {"replica_count", number_json(module.replica_count)},
        {"layout_from", text_json(module.states_layouts ? "entry_computation_layout" : "entry instructions")},
        {"entry", module.entry ? text_json(*module.entry) : "null"},
        {"cut_short", json_of(module.is_cut)},
        {"tiled", json_of(module.is_tiled)},
        {"global_shapes", json_of(module.has_whole_arrays && module.states_partitions)},
        {"argument_unpadded_bytes", number_json(sums.unpadded_arguments)},
        {"host_argument_bytes", number_json(sums.host_arguments)},
        {"host_output_bytes", number_json(sums.host_outputs)},
        {"donor_bytes", number_json(sums.donors)},
        {"alias_size_mismatches", number_json(sums.mismatches)},
        {"code_bytes", "null"},
        {"peak_bytes_at_least", number_json(sums.at_least())},
    };
    if (!module.states_partitions) result.more.emplace_back("sharded_over", number_json(module.num_partitions));
    if (!module.others.empty()) {
        json_writer json;
        json.values(module.others);
        result.more.emplace_back("other_modules", json.text());
    }
    result.more.emplace_back("donation", donation_json(donation_question_of(module)));
    if (module.has_whole_arrays) {
        result.more.emplace_back("argument_share_bytes", number_json(share_bytes(module.arguments)));
        result.more.emplace_back("output_share_bytes", number_json(share_bytes(module.outputs)));
    }
    return result;
}

reading<description> describe_module(std::string_view text, const std::string& file) {
    const reading<hlo_module> module = read_module(text, file);
    if (!module) return module.error();
    return describe(*module);
}

}  // namespace hbm::imported::xla
