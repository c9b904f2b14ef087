#include <algorithm>
#include <array>

#include "compare/shard.hpp"

namespace hbm::compare {

namespace {

/// The first option given that is, or is not, among these; empty if there is none.
template <std::size_t Count>
std::string find_given(const options& asked, const std::array<std::string_view, Count>& names, bool is_among) {
    for (const auto& [name, value] : asked.given)
        if ((std::find(names.begin(), names.end(), name) != names.end()) == is_among) return name;
    return {};
}

}  // namespace

std::string find_beside_shard(const options& asked) {
    constexpr std::array<std::string_view, 10> needs_all{"--save",     "--check",    "--on-oom", "--html",
                                                         "--perfetto", "--snapshot", "--pprof",  "--minimalloc",
                                                         "--series",   "--recommend"};
    if (const std::string name = find_given(asked, needs_all, true); !name.empty())
        return "--shard: found " + name + " beside it, expected one of them: that needs all rows";
    if (asked.has_format && asked.format != output_format::json)
        return "--format: found another format beside --shard, expected json: `hbm_compare merge` writes the others";
    return {};
}

std::string find_beside_merge(const options& asked) {
    constexpr std::array<std::string_view, 4> allowed{"merge", "--format", "-o", "-q"};
    if (const std::string name = find_given(asked, allowed, false); !name.empty())
        return "merge: found " + name + " beside it, expected only shards, --format, -o and -q";
    if (asked.has_format && (asked.format == output_format::table || asked.format == output_format::md))
        return "--format: found table or md beside merge, expected json or csv: shards hold the figures of each row, "
               "and a table takes the workloads as well; without --shard the command makes it";
    return {};
}

std::string find_beside_growth(const options& asked) {
    constexpr std::array<std::string_view, 4> compares{"--save", "--check", "--shard", "--sweep"};
    if (const std::string name = find_given(asked, compares, true); !name.empty())
        return name + ": found --growth beside it, expected one of them: nothing is compared there";
    return {};
}

}  // namespace hbm::compare
