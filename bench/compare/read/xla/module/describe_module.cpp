#include "compare/read/xla/module/describe_module.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

namespace {

std::string json_of(bool truth) {
    return truth ? "true" : "false";
}

std::string json_of(std::uint64_t number) {
    return trace::decimal(number);
}

std::string json_of(const std::optional<std::uint64_t>& number) {
    return number ? trace::decimal(*number) : "null";
}

std::string text_json(std::string_view text) {
    json_writer json;
    json.value(text);
    return json.text();
}

std::vector<described_leaf> leaves_of(const hlo_module& module, bool arguments) {
    std::vector<described_leaf> leaves;
    for (const program_array& each : arguments ? module.arguments : module.outputs) {
        described_leaf& leaf = leaves.emplace_back();
        if (arguments) leaf.parameter = each.parameter;
        leaf.index = each.index;
        leaf.bytes = each.bytes;
        leaf.more = {{"shape", text_json(each.text)},
                     {"unpadded_bytes", json_of(each.unpadded_bytes)},
                     {"memory_space", json_of(each.shape.memory_space)}};
        if (module.has_whole_arrays) leaf.more.emplace_back("share_bytes", json_of(each.share_bytes));
    }
    return leaves;
}

/// Returns the sum of the shares in device memory; empty if a share is not stated.
std::optional<std::uint64_t> share_bytes(const std::vector<program_array>& all) noexcept {
    std::uint64_t sum = 0;
    for (const program_array& each : all) {
        if (!each.in_device_memory()) continue;
        if (!each.share_bytes) return std::nullopt;
        sum += *each.share_bytes;
    }
    return sum;
}

std::string donors_json(const hlo_module& module) {
    json_writer json;
    json.begin_array();
    for (const std::size_t each : module.donors) {
        json.begin_object();
        json.field("parameter", module.arguments[each].parameter);
        write(json, "index", module.arguments[each].index);
        json.end_object();
    }
    json.end_array();
    return json.text();
}

}  // namespace

description describe(const hlo_module& module) {
    const module_sums sums = sums_of(module);
    description found;
    found.kind = file_kind::module;
    found.name = module.name;
    found.argument_bytes = sums.arguments;
    found.output_bytes = sums.outputs;
    found.alias_bytes = sums.aliases;
    found.arguments = leaves_of(module, true);
    found.outputs = leaves_of(module, false);
    found.aliases.emplace();
    for (const program_alias& each : module.aliases) {
        const program_array& argument = module.arguments[each.argument];
        found.aliases->push_back({module.outputs[each.output].index, argument.parameter, argument.index,
                                  each.must ? "must-alias" : "may-alias"});
    }
    found.more = {
        {"donors", donors_json(module)},
        {"scheduled", json_of(module.is_scheduled)},
        {"num_partitions", json_of(module.num_partitions)},
        {"replica_count", json_of(module.replica_count)},
        {"layout_from", text_json(module.states_layouts ? "entry_computation_layout" : "entry instructions")},
        {"entry", module.entry ? text_json(*module.entry) : "null"},
        {"cut_short", json_of(module.is_cut)},
        {"tiled", json_of(module.is_tiled)},
        {"global_shapes", json_of(module.has_whole_arrays)},
        {"argument_unpadded_bytes", json_of(sums.unpadded_arguments)},
        {"host_argument_bytes", json_of(sums.host_arguments)},
        {"host_output_bytes", json_of(sums.host_outputs)},
        {"donor_bytes", json_of(sums.donors)},
        {"alias_size_mismatches", json_of(sums.mismatches)},
        {"code_bytes", "null"},
        {"peak_bytes_at_least", json_of(sums.at_least())},
    };
    found.more.emplace_back("donation", donation_json(donation_question_of(module)));
    if (module.has_whole_arrays) {
        found.more.emplace_back("argument_share_bytes", json_of(share_bytes(module.arguments)));
        found.more.emplace_back("output_share_bytes", json_of(share_bytes(module.outputs)));
    }
    return found;
}

reading<description> describe_module(std::string_view text, const std::string& file) {
    const reading<hlo_module> module = read_module(text, file);
    if (!module) return module.error();
    return describe(*module);
}

}  // namespace hbm::imported::xla
