#include <hbm/explain/json_writer.hpp>

#include "compare/tables/records.hpp"

namespace hbm::compare {

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
