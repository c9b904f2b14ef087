#include "compare/read/xla/module.hpp"

namespace hbm::imported {

module_sums sums_of(const hlo_module& subject) noexcept {
    module_sums sums;
    const auto add = [](const program_array& entry, std::uint64_t& device, std::uint64_t& host) {
        if (entry.in_device_memory()) device += entry.bytes;
        if (entry.shape.memory_space == host_memory_space) host += entry.bytes;
    };
    for (const program_array& entry : subject.arguments) {
        add(entry, sums.arguments, sums.host_arguments);
        if (entry.in_device_memory()) sums.unpadded_arguments += entry.unpadded_bytes;
    }
    for (const program_array& entry : subject.outputs) add(entry, sums.outputs, sums.host_outputs);
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

described::list arrays_of(const hlo_module& module, const std::vector<program_array>& all, bool are_arguments) {
    described::list rows;
    for (const program_array& entry : all) {
        described::fields row;
        if (are_arguments) row.emplace_back("parameter", entry.parameter);
        row.insert(row.end(), {{"index", entry.index},
                               {"bytes", entry.bytes},
                               {"shape", entry.text},
                               {"unpadded_bytes", entry.unpadded_bytes},
                               {"memory_space", entry.shape.memory_space}});
        if (module.has_whole_arrays) row.emplace_back("share_bytes", entry.share_bytes);
        rows.emplace_back(std::move(row));
    }
    return rows;
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

}  // namespace

description describe(const hlo_module& module) {
    const module_sums sums = sums_of(module);
    described::list aliases;
    for (const program_alias& alias : module.aliases) {
        const program_array& argument = module.arguments[alias.argument];
        aliases.push_back(described::fields{{"output", module.outputs[alias.output].index},
                                            {"parameter", argument.parameter},
                                            {"index", argument.index},
                                            {"kind", alias.must ? "must-alias" : "may-alias"}});
    }
    described::list donors;
    for (const std::size_t entry : module.donors)
        donors.push_back(described::fields{{"parameter", module.arguments[entry].parameter},
                                           {"index", module.arguments[entry].index}});
    description result{file_kind::module};
    result.name = module.name;
    result.argument_bytes = sums.arguments;
    result.output_bytes = sums.outputs;
    result.alias_bytes = sums.aliases;
    result.arguments = arrays_of(module, module.arguments, true);
    result.outputs = arrays_of(module, module.outputs, false);
    result.aliases = std::move(aliases);
    result.more = {{"donors", std::move(donors)},
                   {"scheduled", module.is_scheduled},
                   {"num_partitions", module.states_partitions ? module.num_partitions : 1},
                   {"replica_count", module.replica_count},
                   {"layout_from", module.states_layouts ? "entry_computation_layout" : "entry instructions"},
                   {"entry", module.entry ? described(*module.entry) : described()},
                   {"cut_short", module.is_cut},
                   {"tiled", module.is_tiled},
                   {"global_shapes", module.has_whole_arrays && module.states_partitions},
                   {"argument_unpadded_bytes", sums.unpadded_arguments},
                   {"host_argument_bytes", sums.host_arguments},
                   {"host_output_bytes", sums.host_outputs},
                   {"donor_bytes", sums.donors},
                   {"alias_size_mismatches", sums.mismatches},
                   {"code_bytes", {}},
                   {"peak_bytes_at_least", sums.at_least()}};
    if (!module.states_partitions) result.more.emplace_back("sharded_over", module.num_partitions);
    if (!module.others.empty())
        result.more.emplace_back("other_modules", described::list(module.others.begin(), module.others.end()));
    result.more.emplace_back("donation", describe(donation_question_of(module)));
    if (module.has_whole_arrays) {
        result.more.emplace_back("argument_share_bytes", share_bytes(module.arguments));
        result.more.emplace_back("output_share_bytes", share_bytes(module.outputs));
    }
    return result;
}

}  // namespace hbm::imported
