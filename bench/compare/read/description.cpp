#include "compare/read/description.hpp"

namespace hbm::imported {

void write(json_writer& json, std::string_view name, const std::optional<std::uint64_t>& value) {
    json.key(name);
    if (value)
        json.value(*value);
    else
        json.null();
}

void write(json_writer& json, std::string_view name, const index_path& path) {
    json.key(name);
    json.begin_array();
    for (const std::uint64_t each : path) json.value(each);
    json.end_array();
}

void write(json_writer& json, const more_fields& all) {
    for (const auto& [name, value] : all) {
        json.key(name);
        json.literal(value);
    }
}

void write(json_writer& json, const described_leaf& leaf) {
    json.begin_object();
    if (leaf.parameter) json.field("parameter", *leaf.parameter);
    write(json, "index", leaf.index);
    write(json, "bytes", leaf.bytes);
    write(json, leaf.more);
    json.end_object();
}

void write(json_writer& json, const described_alias& alias) {
    json.begin_object();
    write(json, "output", alias.output);
    json.field("parameter", alias.parameter);
    write(json, "index", alias.index);
    json.field("kind", alias.kind);
    json.end_object();
}

void write_description(json_writer& json, std::string_view file, const description& found) {
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
