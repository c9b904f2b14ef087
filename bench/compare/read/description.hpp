#pragma once
// What --describe says of a file that another program wrote: the values of the schema hbm-describe/1, and their JSON.

#include <hbm/explain/json_writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"

namespace hbm::imported {

/// Position of a leaf in nested tuples: {1, 0} is the first part of the second part; empty for what is no tuple.
using index_path = std::vector<std::uint64_t>;

/// Fields of JSON beyond those that all kinds share: name, and value as JSON.
using more_fields = std::vector<std::pair<std::string, std::string>>;

/// An argument or output of a program: a leaf, if it is a tuple.
struct described_leaf {
    std::optional<std::uint64_t> parameter;  ///< its number, from 0; empty for outputs
    index_path index;                        ///< inside the parameter or the result
    std::optional<std::uint64_t> bytes;      ///< on the device; empty if the file does not say
    more_fields more = {};
};

/// An output that takes over the memory of an argument.
struct described_alias {
    index_path output;
    std::uint64_t parameter = 0;
    index_path index;  ///< inside the parameter
    std::string kind;  ///< `may-alias` or `must-alias`
};

/// What a file says. All sizes are bytes in the device's main memory; empty means that the file does not say.
struct description {
    file_kind kind = file_kind::unknown;
    std::optional<std::string> name;              ///< of the program
    std::optional<std::uint64_t> argument_bytes;  ///< of all arguments
    std::optional<std::uint64_t> output_bytes;    ///< of all outputs, also of those that take over an argument
    std::optional<std::uint64_t> alias_bytes;     ///< of the outputs that take over an argument
    std::optional<std::uint64_t> temp_bytes;      ///< of temporaries
    std::optional<std::uint64_t> constant_bytes;
    std::optional<std::uint64_t> peak_bytes;  ///< of the whole program
    std::optional<std::vector<described_leaf>> arguments;
    std::optional<std::vector<described_leaf>> outputs;
    std::optional<std::vector<described_alias>> aliases;
    more_fields more = {};  ///< that only this kind of file has
};

void write(json_writer& json, std::string_view name, const std::optional<std::uint64_t>& value);

void write(json_writer& json, std::string_view name, const index_path& path);

void write(json_writer& json, const more_fields& all);

void write(json_writer& json, const described_leaf& leaf);

void write(json_writer& json, const described_alias& alias);

template <class Value>
void write(json_writer& json, std::string_view name, const std::optional<std::vector<Value>>& all) {
    json.key(name);
    if (!all) return json.null();
    json.begin_array();
    for (const Value& each : *all) write(json, each);
    json.end_array();
}

/// Writes what was found in `file` as an object of the list `files` of the schema hbm-describe/1. What the file does
/// not say is null. O(size of the description).
void write_description(json_writer& json, std::string_view file, const description& found);

}  // namespace hbm::imported
