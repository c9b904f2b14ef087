#include "compare/read/description.hpp"

namespace hbm::imported {

namespace {

void write_fields(json_writer& json, const described::fields& all);

void write_value(json_writer& json, const described& found) {
    using kind = described::kind;
    switch (found.what) {
    case kind::nothing: return json.null();
    case kind::number: return json.value(found.number);
    case kind::negative: return json.value(found.number, true);
    case kind::truth: return json.value(found.number != 0);
    case kind::text: return json.value(found.text);
    case kind::list: return json.array(found.items, [&](const described& each) { write_value(json, each); });
    case kind::fields:
        json.begin_object();
        write_fields(json, found.named);
        json.end_object();
    }
}

void write_fields(json_writer& json, const described::fields& all) {
    for (const auto& [name, value] : all) {
        json.key(name);
        write_value(json, value);
    }
}

}  // namespace

void write_description(json_writer& json, std::string_view file, const description& found) {
    json.begin_object();
    write_fields(json, {{"file", file},
                        {"kind", kind_name(found.kind)},
                        {"name", found.name},
                        {"argument_bytes", found.argument_bytes},
                        {"output_bytes", found.output_bytes},
                        {"alias_bytes", found.alias_bytes},
                        {"temp_bytes", found.temp_bytes},
                        {"constant_bytes", found.constant_bytes},
                        {"peak_bytes", found.peak_bytes},
                        {"arguments", found.arguments},
                        {"outputs", found.outputs},
                        {"aliases", found.aliases}});
    write_fields(json, found.more);
    json.end_object();
}

}  // namespace hbm::imported
