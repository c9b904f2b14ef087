#include "compare/read/description.hpp"

namespace hbm::imported {

std::string number_json(const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "null";
}

void write(json_writer& json, std::string_view name, const index_path& path) {
    json.values(name, path);
}

void write(json_writer& json, const more_fields& all) {
    for (const auto& [name, value] : all) {
        json.literal(name, value);
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

void write_description(json_writer& json, std::string_view file, const description& match) {
    json.begin_object();
    json.field("file", file);
    json.field("kind", kind_name(match.kind));
    json.key("name");
    match.name ? json.value(*match.name) : json.null();
    json.field("argument_bytes", match.argument_bytes);
    json.field("output_bytes", match.output_bytes);
    json.field("alias_bytes", match.alias_bytes);
    json.field("temp_bytes", match.temp_bytes);
    json.field("constant_bytes", match.constant_bytes);
    json.field("peak_bytes", match.peak_bytes);
    write(json, "arguments", match.arguments);
    write(json, "outputs", match.outputs);
    write(json, "aliases", match.aliases);
    write(json, match.more);
    json.end_object();
}

}  // namespace hbm::imported
