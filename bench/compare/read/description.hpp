#pragma once
// Contents of a file of another program for --describe: values of the schema hbm-describe/1, and their JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::imported {

/// Position of a leaf in nested tuples: {1, 0} is the first part of the second part. Empty if the value is not a tuple.
using index_path = std::vector<std::uint64_t>;

/// Fields of JSON beyond those that all kinds share: name, and value as JSON.
using more_fields = std::vector<std::pair<std::string, std::string>>;

/// An argument or output of a program: a leaf, if it is a tuple.
struct described_leaf {
    std::optional<std::uint64_t> parameter;  ///< number of the parameter, from 0; empty for outputs
    index_path index;                        ///< position inside the parameter or the result
    std::optional<std::uint64_t> bytes;      ///< size on the device; empty if the file does not state it
    more_fields more = {};
};

/// An output that takes over the memory of an argument.
struct described_alias {
    index_path output;
    std::uint64_t parameter = 0;
    index_path index;  ///< position inside the parameter
    std::string kind;  ///< `may-alias` or `must-alias`
};

/// Content of a file. Sizes are bytes in the device's main memory. Empty fields are not stated by the file.
struct description {
    file_kind kind = file_kind::unknown;
    std::optional<std::string> name;              ///< name of the program
    std::optional<std::uint64_t> argument_bytes;  ///< total of all arguments
    std::optional<std::uint64_t> output_bytes;    ///< total of all outputs, including those that take over an argument
    std::optional<std::uint64_t> alias_bytes;     ///< total of the outputs that take over an argument
    std::optional<std::uint64_t> temp_bytes;      ///< total of temporaries
    std::optional<std::uint64_t> constant_bytes;
    std::optional<std::uint64_t> peak_bytes;  ///< peak of the whole program
    std::optional<std::vector<described_leaf>> arguments;
    std::optional<std::vector<described_leaf>> outputs;
    std::optional<std::vector<described_alias>> aliases;
    more_fields more = {};  ///< fields of this kind of file only
};

/// Returns a number as JSON, or null.
[[nodiscard]] std::string number_json(const std::optional<std::uint64_t>& number);

void write(json_writer& json, std::string_view name, const index_path& path);
void write(json_writer& json, const more_fields& all);
void write(json_writer& json, const described_leaf& leaf);
void write(json_writer& json, const described_alias& alias);

template <class Value>
void write(json_writer& json, std::string_view name, const std::optional<std::vector<Value>>& all) {
    json.key(name);
    if (!all) return json.null();
    json.array(*all, [&](const Value& each) { write(json, each); });
}

/// Writes `found`, read from `file`, as an object of the list `files` of the schema hbm-describe/1. Fields that the
/// file does not state are null.
/// Cost: O(size of the description).
void write_description(json_writer& json, std::string_view file, const description& match);

}  // namespace hbm::imported
