#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

namespace {

/// Returns the position of the largest range of temporaries in HBM; nullopt without one.
std::optional<std::size_t> largest_range(const assignment& assigned) {
    std::optional<std::size_t> largest;
    for (std::size_t at = 0; at < assigned.allocations.size(); ++at) {
        const allocation& range = assigned.allocations[at];
        if (!range.is_temporary || range.color != hbm_color || range.size.bytes == 0) continue;
        if (!largest || range.size.bytes > assigned.allocations[*largest].size.bytes) largest = at;
    }
    return largest;
}

std::string name_of(const buffer_value& value, const program_files& from) {
    if (from.module) {
        const auto origin = from.module->value.origins.find(value.name);
        if (origin != from.module->value.origins.end()) {
            const auto& [operation, source] = origin->second;
            return operation + (operation.empty() || source.empty() ? "" : ", ") + source;
        }
    }
    return value.name;
}

/// Joins values that take over the place of an operand at the end of its life: they are one block for a packing.
void join_successors(std::vector<temporary_value>& values) {
    std::sort(values.begin(), values.end(), [](const temporary_value& left, const temporary_value& right) {
        return std::tie(left.offset, left.begin, left.end) < std::tie(right.offset, right.begin, right.end);
    });
    std::vector<temporary_value> joined;
    for (temporary_value& value : values) {
        if (joined.empty() || joined.back().offset != value.offset || joined.back().end < value.begin) {
            joined.push_back(std::move(value));
            continue;
        }
        temporary_value& before = joined.back();
        before.end = std::max(before.end, value.end);
        if (value.bytes > before.bytes) {
            before.bytes = value.bytes;
            before.name = std::move(value.name);
            before.shape = std::move(value.shape);
        }
    }
    values = std::move(joined);
}

}  // namespace

void add_temporaries(const program_files& from, imported_program& program) {
    if (!from.has_assignment()) return;
    const assignment& assigned = from.assignment->value;
    const std::optional<std::size_t> range = largest_range(assigned);
    if (!range || assigned.live_ranges.empty()) return;
    std::map<std::pair<std::string, index_path>, const live_range*> lives;
    for (const live_range& value : assigned.live_ranges) lives.emplace(std::pair{value.name, value.index}, &value);
    std::vector<temporary_value> values;
    for (const buffer_value& value : assigned.values) {
        if (value.allocation != *range) continue;
        const auto life = lives.find({value.name, value.index});
        if (life == lives.end()) return;  // a packing of only some values says nothing
        values.push_back({name_of(value, from), without_layouts(value.shape), value.bytes, value.offset,
                          life->second->begin, life->second->end});
    }
    join_successors(values);
    program.temporaries = std::move(values);
    program.temporaries_height = assigned.allocations[*range].size.bytes;
}

}  // namespace hbm::imported::xla
