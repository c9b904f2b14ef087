#include "compare/answers/states/state.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "compare/answers/states/texts.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace texts = change_texts;

namespace {

std::uint64_t sum_of(const memory_contents& contents) {
    std::uint64_t sum = 0;
    for (const auto& [name, blocks] : contents.blocks) sum = saturating_add(sum, blocks.bytes);
    return sum;
}

/// Returns `new`, `grew`, `shrank`, `went`, or `same` if only the count differs.
std::string_view kind_of(const block_change& change) {
    if (change.count_before == 0) return "new";
    if (change.count == 0) return "went";
    return change.now > change.before ? "grew" : change.now < change.before ? "shrank" : "same";
}

/// Returns a row: the kind, the change in bytes and in blocks, the name.
std::vector<std::string> row_of(const block_change& change) {
    return {std::string(kind_of(change)), (change.now < change.before ? "-" : "+") + size_in_words(change.distance()),
            filled(texts::counts,
                   {{"before", grouped_digits(change.count_before)}, {"blocks", counted(change.count, "block")}}),
            change.name.empty() ? std::string(texts::no_tag) : change.name};
}

/// Returns the sentence on the total.
std::string total_of(const memory_contents& before, const memory_contents& now) {
    const std::uint64_t then_bytes = sum_of(before);
    const std::uint64_t now_bytes = sum_of(now);
    return filled(
        now_bytes == then_bytes  ? texts::as_much
        : now_bytes > then_bytes ? texts::more
                                 : texts::fewer,
        {{"now", now.file},
         {"before", before.file},
         {"difference", size_in_words(now_bytes > then_bytes ? now_bytes - then_bytes : then_bytes - now_bytes)},
         {"now_bytes", size_in_words(now_bytes)},
         {"before_bytes", size_in_words(then_bytes)}});
}

/// Returns the largest rise; null if nothing is new or grew.
const block_change* largest_rise(const std::vector<block_change>& changes) {
    const auto rise = std::find_if(changes.begin(), changes.end(),
                                   [](const block_change& change) { return change.now > change.before; });
    return rise == changes.end() ? nullptr : &*rise;
}

}  // namespace

void memory_contents::add(const std::string& name, std::uint64_t bytes, std::uint64_t count) {
    block_sum& sum = blocks[name];
    sum.bytes = saturating_add(sum.bytes, bytes);
    sum.count = saturating_add(sum.count, count);
}

std::vector<block_change> changes_between(const memory_contents& before, const memory_contents& now) {
    std::map<std::string, block_change> all;
    for (const auto& [name, sum] : before.blocks) all[name] = {name, sum.bytes, 0, sum.count, 0};
    for (const auto& [name, sum] : now.blocks) {
        block_change& change = all[name];
        change.name = name;
        change.now = sum.bytes;
        change.count = sum.count;
    }
    std::vector<block_change> result;
    for (auto& [name, change] : all)
        if (change.before != change.now || change.count_before != change.count) result.push_back(std::move(change));
    std::sort(result.begin(), result.end(), [](const block_change& left, const block_change& right) {
        return left.distance() != right.distance() ? left.distance() > right.distance() : left.name < right.name;
    });
    return result;
}

std::string changes_table(const memory_contents& before, const memory_contents& now) {
    constexpr std::size_t most = 20;
    const std::vector<block_change> changes = changes_between(before, now);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t at = 0; at < std::min(most, changes.size()); ++at) rows.push_back(row_of(changes[at]));
    std::string text = imported::aligned(rows, "  ", true);
    if (changes.size() > most)
        text += filled(texts::more_changes, {{"changes", counted(changes.size() - most, "smaller change")}});
    return text;
}

std::string changes_json(const memory_contents& before, const memory_contents& now) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-before/1");
    for (const auto& [key, contents] : {std::pair{"before", &before}, std::pair{"now", &now}}) {
        json.begin_object(key);
        json.field("file", contents->file);
        json.field("bytes", sum_of(*contents));
        json.end_object();
    }
    json.objects("changes", changes_between(before, now), [&](const block_change& change) {
        json.field("kind", kind_of(change));
        json.field("name", change.name);
        json.field("before_bytes", change.before);
        json.field("now_bytes", change.now);
        json.field("before_count", change.count_before);
        json.field("now_count", change.count);
    });
    json.end_object();
    return json.text() + "\n";
}

std::string changes_text(const memory_contents& before, const memory_contents& now) {
    const std::vector<block_change> changes = changes_between(before, now);
    std::string text = imported::wrapped(total_of(before, now));
    if (changes.empty()) return text + std::string(texts::no_change);
    const block_change* const rise = largest_rise(changes);
    if (rise == nullptr)
        text += imported::wrapped(texts::nothing_rose);
    else
        text += imported::wrapped(
            filled(rise->count_before == 0 ? texts::largest_is_new : texts::largest_grew,
                   {{"name", rise->name.empty() ? std::string(texts::blocks_without_tag) : rise->name},
                    {"bytes", size_in_words(rise->distance())},
                    {"blocks", counted(rise->count, "block")}}));
    return text + std::string(texts::tables[rise == nullptr ? 1 : 0]) + changes_table(before, now);
}

}  // namespace hbm::compare
