#include <algorithm>
#include <utility>

#include "compare/sweeps/shard.hpp"
#include "compare/sweeps/stored.hpp"
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
            problem_ = error_at(from_.file, from_.text, where.offset, json_words(where), expected).message();
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

std::string read_head(const stored_result& from, shard_head& into) {
    const json_value* const head = from.whole.find("shard");
    if (head == nullptr)
        return from.file + ": found a whole result, expected a shard, as `hbm_compare --shard I/N` writes it";
    head_reader reader(from, *head);
    reader.read("index", into.index);
    reader.read("count", into.count);
    reader.read("first_row", into.first_row);
    reader.read("rows", into.rows);
    reader.read("all_rows", into.all_rows);
    reader.read("version", into.version);
    reader.read(into.arguments);
    reader.read("managers", into.managers);
    reader.read(into.inputs);
    const bool is_part = into.count != 0 && into.count <= 1'000'000 &&
                         into.all_rows <= ~std::uint64_t{0} / into.count && into.index != 0 &&
                         into.index <= into.count && into.first_row == into.all_rows * (into.index - 1) / into.count &&
                         into.rows == into.all_rows * into.index / into.count - into.first_row;
    if (!is_part) reader.fail(*head, "the numbers of a shard that hbm_compare wrote");
    if (reader.problem().empty() && from.rows.size() != into.rows)
        return from.file + ": found " + std::to_string(from.rows.size()) + " rows in shard " +
               std::to_string(into.index) + "/" + std::to_string(into.count) + ", expected " +
               std::to_string(into.rows) + "; make it again: " + command_of(into, into.index);
    return reader.problem();
}

std::string words(const shard_head& of) {
    return "shard " + std::to_string(of.index) + "/" + std::to_string(of.count);
}

/// Returns an error message if a shard is not of the result that `first` belongs to, else an empty text.
std::string find_foreign(const shard_file& each, const shard_file& first) {
    const shard_head& is = each.head;
    const shard_head& should = first.head;
    const std::string remedy = " as " + first.file + " is; make it again: " + command_of(should, is.index);
    const auto fail = [&](const std::string& found, const std::string& expected) {
        return each.file + ": found " + words(is) + " " + found + ", expected one " + expected + remedy;
    };
    if (is.arguments != should.arguments)
        return fail("of another command, `" + command_of(is) + "`", "of `" + command_of(should) + "`,");
    if (is.count != should.count)
        return each.file + ": found " + words(is) + ", expected one of " + std::to_string(should.count) + " as " +
               first.file + " is; all shards of a result are made with the same number behind the slash";
    if (is.version != should.version)
        return fail("that version " + is.version + " made", "of version " + should.version + ",");
    if (is.inputs.size() != should.inputs.size() || is.managers != should.managers || is.all_rows != should.all_rows)
        return fail("of other managers or workloads", "of the same,");
    for (std::size_t at = 0; at < is.inputs.size(); ++at)
        if (is.inputs[at] != should.inputs[at])
            return fail("whose input " + is.inputs[at].first + " has the digest " + is.inputs[at].second,
                        "with the digest " + should.inputs[at].second + " of " + should.inputs[at].first + ",");
    if (!each.rows.empty() && !first.rows.empty() && each.rows.front().size() != first.rows.front().size())
        return fail("with other keys", "with the same keys,");
    return {};
}

/// Returns an error with the missing shards, a line each; empty if there are none.
std::string find_missing(const std::vector<const shard_file*>& by_index, const shard_head& known) {
    constexpr std::size_t max_lines = 20;
    std::string lines;
    std::size_t missing = 0;
    for (std::size_t at = 0; at < by_index.size(); ++at)
        if (by_index[at] == nullptr && ++missing <= max_lines)
            lines += "\n  shard " + std::to_string(at + 1) + "/" + std::to_string(by_index.size()) + ": " +
                     command_of(known, at + 1);
    if (missing == 0) return {};
    return "merge: found " + std::to_string(by_index.size() - missing) + " of " + std::to_string(by_index.size()) +
           " shards, expected all of them; make those that are missing:" + lines +
           (missing > max_lines ? "\n  and " + std::to_string(missing - max_lines) + " more" : "");
}

}  // namespace

std::string read_shards(const std::vector<std::string>& files, merged_shards& into) {
    std::vector<shard_file> all;
    for (const std::string& file : files) {
        stored_result from;
        if (std::string problem = read_stored(file, from); !problem.empty()) return problem;
        shard_file& each = all.emplace_back();
        each.file = file;
        if (std::string problem = read_head(from, each.head); !problem.empty()) return problem;
        each.rows = std::move(from.rows);
    }
    std::vector<const shard_file*> by_index;
    for (const shard_file& each : all) {
        if (std::string problem = find_foreign(each, all.front()); !problem.empty()) return problem;
        by_index.resize(static_cast<std::size_t>(each.head.count));
        const shard_file*& place = by_index[static_cast<std::size_t>(each.head.index - 1)];
        if (place != nullptr)
            return each.file + ": found " + words(each.head) + ", expected another one: " + place->file +
                   " is that shard; leave one of them out, or make it again: " + command_of(each.head, each.head.index);
        place = &each;
    }
    if (std::string problem = find_missing(by_index, all.front().head); !problem.empty()) return problem;
    into.head = all.front().head;
    for (const shard_file* each : by_index) into.rows.insert(into.rows.end(), each->rows.begin(), each->rows.end());
    return {};
}

}  // namespace hbm::compare
