#include <hbm/explain/error_table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compare/failures/on_oom.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm {

namespace {

void add_age(json_writer& json, const std::optional<allocation_age>& age) {
    json.key("age");
    if (!age) return json.null();
    json.begin_object();
    json.field("runs", age->runs);
    json.field("events", age->events);
    json.end_object();
}

void add_block(json_writer& json, const dumped_block& block) {
    constexpr const char* kinds[] = {"hole", "buffer", "code", "scratch", "reservation", "freed"};
    json.begin_object();
    json.field("name", block.name);
    json.field("kind", kinds[static_cast<std::size_t>(block.kind)]);
    json.field("offset_bytes", block.where.offset);
    json.field("size_bytes", block.where.size);
    json.field("pins", block.pins);
    json.field("runs", block.runs);
    json.field("until_fence", block.until.number);
    json.field("wall", block.wall);
    json.field("half_moved", block.half_moved);
    add_age(json, block.age);
    json.end_object();
}

void add_tag(json_writer& json, const dumped_tag& tagged) {
    json.begin_object();
    json.field("name", tagged.name);
    json.field("kind", tagged.is_programs ? "programs" : "tag");
    json.field("size_bytes", tagged.bytes);
    json.field("blocks", tagged.blocks);
    json.field("oldest_steps", tagged.oldest_steps);
    json.key("bytes_a_step");
    tagged.micro_bytes_a_step ? json.literal(compare::six_decimals(trace::fraction{*tagged.micro_bytes_a_step}))
                              : json.null();
    const bool grows = tagged.micro_bytes_a_step.value_or(0) != 0;
    json.field("since_step", grows ? std::optional(tagged.since_step) : std::nullopt);
    json.end_object();
}

void add_neighbour(json_writer& json, const char* side, const std::optional<dumped_block>& block) {
    json.key(side);
    block ? add_block(json, *block) : json.null();
}

void add_hole(json_writer& json, const dumped_hole& hole) {
    json.begin_object();
    json.field("offset_bytes", hole.where.offset);
    json.field("size_bytes", hole.where.size);
    add_neighbour(json, "below", hole.below);
    add_neighbour(json, "above", hole.above);
    json.end_object();
}

void add_program(json_writer& json, const dumped_program& program) {
    json.begin_object();
    json.field("name", program.name);
    json.field("loaded", program.loaded);
    json.field("running", program.running);
    json.field("idle", program.idle);
    json.field("uses", program.uses);
    json.field("code_bytes", program.code);
    json.field("scratch_bytes", program.scratch);
    json.field("spilled_bytes", program.spilled);
    json.field("reload_ns", program.reload_nanoseconds);
    json.end_object();
}

/// Adds a list as an object: the count and bytes of all items, and the items that are shown.
template <class Item, class Add>
void add_list(json_writer& json, const char* key, const shown_items<Item>& list, Add add) {
    json.begin_object(key);
    json.field("count", list.count);
    json.field("bytes", list.bytes);
    json.array("shown", list.items, [&](const Item& entry) { add(json, entry); });
    json.end_object();
}

void add_failure(json_writer& json, const allocation_dump& dumped) {
    const failure& why = dumped.why;
    const auto index = [&](const char* key, std::uint32_t value) {
        json.key(key);
        if (value == no_index)
            json.null();
        else
            json.value(std::uint64_t{value});
    };
    json.begin_object("failure");
    json.field("reason", error_name(why.reason));
    json.field("status", status_name(status_of(why.reason)));
    json.field("code", runtime_code(why.reason));
    json.field("name", dumped.name);
    json.field("requested_bytes", why.requested);
    json.field("alignment_bytes", why.alignment);
    json.field("free_bytes", why.free);
    json.field("largest_free_bytes", why.largest_free);
    json.field("reserved_bytes", why.reserved);
    json.field("reservable_bytes", why.reservable);
    json.field("at_the_bottom", why.at_the_bottom);
    json.field("code_bytes", why.code);
    json.field("scratch_bytes", why.scratch);
    index("argument", why.argument);
    index("first_use", why.first_use);
    json.end_object();
}

void add_ledger(json_writer& json, const memory_ledger& ledger) {
    json.begin_object("ledger");
    json.field("capacity_bytes", ledger.capacity);
    json.field("top_reserved_bytes", ledger.top_reserved);
    json.field("allocated_bytes", ledger.allocated);
    json.field("required_bytes", ledger.required);
    json.key("available_bytes");
    json.value(ledger.available().bytes, ledger.available().negative);
    json.end_object();
}

}  // namespace

std::string to_json(const allocation_dump& dumped) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-dump/1");
    json.field("message", dumped.message);
    json.field("device", dumped.device);
    json.field("manager", dumped.manager);
    json.field("quantum_bytes", dumped.quantum);
    add_failure(json, dumped);
    add_ledger(json, dumped.ledger);
    json.field("managed_bytes", dumped.managed);
    json.field("reserved_bytes", dumped.reserved);
    json.field("reservable_bytes", dumped.reservable);
    json.field("blocks_move", dumped.blocks_move);
    json.field("programs_leave", dumped.programs_leave);
    json.field("map", dumped.map);
    add_list(json, "allocations", dumped.allocations, add_block);
    add_list(json, "tags", dumped.tags, add_tag);
    add_list(json, "holes", dumped.holes, add_hole);
    add_list(json, "programs", dumped.programs, add_program);
    json.end_object();
    return json.text();
}

}  // namespace hbm
