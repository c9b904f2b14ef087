#pragma once
// What --describe says of a file that another program wrote: the values of the schema hbm-describe/1, and their JSON.

#include <hbm/imported/file_kind.hpp>
#include <hbm/report/json_writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

namespace description_detail {

inline void write(json_writer& json, std::string_view name, const std::optional<std::uint64_t>& value) {
    json.key(name);
    if (value)
        json.value(*value);
    else
        json.null();
}

inline void write(json_writer& json, std::string_view name, const index_path& path) {
    json.key(name);
    json.begin_array();
    for (const std::uint64_t each : path) json.value(each);
    json.end_array();
}

inline void write(json_writer& json, const more_fields& all) {
    for (const auto& [name, value] : all) {
        json.key(name);
        json.literal(value);
    }
}

inline void write(json_writer& json, const described_leaf& leaf) {
    json.begin_object();
    if (leaf.parameter) json.field("parameter", *leaf.parameter);
    write(json, "index", leaf.index);
    write(json, "bytes", leaf.bytes);
    write(json, leaf.more);
    json.end_object();
}

inline void write(json_writer& json, const described_alias& alias) {
    json.begin_object();
    write(json, "output", alias.output);
    json.field("parameter", alias.parameter);
    write(json, "index", alias.index);
    json.field("kind", alias.kind);
    json.end_object();
}

template <class Value>
void write(json_writer& json, std::string_view name, const std::optional<std::vector<Value>>& all) {
    json.key(name);
    if (!all) return json.null();
    json.begin_array();
    for (const Value& each : *all) write(json, each);
    json.end_array();
}

}  // namespace description_detail

/// Writes what was found in `file` as an object of the list `files` of the schema hbm-describe/1. What the file does
/// not say is null. O(size of the description).
inline void write_description(json_writer& json, std::string_view file, const description& found) {
    using description_detail::write;
    json.begin_object();
    json.field("file", file);
    json.field("kind", kind_name(found.kind));
    json.key("name");
    if (found.name)
        json.value(*found.name);
    else
        json.null();
    write(json, "argument_bytes", found.argument_bytes);
    write(json, "output_bytes", found.output_bytes);
    write(json, "alias_bytes", found.alias_bytes);
    write(json, "temp_bytes", found.temp_bytes);
    write(json, "constant_bytes", found.constant_bytes);
    write(json, "peak_bytes", found.peak_bytes);
    write(json, "arguments", found.arguments);
    write(json, "outputs", found.outputs);
    write(json, "aliases", found.aliases);
    write(json, found.more);
    json.end_object();
}

}  // namespace hbm::imported
