#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <utility>

#include "compare/sweeps/shard.hpp"
#include "compare/sweeps/stored.hpp"
#include "compare/sweeps/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// A shard that was read.
struct shard_file {
    std::string file;
    shard_head head;
    std::vector<record> rows;
};

/// Reader of the members of a shard's head; the first error is kept.
class head_reader {
public:
    head_reader(const stored_result& from, const json_value& head) : from_(from), head_(head) {}

    void read(std::string_view key, std::uint64_t& into) {
        const json_value* const value = find(head_, key);
        if (value != nullptr && (value->what != json_value::kind::number || !trace::parse_number(value->text, into)))
            fail(*value, "a whole number");
    }
    void read(const json_value& object, std::string_view key, std::string& into) {
        const json_value* const value = find(object, key);
        if (value == nullptr) return;
        if (value->what != json_value::kind::text) return fail(*value, "a text");
        into = value->text;
    }
    void read(std::string_view key, std::string& into) { read(head_, key, into); }
    void read(std::vector<std::pair<std::string, std::string>>& into) {
        const json_value* const inputs = find(head_, "inputs");
        if (inputs == nullptr) return;
        if (inputs->what != json_value::kind::array) return fail(*inputs, "an array of files");
        for (const json_value& each : inputs->items) {
            auto& [file, digest] = into.emplace_back();
            read(each, "file", file);
            read(each, "digest", digest);
        }
    }
    void read(std::vector<std::string>& into) {
        const json_value* const arguments = find(head_, "arguments");
        if (arguments == nullptr) return;
        if (arguments->what != json_value::kind::array) return fail(*arguments, "an array of texts");
        for (const json_value& each : arguments->items) {
            if (each.what != json_value::kind::text) return fail(each, "a text");
            into.push_back(each.text);
        }
    }
    void fail(const json_value& where, const std::string& expected) {
        if (problem_.empty())
            problem_ = imported::error_at(from_.text, where.offset, from_.file, json_words(where), expected).message();
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    const json_value* find(const json_value& object, std::string_view key) {
        const json_value* const value = object.find(key);
        if (value == nullptr) fail(object, "the key `" + std::string(key) + "`");
        return value;
    }

    const stored_result& from_;
    const json_value& head_;
    std::string problem_;
};

std::string read_head(const stored_result& from, shard_head& shard) {
    const json_value* const head = from.whole.find("shard");
    if (head == nullptr) return filled(texts::not_a_shard, {{"file", from.file}});
    head_reader reader(from, *head);
    reader.read("index", shard.index);
    reader.read("count", shard.count);
    reader.read("first_row", shard.first_row);
    reader.read("rows", shard.rows);
    reader.read("all_rows", shard.all_rows);
    reader.read("version", shard.version);
    reader.read(shard.arguments);
    reader.read("managers", shard.managers);
    reader.read(shard.inputs);
    const bool is_part = shard.count != 0 && shard.count <= 1'000'000 &&
                         shard.all_rows <= ~std::uint64_t{0} / shard.count && shard.index != 0 &&
                         shard.index <= shard.count &&
                         shard.first_row == shard.all_rows * (shard.index - 1) / shard.count &&
                         shard.rows == shard.all_rows * shard.index / shard.count - shard.first_row;
    if (!is_part) reader.fail(*head, "the numbers of a shard that hbm_compare wrote");
    if (reader.problem().empty() && from.rows.size() != shard.rows)
        return filled(texts::rows_of_shard, {{"file", from.file},
                                             {"rows", from.rows.size()},
                                             {"index", shard.index},
                                             {"count", shard.count},
                                             {"expected", shard.rows},
                                             {"command", command_of(shard, shard.index)}});
    return reader.problem();
}

/// Returns an error message if a shard is not of the result that `first` belongs to, else an empty text.
std::string find_foreign(const shard_file& shard, const shard_file& first) {
    const shard_head& is = shard.head;
    const shard_head& should = first.head;
    std::string_view text;
    std::size_t input = 0;
    if (is.arguments != should.arguments) {
        text = texts::other_command;
    } else if (is.count != should.count) {
        text = texts::other_count;
    } else if (is.version != should.version) {
        text = texts::other_version;
    } else if (is.inputs.size() != should.inputs.size() || is.managers != should.managers ||
               is.all_rows != should.all_rows) {
        text = texts::other_managers;
    } else {
        while (input < is.inputs.size() && is.inputs[input] == should.inputs[input]) ++input;
        if (input < is.inputs.size())
            text = texts::other_input;
        else if (!shard.rows.empty() && !first.rows.empty() && shard.rows.front().size() != first.rows.front().size())
            text = texts::other_keys;
    }
    if (text.empty()) return {};
    const bool is_input = text == texts::other_input;
    return filled(text, {{"file", shard.file},
                         {"index", is.index},
                         {"count", is.count},
                         {"own_command", command_of(is)},
                         {"version", is.version},
                         {"input", is_input ? is.inputs[input].first : ""},
                         {"digest", is_input ? is.inputs[input].second : ""},
                         {"first", first.file},
                         {"first_command", command_of(should)},
                         {"first_count", should.count},
                         {"first_version", should.version},
                         {"first_input", is_input ? should.inputs[input].first : ""},
                         {"first_digest", is_input ? should.inputs[input].second : ""},
                         {"command", command_of(should, is.index)}});
}

/// Returns an error with the missing shards, a line each; empty if there are none.
std::string find_missing(const std::vector<const shard_file*>& by_index, const shard_head& known) {
    constexpr std::size_t max_lines = 20;
    std::string lines;
    std::size_t missing = 0;
    for (std::size_t at = 0; at < by_index.size(); ++at)
        if (by_index[at] == nullptr && ++missing <= max_lines)
            lines += filled(texts::missing_shard,
                            {{"index", at + 1}, {"count", by_index.size()}, {"command", command_of(known, at + 1)}});
    if (missing == 0) return {};
    if (missing > max_lines) lines += filled(texts::more_shards, {{"count", missing - max_lines}});
    return filled(texts::missing_shards,
                  {{"found", by_index.size() - missing}, {"count", by_index.size()}, {"shards", lines}});
}

}  // namespace

std::string read_shards(const std::vector<std::string>& files, merged_shards& target) {
    std::vector<shard_file> all;
    for (const std::string& file : files) {
        stored_result from;
        if (std::string problem = read_stored(file, from); !problem.empty()) return problem;
        shard_file& entry = all.emplace_back();
        entry.file = file;
        if (std::string problem = read_head(from, entry.head); !problem.empty()) return problem;
        entry.rows = std::move(from.rows);
    }
    std::vector<const shard_file*> by_index;
    for (const shard_file& entry : all) {
        if (std::string problem = find_foreign(entry, all.front()); !problem.empty()) return problem;
        by_index.resize(static_cast<std::size_t>(entry.head.count));
        const shard_file*& place = by_index[static_cast<std::size_t>(entry.head.index - 1)];
        if (place != nullptr)
            return filled(texts::shard_twice, {{"file", entry.file},
                                               {"index", entry.head.index},
                                               {"count", entry.head.count},
                                               {"first", place->file},
                                               {"command", command_of(entry.head, entry.head.index)}});
        place = &entry;
    }
    if (std::string problem = find_missing(by_index, all.front().head); !problem.empty()) return problem;
    target.head = all.front().head;
    for (const shard_file* entry : by_index)
        target.rows.insert(target.rows.end(), entry->rows.begin(), entry->rows.end());
    return {};
}

}  // namespace hbm::compare
