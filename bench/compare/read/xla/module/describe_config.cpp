#include "compare/read/xla/module/describe_config.hpp"

#include <hbm/explain/json_writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

namespace {

/// Arrays as leaves, and the sum of those in HBM; no sum if it is not known.
std::optional<std::uint64_t> add_leaves(const std::vector<configured_array>& from, bool are_parameters,
                                        std::vector<described_leaf>& into) {
    std::optional<std::uint64_t> sum = 0;
    for (const configured_array& each : from) {
        json_writer text;
        text.value(each.text);
        const std::optional<std::uint64_t> bytes = padded_bytes(each.shape);
        into.push_back({.parameter = are_parameters ? std::optional{each.parameter} : std::nullopt,
                        .index = each.index,
                        .bytes = bytes,
                        .more = {{"shape", text.text()},
                                 {"unpadded_bytes", number_json(unpadded_bytes(each.shape))},
                                 {"memory_space", std::to_string(each.shape.memory_space)}}});
        if (each.shape.memory_space != device_memory_space) continue;
        if (bytes && sum && *sum <= ~std::uint64_t{0} - *bytes)
            sum = *sum + *bytes;
        else
            sum.reset();
    }
    return sum;
}

}  // namespace

description describe(const module_config& of) {
    description made;
    made.kind = file_kind::config;
    const std::optional<std::uint64_t> arguments = add_leaves(of.arguments, true, made.arguments.emplace());
    const std::optional<std::uint64_t> outputs = add_leaves(of.outputs, false, made.outputs.emplace());
    if (of.cut_line == not_cut || of.has_result) made.argument_bytes = arguments;
    if (of.has_result)
        made.output_bytes = outputs;
    else
        made.outputs.reset();
    made.more = {{"num_partitions", number_json(of.num_partitions)},
                 {"replica_count", number_json(of.replica_count)},
                 {"global_shapes", of.has_global_shapes() ? "true" : "false"},
                 {"cut_line", of.cut_line == not_cut ? "null" : std::to_string(of.cut_line)}};
    return made;
}

}  // namespace hbm::imported::xla
