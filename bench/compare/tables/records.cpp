#include "compare/tables/records.hpp"

#include <hbm/explain/json_writer.hpp>

#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

/// Builder of a record, with its fields in the documented order.
class record_maker {
public:
    void text(std::string_view key, std::string value) { made_.push_back({std::string(key), std::move(value), true}); }
    void text(std::string_view key, const std::optional<std::string>& value) {
        made_.push_back({std::string(key), value, true});
    }
    void number(std::string_view key, std::uint64_t value) {
        made_.push_back({std::string(key), std::to_string(value), false});
    }
    void number(std::string_view key, const std::optional<std::uint64_t>& value) {
        made_.push_back({std::string(key), value ? std::optional(std::to_string(*value)) : std::nullopt, false});
    }
    template <class Real>
    void real(std::string_view key, const std::optional<Real>& value) {
        made_.push_back({std::string(key), value ? std::optional(six_decimals(*value)) : std::nullopt, false});
    }
    void truth(std::string_view key, std::optional<bool> value) {
        made_.push_back({std::string(key), value ? std::optional(*value ? "true" : "false") : std::nullopt, false});
    }

    void axis(const axis_value& each) { made_.push_back({each.key, each.value, each.is_text}); }

    [[nodiscard]] record finish() { return std::move(made_); }

private:
    record made_;
};

std::optional<std::string> search_name(const std::optional<trace::search>& how) {
    if (!how) return std::nullopt;
    return *how == trace::search::bisection ? "bisection" : "exhaustive";
}

/// Returns the place of a scenario in a sweep.
std::vector<axis_value> axes_of(const sweep_point& at, axis_keys keys) {
    if (keys == axis_keys::swept) return at.swept;
    std::vector<axis_value> made;
    made.push_back({"capacity_asked", at.capacity.text.empty() ? std::nullopt : std::optional(at.capacity.text), true});
    made.push_back({"seed",
                    at.what == sweep_point::kind::generated ? std::optional(std::to_string(at.seed)) : std::nullopt,
                    false});
    return made;
}

/// Adds the figures of the packing of a workload, and of a manager compared with it.
void add_offline(record_maker& made, const scenario& in, const trace::figures& found,
                 const std::optional<offline_figures>& offline) {
    using number = std::optional<std::uint64_t>;
    made.number("offline_bytes", offline ? number(offline->bytes) : std::nullopt);
    made.number("offline_bound_bytes", offline ? number(offline->bound_bytes) : std::nullopt);
    made.number("fate_bytes", offline ? number(offline->fate_bytes(in)) : std::nullopt);
    made.number("not_knowing_bytes", offline ? offline->not_knowing_bytes(in, found) : std::nullopt);
}

/// Adds the needs of a manager over variants of the workload.
void add_luck(record_maker& fields, const std::optional<luck>& needs) {
    using number = std::optional<std::uint64_t>;
    fields.number("needs_least_bytes", needs ? number(needs->least) : std::nullopt);
    fields.number("needs_median_bytes", needs ? number(needs->median) : std::nullopt);
    fields.number("needs_most_bytes", needs ? number(needs->most) : std::nullopt);
    fields.number("needs_workloads", needs ? number(needs->workloads) : std::nullopt);
}

record make_record(const scenario& in, const manager_entry& who, const cell& taken, axis_keys keys,
                   const std::optional<offline_figures>& offline) {
    const trace::figures& found = taken.found;
    record_maker made;
    made.text("workload", in.load.name);
    made.text("manager", std::string(who.name));
    made.number("capacity_bytes", found.capacity_bytes);
    made.number("quantum_bytes", in.device.quantum);
    for (const axis_value& each : axes_of(in.at, keys)) made.axis(each);
    made.number("events", in.load.rows.size());
    made.truth("completed", found.completed);
    made.number("failed_event", found.failed_event);
    made.text("error", found.error);
    made.number("peak_live_bytes", found.peak_live_bytes);
    made.number("footprint_bytes", found.footprint_bytes);
    made.real("overhead_ratio", found.overhead_ratio);
    made.number("min_capacity_bytes", found.min_capacity_bytes);
    made.text("min_search", search_name(found.min_search));
    made.number("min_larger_fails_bytes", found.min_larger_fails_bytes);
    made.real("fragmentation_mean", found.fragmentation_mean);
    made.real("fragmentation_worst", found.fragmentation_worst);
    made.number("oom_with_enough_free", found.oom_with_enough_free);
    made.number("relieved", found.relieved);
    made.number("evictions", found.evictions);
    made.number("evicted_bytes", found.evicted_bytes);
    made.number("reloads", found.reloads);
    made.number("reload_us", found.reload_us);
    made.number("moves", found.moves);
    made.number("moved_bytes", found.moved_bytes);
    made.number("move_us", found.move_us);
    made.number("donations_offered", found.donations_offered);
    made.number("donations_taken", found.donations_taken);
    made.number("donated_bytes", found.donated_bytes);
    made.text("placement_digest", sixteen_digits(found.placement_digest));
    made.real("ns_per_event", found.ns_per_event);
    made.real("ns_spread", found.ns_spread);
    made.truth("ns_stable", found.ns_stable);
    add_offline(made, in, found, offline);
    add_luck(made, taken.needs);
    return made.finish();
}

}  // namespace

std::vector<record> all_records(const std::vector<comparison>& of, const selection& who, axis_keys keys) {
    std::vector<record> all;
    for (const comparison& each : of)
        for (std::size_t at = 0; at < who.managers.size(); ++at)
            all.push_back(make_record(*each.in, *who.managers[at], each.cells[each.cell_of[at]], keys, each.offline));
    return all;
}

void add_cell(std::string& into, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        into += text;
        return;
    }
    into += '"';
    for (const char each : text) into.append(each == '"' ? 2 : 1, each);
    into += '"';
}

std::string csv_text(const std::vector<record>& all) {
    std::string text;
    if (all.empty()) return text;
    for (const field& column : all.front()) (text += text.empty() ? "" : ",") += column.key;
    text += '\n';
    for (const record& each : all) {
        for (const field& column : each) {
            if (&column != &each.front()) text += ',';
            if (column.value) add_cell(text, *column.value);
        }
        text += '\n';
    }
    return text;
}

namespace {

std::string record_text(const record& each) {
    json_writer json;
    json.begin_object();
    for (const field& member : each) {
        json.key(member.key);
        if (!member.value)
            json.null();
        else if (member.is_text)
            json.value(*member.value);
        else
            json.literal(*member.value);
    }
    json.end_object();
    return json.text();
}

}  // namespace

std::string json_text(const std::vector<record>& all, const beside_rows& more) {
    std::string text = "{\"schema\":\"hbm-compare/1\",";
    if (!more.interrupted.empty()) (text += "\"interrupted\":").append(more.interrupted) += ",\n";
    if (!more.shard.empty()) (text += "\"shard\":").append(more.shard) += ",\n";
    text += "\"rows\":[";
    for (const record& each : all) (text += &each == &all.front() ? "\n" : ",\n") += record_text(each);
    text += "\n]";
    if (!more.recommendation.empty()) (text += ",\n\"recommendation\":").append(more.recommendation);
    return text + "}\n";
}

}  // namespace hbm::compare
