#include "compare/sweeps/stored.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "compare/cells/grid.hpp"
#include "compare/command_line/option_rules.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/sweeps/texts.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/texts.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

using json_kind = json_value::kind;

record to_record(json_value& row) {
    record entry;
    entry.reserve(row.keys.size());
    for (std::size_t at = 0; at < row.keys.size(); ++at) {
        json_value& value = row.items[at];
        field& item = entry.emplace_back();
        item.key = std::move(row.keys[at]);
        item.is_text = value.what == json_kind::text;
        if (value.what != json_kind::null) item.value = std::move(value.text);
    }
    return entry;
}

bool has_same_keys(const record& a, const record& b) {
    bool same = a.size() == b.size();
    for (std::size_t at = 0; same && at < a.size(); ++at) same = a[at].key == b[at].key;
    return same;
}

}  // namespace

std::string read_stored(const std::string& file, stored_result& stored) {
    std::vector<char> bytes;
    trace::read_error error;
    if (!trace::read_bytes(file, bytes, error)) return error.message();
    stored.file = file;
    stored.text.assign(bytes.data(), bytes.size());
    if (!read_json(file, stored.text, stored.whole, error)) return error.message();
    const auto fail = [&](const json_value& where, const std::string& expected) {
        return imported::error_at(stored.text, where.offset, file, json_words(where), expected).message();
    };
    if (stored.whole.what != json_kind::object) return fail(stored.whole, "a result of hbm_compare --format json");
    const json_value* const schema = stored.whole.find("schema");
    if (schema == nullptr || schema->text != "hbm-compare/1")
        return fail(schema == nullptr ? stored.whole : *schema, "the schema `hbm-compare/1`");
    for (std::size_t at = 0; at < stored.whole.keys.size(); ++at) {
        if (stored.whole.keys[at] != "rows") continue;
        json_value rows = std::exchange(stored.whole.items[at], {});
        if (rows.what != json_kind::array) return fail(rows, "an array of rows");
        for (json_value& row : rows.items) {
            if (row.what != json_kind::object) return fail(row, "a row, which is an object");
            for (const json_value& value : row.items)
                if (value.what == json_kind::array || value.what == json_kind::object)
                    return fail(value, "a number, a text, true, false or null");
            stored.offsets.push_back(row.offset);
            stored.rows.push_back(to_record(row));
            if (!has_same_keys(stored.rows.back(), stored.rows.front()))
                return fail(row, "the keys of the first row, in its order");
        }
        return {};
    }
    return fail(stored.whole, "the key `rows`");
}

namespace {

/// Reader of the values of a row; the first error is kept.
class figure_reader {
public:
    explicit figure_reader(const record& from) : from_(from) {}

    void number(std::string_view key, std::uint64_t& into) {
        const std::string* const text = stored_text(from_, key);
        if (text == nullptr || !trace::parse_number(*text, into)) fail(key, "a whole number");
    }
    void number(std::string_view key, std::optional<std::uint64_t>& into) {
        if (stored_text(from_, key) != nullptr) number(key, into.emplace());
    }
    void fraction(std::string_view key, std::optional<trace::fraction>& into) {
        const std::string* const text = stored_text(from_, key);
        if (text == nullptr) return;
        const std::size_t point = text->find('.');
        if (point == std::string::npos || text->size() - point != 7 ||
            !trace::parse_number(text->substr(0, point) + text->substr(point + 1), into.emplace().millionths))
            fail(key, "a number with six decimals");
    }
    void real(std::string_view key, std::optional<double>& target) {
        std::optional<trace::fraction> value;
        fraction(key, value);
        if (value) target = static_cast<double>(value->millionths) / 1e6;
    }
    void truth(std::string_view key, bool& into) {
        const std::string* const text = stored_text(from_, key);
        into = text != nullptr && *text == "true";
        if (text == nullptr || (!into && *text != "false")) fail(key, "true or false");
    }
    void digest(std::string_view key, std::uint64_t& into) {
        const std::string* const text = stored_text(from_, key);
        if (text == nullptr ||
            std::from_chars(text->data(), text->data() + text->size(), into, 16).ptr != text->data() + text->size())
            fail(key, "16 hexadecimal digits");
    }
    void fail(std::string_view key, const std::string& expected) {
        if (!problem_.empty()) return;
        const std::string* const text = stored_text(from_, key);
        problem_ = filled(texts::stored_figure, {{"found", text == nullptr ? "nothing" : trace::quoted(*text)},
                                                 {"key", std::string(key)},
                                                 {"expected", expected}});
    }
    [[nodiscard]] std::string problem() const { return problem_; }

private:
    const record& from_;
    std::string problem_;
};

void read_counts(figure_reader& reader, trace::figures& figures) {
    reader.number("oom_with_enough_free", figures.oom_with_enough_free);
    reader.number("relieved", figures.relieved);
    reader.number("evictions", figures.evictions);
    reader.number("evicted_bytes", figures.evicted_bytes);
    reader.number("reloads", figures.reloads);
    reader.number("reload_us", figures.reload_us);
    reader.number("moves", figures.moves);
    reader.number("moved_bytes", figures.moved_bytes);
    reader.number("move_us", figures.move_us);
    reader.number("donations_offered", figures.donations_offered);
    reader.number("donations_taken", figures.donations_taken);
    reader.number("donated_bytes", figures.donated_bytes);
}

}  // namespace

const std::string* stored_text(const record& from, std::string_view key) {
    const auto match = std::find_if(from.begin(), from.end(), [&](const field& entry) { return entry.key == key; });
    return match == from.end() || !match->value ? nullptr : &*match->value;
}

std::string read_figures(const record& from, trace::figures& figures) {
    figure_reader reader(from);
    reader.number("capacity_bytes", figures.capacity_bytes);
    reader.number("quantum_bytes", figures.quantum_bytes);
    reader.number("events", figures.events);
    reader.truth("completed", figures.completed);
    reader.number("failed_event", figures.failed_event);
    if (const std::string* const error = stored_text(from, "error")) figures.error = *error;
    reader.number("peak_live_bytes", figures.peak_live_bytes);
    reader.number("footprint_bytes", figures.footprint_bytes);
    reader.fraction("overhead_ratio", figures.overhead_ratio);
    reader.number("min_capacity_bytes", figures.min_capacity_bytes);
    if (const std::string* const how = stored_text(from, "min_search"))
        figures.min_search = *how == "exhaustive" ? trace::search::exhaustive : trace::search::bisection;
    reader.number("min_larger_fails_bytes", figures.min_larger_fails_bytes);
    reader.fraction("fragmentation_mean", figures.fragmentation_mean);
    reader.fraction("fragmentation_worst", figures.fragmentation_worst);
    read_counts(reader, figures);
    reader.digest("placement_digest", figures.placement_digest);
    reader.real("ns_per_event", figures.ns_per_event);
    reader.real("ns_spread", figures.ns_spread);
    if (stored_text(from, "ns_stable") != nullptr) reader.truth("ns_stable", figures.ns_stable.emplace());
    return reader.problem();
}

std::optional<luck> read_luck(const record& from) {
    luck needs;
    for (const auto& [key, target] :
         {std::pair{"needs_least_bytes", &needs.least}, std::pair{"needs_median_bytes", &needs.median},
          std::pair{"needs_most_bytes", &needs.most}, std::pair{"needs_workloads", &needs.workloads}}) {
        const std::string* const text = stored_text(from, key);
        if (text == nullptr || !trace::parse_number(*text, *target)) return std::nullopt;
    }
    return needs;
}

namespace {

/// Reads options from words. Returns the error, or an empty text.
std::string read_words(std::vector<std::string> words, options& target) {
    words.insert(words.begin(), "hbm_compare");
    std::vector<char*> pointers;
    for (std::string& entry : words) pointers.push_back(entry.data());
    return read_options(static_cast<int>(pointers.size()), pointers.data(), target);
}

/// Joins the options of the shards' command with those next to `merge`. Returns the error, or an empty text.
/// A shard is a file from anywhere: only the user names files to be written.
std::string join_options(const options& settings, const shard_head& head, options& given_options) {
    options of_shards;
    if (std::string problem = read_words(head.arguments, of_shards); !problem.empty()) return problem;
    if (std::string problem = find_beside_shard(of_shards); !problem.empty()) return problem;
    if (!of_shards.output.empty()) return filled(texts::option_beside_shard, {{"option", "-o"}});
    std::vector<std::string> words = head.arguments;
    for (const auto& [name, value] : settings.given) {
        if (name == "merge") continue;
        words.push_back(name);
        if (const option_rule* const rule = find_rule(name); rule != nullptr && !rule->value.empty())
            words.push_back(value);
    }
    if (std::string problem = read_words(words, given_options); !problem.empty()) return problem;
    given_options.merge = settings.merge;
    given_options.traces = settings.traces;
    if (!settings.has_format && !settings.recommend && !settings.wide) given_options.format = output_format::json;
    return given_options.sweep.empty() ? std::string{} : read_sweep(given_options);
}

/// Returns an error message if workloads or managers have changed since the shards were made, else an empty text.
std::string find_changed(const options& settings, const selection& chosen, const shard_head& head) {
    std::vector<sweep_point> points;
    std::vector<std::string> warnings;
    if (std::string problem = all_points(settings, points, warnings); !problem.empty()) return problem;
    options given_options = settings;
    given_options.shard = static_cast<std::size_t>(head.index);
    given_options.shards = static_cast<std::size_t>(head.count);
    shard_head here;
    if (std::string problem = describe_shard(given_options, chosen, points, here); !problem.empty()) return problem;
    if (here.version != head.version)
        return filled(texts::merged_version, {{"found", head.version}, {"expected", here.version}});
    if (here.managers != head.managers || here.all_rows != head.all_rows || here.inputs.size() != head.inputs.size())
        return filled(texts::merged_managers, {{"command", command_of(head)}});
    for (std::size_t at = 0; at < here.inputs.size(); ++at)
        if (here.inputs[at] != head.inputs[at])
            return filled(texts::merged_input, {{"file", here.inputs[at].first},
                                                {"found", here.inputs[at].second},
                                                {"expected", head.inputs[at].second}});
    return {};
}

/// Returns an error message if a row fails at no event of its workload, or with no error, else an empty text.
std::string find_contradiction(const record& from, const trace::figures& figures, std::size_t events) {
    figure_reader reader(from);
    if (figures.completed == figures.failed_event.has_value())
        reader.fail("failed_event", figures.completed ? "nothing in a row that is completed" : "the event that failed");
    if (figures.failed_event && *figures.failed_event >= events)
        reader.fail("failed_event", "one of " + trace::decimal(events) + " events");
    if (figures.completed == figures.error.has_value())
        reader.fail("error", figures.completed ? "nothing in a row that is completed" : "the error");
    return reader.problem();
}

/// Restores a workload from the figures of its rows: a row for each manager, in list order. Returns the error, or an
/// empty text.
std::string restore_one(const scenario& load, const selection& chosen, std::span<const record> rows,
                        comparison& compared) {
    const sharing shared = share(chosen, load);
    compared.in = &load;
    compared.cell_of = shared.cell_of;
    compared.cells.resize(shared.first.size());
    for (std::size_t at = 0; at < chosen.managers.size(); ++at) {
        cell& to = compared.cells[shared.cell_of[at]];
        if (to.with != nullptr) continue;
        trace::figures figures;
        if (std::string problem = read_figures(rows[at], figures); !problem.empty()) return problem;
        if (std::string problem = find_contradiction(rows[at], figures, load.load.rows.size()); !problem.empty())
            return problem;
        to = known_cell(*chosen.managers[at], load, figures);
        to.needs = read_luck(rows[at]);
    }
    return {};
}

std::string restore_workloads(const merged_shards& from, merged_comparison& target) {
    std::vector<std::string> warnings;  // each shard gave them
    if (std::string problem = find_changed(target.asked, target.managers.who, from.head); !problem.empty())
        return problem;
    return gather_workloads(target.asked, target.scenarios, warnings);
}

}  // namespace

std::string restore(const options& settings, std::span<const manager_entry> own, const merged_shards& from,
                    merged_comparison& target) {
    if (std::string problem = join_options(settings, from.head, target.asked); !problem.empty()) return problem;
    if (std::string problem = choose_managers(target.asked, own, target.managers); !problem.empty()) return problem;
    if (const std::string problem = restore_workloads(from, target); !problem.empty())
        return filled(texts::merge_remedy, {{"error", problem}});
    const std::size_t width = target.managers.who.managers.size();
    if (target.scenarios.size() * width != from.rows.size())
        return filled(texts::merge_remedy,
                      {{"error", filled(texts::merged_rows, {{"found", from.rows.size()},
                                                             {"expected", target.scenarios.size() * width}})}});
    for (std::size_t at = 0; at < target.scenarios.size(); ++at) {
        const std::span<const record> rows = std::span(from.rows).subspan(at * width, width);
        if (std::string problem =
                restore_one(target.scenarios[at], target.managers.who, rows, target.compared.emplace_back());
            !problem.empty())
            return problem;
    }
    return {};
}

}  // namespace hbm::compare
