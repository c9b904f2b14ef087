#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/answers/serving/pool.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/share.hpp"

namespace hbm::compare {

namespace {

void add_device(json_writer& json, const memory_spec& device) {
    json.key("device");
    std::string_view(device.name) == "custom" ? json.null() : json.value(device.name);
    json.field("capacity_bytes", device.capacity);
}

/// Adds a pool, and the share of the device that servers are configured with; null if no pool fits.
void add_pool(json_writer& json, const memory_spec& device, const largest_pool& pool) {
    const bool has_pool = pool.running != 0;
    json.field("pool_bytes", has_pool ? std::optional(pool.running) : std::nullopt);
    json.key("utilization");
    has_pool ? json.literal(share_in_words(share_in_thousandths(device, pool.weights, pool.running))) : json.null();
}

void add_program(json_writer& json, const served_program& program) {
    const auto known = [&](std::uint64_t bytes) {
        return program.has_failed && bytes == 0 ? std::nullopt : std::optional(bytes);
    };
    json.begin_object();
    json.field("name", program.name);
    json.field("has_failed", program.has_failed);
    json.field("scratch_bytes", known(program.scratch));
    json.field("code_bytes", known(program.code));
    json.field("missing_bytes",
               program.has_failed && program.missing != 0 ? std::optional(program.missing) : std::nullopt);
    json.end_object();
}

}  // namespace

std::string serving_json(const serving_answer& answer) {
    const served_memory& memory = answer.memory;
    const largest_pool pool = memory.weights ? pool_in(answer.device, memory) : largest_pool{};
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-serve/1");
    add_device(json, answer.device);
    json.field("is_assumed", answer.is_assumed);
    json.field("weights_bytes", memory.weights);
    json.text_or_null("weights", answer.weights_source);
    add_pool(json, answer.device, pool);
    json.field("missing_bytes", memory.weights ? std::optional(pool.missing) : std::nullopt);
    const std::uint64_t excess = excess_on_device(answer);
    json.field("pool_excess_bytes", !memory.weights && excess != 0 ? std::optional(excess) : std::nullopt);
    json.array("programs", load_order(memory.programs),
               [&](const std::size_t at) { add_program(json, memory.programs[at]); });
    const memory_spec* const next = memory.weights ? next_larger(answer.device) : nullptr;
    json.key("next_device");
    if (next != nullptr) {
        json.begin_object();
        add_device(json, *next);
        add_pool(json, *next, pool_in(*next, memory));
        json.end_object();
    } else {
        json.null();
    }
    json.values("notes", answer.notes);
    json.end_object();
    return json.text() + "\n";
}

}  // namespace hbm::compare
