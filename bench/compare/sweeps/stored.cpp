#include "compare/sweeps/stored.hpp"

#include <utility>

#include "compare/read/csv/read.hpp"

namespace hbm::compare {

namespace {

using json_kind = json_value::kind;

record to_record(json_value& row) {
    record made;
    made.reserve(row.keys.size());
    for (std::size_t at = 0; at < row.keys.size(); ++at) {
        json_value& value = row.items[at];
        field& each = made.emplace_back();
        each.key = std::move(row.keys[at]);
        each.is_text = value.what == json_kind::text;
        if (value.what != json_kind::null) each.value = std::move(value.text);
    }
    return made;
}

bool has_same_keys(const record& a, const record& b) {
    bool same = a.size() == b.size();
    for (std::size_t at = 0; same && at < a.size(); ++at) same = a[at].key == b[at].key;
    return same;
}

}  // namespace

std::string read_stored(const std::string& file, stored_result& into) {
    std::vector<char> bytes;
    trace::read_error error;
    if (!trace::read_bytes(file, bytes, error)) {
        error.expected = "the path of a result that hbm_compare wrote as JSON";
        return error.message();
    }
    into.file = file;
    into.text.assign(bytes.data(), bytes.size());
    if (!read_json(file, into.text, into.whole, error)) return error.message();
    const auto fail = [&](const json_value& where, const std::string& expected) {
        return error_at(file, into.text, where.offset, json_words(where), expected).message();
    };
    if (into.whole.what != json_kind::object) return fail(into.whole, "a result of hbm_compare --format json");
    const json_value* const schema = into.whole.find("schema");
    if (schema == nullptr || schema->text != "hbm-compare/1")
        return fail(schema == nullptr ? into.whole : *schema, "the schema `hbm-compare/1`");
    for (std::size_t at = 0; at < into.whole.keys.size(); ++at) {
        if (into.whole.keys[at] != "rows") continue;
        json_value rows = std::exchange(into.whole.items[at], {});
        if (rows.what != json_kind::array) return fail(rows, "an array of rows");
        for (json_value& row : rows.items) {
            if (row.what != json_kind::object) return fail(row, "a row, which is an object");
            for (const json_value& value : row.items)
                if (value.what == json_kind::array || value.what == json_kind::object)
                    return fail(value, "a number, a text, true, false or null");
            into.offsets.push_back(row.offset);
            into.rows.push_back(to_record(row));
            if (!has_same_keys(into.rows.back(), into.rows.front()))
                return fail(row, "the keys of the first row, in its order");
        }
        return {};
    }
    return fail(into.whole, "the key `rows`");
}

}  // namespace hbm::compare
