#include <cstddef>
#include <optional>

#include "compare/growth/growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm {

namespace {

void add_moment(json_writer& json, const char* key, const tag_moment& moment) {
    json.begin_object(key);
    json.field("bytes", moment.bytes);
    json.field("blocks", moment.count);
    json.field("oldest_steps", moment.oldest_steps);
    json.end_object();
}

void add_rate(json_writer& json, const growth_summary& summary, const std::optional<growth_forecast>& growth) {
    const bool by_time = summary.unit == growth_unit::times;
    json.literal(by_time ? "bytes_an_hour" : "bytes_a_step",
                 compare::six_decimals(trace::fraction{growth ? summary.micro_rate(*growth) : 0}));
    json.field("since_step", growth ? std::optional(summary.position(growth->since)) : std::nullopt);
    json.field("noticed_step", growth ? std::optional(summary.position(growth->noticed)) : std::nullopt);
}

void add_tag(json_writer& json, const growth_summary& summary, const tag_growth& tag) {
    const bool is_withheld = summary.is_instant || summary.marks_no_steps;
    json.begin_object();
    json.field("name", tag.name);
    json.field("kind", tag.is_programs ? "programs" : tag.is_several ? "several" : "tag");
    add_rate(json, summary, is_withheld ? std::nullopt : tag.growth);
    json.field("risen_bytes", is_withheld ? 0 : tag.risen_bytes);
    json.field("most_bytes", tag.most);
    add_moment(json, "at_peak", tag.at_peak);
    add_moment(json, "at_end", tag.at_end);
    json.end_object();
}

/// Adds a change as an object with the fields that `add` writes; null if it is empty or withheld.
template <class Change, class Add>
void add_change(json_writer& json, const char* key, const std::optional<Change>& change, bool is_withheld, Add add) {
    json.key(key);
    if (!change || is_withheld) return json.null();
    json.begin_object();
    add(*change);
    json.end_object();
}

}  // namespace

std::string to_json(const growth_summary& summary) {
    const bool is_withheld = summary.is_instant || summary.marks_no_steps;
    const std::optional<growth_forecast> growth = is_withheld ? std::nullopt : summary.headline();
    constexpr const char* units[] = {"step", "number", "microsecond"};
    json_writer json;
    json.begin_object();
    json.field("source", summary.source);
    json.field("verdict", is_withheld                            ? "withheld"
                          : summary.seen() < fewest_growth_steps ? "too_short"
                          : growth                               ? "growth"
                          : summary.is_unproven()                ? "unproven"
                          : summary.spike                        ? "spike"
                                                                 : "none");
    json.key("withheld");
    is_withheld ? json.value(summary.is_instant ? "an_instant" : "no_steps_marked") : json.null();
    json.field("sentence", sentence(summary));
    json.field("step_name", summary.step_name);
    json.field("unit", units[static_cast<std::size_t>(summary.unit)]);
    json.field("rows_a_step", summary.rows_a_step == 0 ? std::nullopt : std::optional(summary.rows_a_step));
    json.field("steps", summary.seen());
    json.field("capacity_bytes", summary.capacity);
    json.field("scratch_bytes", std::uint64_t{0});
    json.field("peak_bytes", summary.peak_bytes);
    json.field("peak_step", summary.position(summary.peak_step));
    json.field("end_bytes", summary.end_bytes);
    if (summary.is_instant) json.field("granted_bytes", summary.granted_bytes);
    json.key("growth");
    if (growth) {
        json.begin_object();
        json.field("of_all", summary.growth.has_value());
        add_rate(json, summary, growth);
        json.field("floor_bytes", growth->floor_bytes);
        json.field("top_bytes", growth->top_bytes);
        json.field("end_step", summary.capacity && summary.passed_step
                                   ? std::optional(summary.position(*summary.passed_step))
                               : summary.capacity ? std::optional(summary.position(growth->end_step(*summary.capacity)))
                                                  : std::nullopt);
        const bool is_ahead = summary.capacity && !summary.passed_step;
        const std::uint64_t latest = is_ahead ? growth->latest_end_step(*summary.capacity) : 0;
        json.field("earliest_end_step",
                   is_ahead ? std::optional(summary.position(growth->earliest_end_step(*summary.capacity)))
                            : std::nullopt);
        json.field("latest_end_step",
                   is_ahead && latest != ~std::uint64_t{0} ? std::optional(summary.position(latest)) : std::nullopt);
        const bool may_evict = summary.capacity && summary.evicting;
        json.field("end_step_evicting",
                   may_evict ? std::optional(summary.position(summary.evicting->end_step(*summary.capacity)))
                             : std::nullopt);
        const tag_growth* const culprit = summary.culprit();
        json.key("tag");
        culprit != nullptr && !culprit->is_programs && !culprit->is_several ? json.value(culprit->name) : json.null();
        json.end_object();
    } else {
        json.null();
    }
    add_change(json, "spike", summary.spike, is_withheld, [&](const growth_spike& spike) {
        json.field("step", summary.position(spike.step));
        json.field("bytes", spike.bytes);
        json.field("usual_bytes", spike.usual_bytes);
    });
    add_change(json, "jump", summary.jump, is_withheld, [&](const growth_jump& jump) {
        json.field("step", summary.position(jump.step));
        json.field("risen_bytes", jump.risen_bytes);
    });
    add_change(json, "rise", summary.rise, is_withheld, [&](const growth_rise& rise) {
        json.field("began_bytes", rise.began_bytes);
        json.field("ended_bytes", rise.ended_bytes);
    });
    add_change(json, "gap", summary.gap, is_withheld, [&](const growth_gap& gap) {
        json.field("begin_step", summary.position(gap.begin));
        json.field("end_step", summary.position(gap.end));
        json.field("risen_bytes", gap.risen_bytes);
    });
    json.key("tags");
    if (summary.has_tags) {
        json.array(summary.tags, [&](const tag_growth& tag) { add_tag(json, summary, tag); });
    } else {
        json.null();
    }
    json.end_object();
    return json.text();
}

}  // namespace hbm
