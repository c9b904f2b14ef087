#include "compare/tables/records.hpp"

#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

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
    void truth(std::string_view key, bool value) {
        made_.push_back({std::string(key), value ? "true" : "false", false});
    }

    [[nodiscard]] record finish() { return std::move(made_); }

private:
    record made_;
};

std::optional<std::string> search_name(const std::optional<trace::search>& how) {
    if (!how) return std::nullopt;
    return *how == trace::search::bisection ? "bisection" : "exhaustive";
}

/// Adds the figures of the packing of a workload, and of a manager compared with it.
void add_offline(record_maker& result, const scenario& load, const trace::figures& figures,
                 const std::optional<offline_figures>& offline) {
    using number = std::optional<std::uint64_t>;
    result.number("offline_bytes", offline ? number(offline->bytes) : std::nullopt);
    result.number("offline_bound_bytes", offline ? number(offline->bound_bytes) : std::nullopt);
    result.number("fate_bytes", offline ? number(offline->fate_bytes(load)) : std::nullopt);
    result.number("not_knowing_bytes", offline ? offline->not_knowing_bytes(load, figures) : std::nullopt);
}

record make_record(const scenario& scene, const manager_entry& manager, const cell& taken,
                   const std::optional<offline_figures>& offline) {
    const trace::figures& figures = taken.found;
    record_maker result;
    result.text("workload", scene.load.name);
    result.text("manager", std::string(manager.name));
    result.number("capacity_bytes", figures.capacity_bytes);
    result.number("quantum_bytes", scene.device.quantum);
    if (scene.at.has_several_capacities)
        result.text("capacity_asked",
                    scene.at.capacity.text.empty() ? std::nullopt : std::optional(scene.at.capacity.text));
    result.number("events", scene.load.rows.size());
    result.truth("completed", figures.completed);
    result.number("failed_event", figures.failed_event);
    result.text("error", figures.error);
    result.number("peak_live_bytes", figures.peak_live_bytes);
    result.number("footprint_bytes", figures.footprint_bytes);
    result.real("overhead_ratio", figures.overhead_ratio);
    result.number("min_capacity_bytes", figures.min_capacity_bytes);
    result.text("min_search", search_name(figures.min_search));
    result.number("min_larger_fails_bytes", figures.min_larger_fails_bytes);
    result.real("fragmentation_mean", figures.fragmentation_mean);
    result.real("fragmentation_worst", figures.fragmentation_worst);
    result.number("oom_with_enough_free", figures.oom_with_enough_free);
    result.number("relieved", figures.relieved);
    result.number("evictions", figures.evictions);
    result.number("evicted_bytes", figures.evicted_bytes);
    result.number("reloads", figures.reloads);
    result.number("reload_us", figures.reload_us);
    result.number("moves", figures.moves);
    result.number("moved_bytes", figures.moved_bytes);
    result.number("move_us", figures.move_us);
    result.number("donations_offered", figures.donations_offered);
    result.number("donations_taken", figures.donations_taken);
    result.number("donated_bytes", figures.donated_bytes);
    result.text("placement_digest", sixteen_digits(figures.placement_digest));
    add_offline(result, scene, figures, offline);
    return result.finish();
}

}  // namespace

std::vector<record> all_records(const std::vector<comparison>& comparisons, const selection& chosen) {
    std::vector<record> all;
    for (const comparison& compared : comparisons)
        for (std::size_t at = 0; at < chosen.managers.size(); ++at)
            all.push_back(make_record(*compared.in, *chosen.managers[at], compared.cells[compared.cell_of[at]],
                                      compared.offline));
    return all;
}

void add_cell(std::string& target, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        target += text;
        return;
    }
    target += '"';
    for (const char letter : text) target.append(letter == '"' ? 2 : 1, letter);
    target += '"';
}

std::string csv_text(const std::vector<record>& all) {
    std::string text;
    if (all.empty()) return text;
    for (const field& column : all.front()) (text += text.empty() ? "" : ",") += column.key;
    text += '\n';
    for (const record& row : all) {
        for (const field& column : row) {
            if (&column != &row.front()) text += ',';
            if (column.value) add_cell(text, *column.value);
        }
        text += '\n';
    }
    return text;
}

namespace {

std::string record_text(const record& row) {
    json_writer json;
    json.begin_object();
    for (const field& member : row) {
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
    text += "\"rows\":[";
    for (const record& row : all) (text += &row == &all.front() ? "\n" : ",\n") += record_text(row);
    return text + "\n]}\n";
}

}  // namespace hbm::compare
