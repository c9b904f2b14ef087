#include <cstddef>
#include <optional>
#include <string>

#include "compare/answers/batches/fit.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::compare {

namespace {

void add_sample(json_writer& json, const batch_sample& sample) {
    json.begin_object();
    json.field("batch", sample.batch);
    json.field("file", sample.file);
    json.text_or_null("program", sample.program);
    json.field("need_bytes", sample.need);
    for (std::size_t at = 0; at < part_names.size(); ++at)
        json.field(std::string(part_names[at]) + "_bytes", sample.parts[at]);
    json.end_object();
}

}  // namespace

std::string batch_json(const batch_fit& fit) {
    const bool is_monotonic = fit.falls.empty();
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-batch/1");
    json.field("capacity_bytes", fit.capacity);
    json.field("batch", fit.batch);
    json.field("is_measured", fit.is_measured);
    json.field("is_monotonic", is_monotonic);
    json.field("is_of_temporaries", fit.of_temporaries);
    json.begin_object("bytes_for_each");
    json.field("need", is_monotonic ? std::optional(fit.need.slope) : std::nullopt);
    for (std::size_t at = 0; at < part_names.size(); ++at)
        json.field(part_names[at], is_monotonic && fit.parts[at] ? std::optional(fit.parts[at]->slope) : std::nullopt);
    json.end_object();
    json.array("samples", fit.samples, [&](const batch_sample& sample) { add_sample(json, sample); });
    json.end_object();
    return json.text() + "\n";
}

}  // namespace hbm::compare
