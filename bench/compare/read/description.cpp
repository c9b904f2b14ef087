#include "compare/read/description.hpp"

namespace hbm::imported {

std::string number_json(const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "null";
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
    json.field("bytes", leaf.bytes);
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
    found.name ? json.value(*found.name) : json.null();
    json.field("argument_bytes", found.argument_bytes);
    json.field("output_bytes", found.output_bytes);
    json.field("alias_bytes", found.alias_bytes);
    json.field("temp_bytes", found.temp_bytes);
    json.field("constant_bytes", found.constant_bytes);
    json.field("peak_bytes", found.peak_bytes);
    write(json, "arguments", found.arguments);
    write(json, "outputs", found.outputs);
    write(json, "aliases", found.aliases);
    write(json, found.more);
    json.end_object();
}

}  // namespace hbm::imported
