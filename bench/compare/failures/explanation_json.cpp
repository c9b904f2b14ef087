#include <hbm/explain/explanation.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "compare/failures/on_oom.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm {

namespace {

void add_block(json_writer& json, const named_block& named) {
    constexpr const char* kinds[] = {"hole", "buffer", "code", "scratch", "reservation", "freed"};
    json.begin_object();
    json.field("name", named.name);
    json.field("kind", kinds[static_cast<std::size_t>(named.block.kind)]);
    json.field("offset_bytes", named.block.where.offset);
    json.field("size_bytes", named.block.where.size);
    json.field("pins", named.block.pins);
    json.field("runs", named.block.holds);
    json.field("may_move", named.may_move);
    json.end_object();
}

void add_advice(json_writer& json, const named_advice& given, std::uint64_t unmanaged) {
    constexpr const char* kinds[] = {"wait", "evict", "move"};
    const advice& answer = given.what;
    const bool at_once = !answer.ask_for && !answer.capacity;
    json.begin_object();
    json.field("nanoseconds", at_once ? std::optional{answer.nanoseconds()} : std::nullopt);
    json.array("unpin", given.unpinned, [&](const named_block& pinned) { add_block(json, pinned); });
    json.begin_array("steps");
    for (std::size_t i = 0; i < answer.steps.steps.size(); ++i) {
        const step& next = answer.steps.steps[i];
        const bool moves = next.what == step_kind::move;
        json.begin_object();
        json.field("what", kinds[static_cast<std::size_t>(next.what)]);
        json.field("name", given.steps[i].name);
        json.field("from_bytes", moves ? std::optional{next.from} : std::nullopt);
        json.field("to_bytes", moves ? std::optional{next.to} : std::nullopt);
        json.field("until_fence", next.what == step_kind::wait ? std::optional{next.to} : std::nullopt);
        json.field("size_bytes", next.bytes);
        json.field("nanoseconds", next.nanoseconds);
        json.end_object();
    }
    json.end_array();
    json.values("donate", answer.donate);
    json.field("ask_for_bytes", answer.ask_for);
    json.field("capacity_bytes", answer.capacity ? std::optional{*answer.capacity + unmanaged} : std::nullopt);
    json.field("more_bytes", answer.capacity ? std::optional{given.more_bytes} : std::nullopt);
    json.field("is_exact", given.is_exact);
    json.end_object();
}

}  // namespace

std::string to_json(const explanation& answer) {
    constexpr const char* obstacles[] = {"none", "call", "capped_bottom", "scattered", "too_little_free"};
    constexpr const char* conclusions[] = {"found", "none_found", "not_enough_bytes", "walls", "no_arrangement"};
    static_assert(std::size(obstacles) == static_cast<std::size_t>(obstacle::too_little_free) + 1);
    static_assert(std::size(conclusions) == static_cast<std::size_t>(remedy_status::no_arrangement) + 1);
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-explanation/1");
    json.field("message", answer.message);
    json.field("cause", obstacles[static_cast<std::size_t>(answer.main_obstacle)]);
    json.field("requested_bytes", answer.why.requested);
    json.field("free_bytes", answer.why.free);
    json.field("largest_free_bytes", answer.why.largest_free);
    json.field("shortfall_bytes", answer.shortfall);
    json.array("culprits", answer.culprits, [&](const named_block& culprit) { add_block(json, culprit); });
    json.field("verdict", conclusions[static_cast<std::size_t>(answer.conclusion)]);
    json.field("missing_after_everything_bytes", answer.missing);
    const bool is_known = answer.lower_bound != 0 && answer.lower_bound != ~std::uint64_t{0};
    json.field("nothing_under_nanoseconds", is_known ? std::optional{answer.lower_bound} : std::nullopt);
    json.field("effort_looks", answer.effort);
    json.field("ended_by_effort", answer.ended_by_effort);
    json.array("remedies", answer.remedies,
               [&](const named_advice& given) { add_advice(json, given, answer.unmanaged); });
    json.end_object();
    return json.text();
}

}  // namespace hbm
