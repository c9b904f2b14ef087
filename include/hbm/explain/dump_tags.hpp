#pragma once

#include <hbm/events/allocation_ages.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/state/memory_view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

namespace detail {

/// Returns the first `most` tags: growing tags first, the fastest first, then by bytes, then by name.
[[nodiscard]] inline shown_items<dumped_tag> shown_tags(std::vector<dumped_tag> tags, std::size_t most) {
    shown_items<dumped_tag> list;
    list.count = tags.size();
    for (const dumped_tag& entry : tags) list.bytes += entry.bytes;
    std::sort(tags.begin(), tags.end(), [](const dumped_tag& a, const dumped_tag& b) {
        const std::uint64_t rates[] = {a.micro_bytes_a_step.value_or(0), b.micro_bytes_a_step.value_or(0)};
        if (rates[0] != rates[1]) return rates[0] > rates[1];
        if (a.bytes != b.bytes) return a.bytes > b.bytes;
        return std::pair{!a.is_programs, a.name} < std::pair{!b.is_programs, b.name};
    });
    tags.resize(std::min(tags.size(), most));
    list.items = std::move(tags);
    return list;
}

/// Returns the bytes of the buffers of each tag (label of the user), and of the code of all programs. Entries have no
/// ages if `ages` is null.
template <class Quanta>
[[nodiscard]] shown_items<dumped_tag> tags_of(const memory_view<Quanta>& memory, const allocation_ages* ages,
                                              const growth_by_tag* growth, std::size_t most) {
    std::map<std::size_t, dumped_tag> all;  // 0: programs; else a tag has its number plus 1
    const auto& map = memory.map();
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        const block_kind kind = map.kind(block);
        const bool is_buffer = kind == block_kind::data || kind == block_kind::deferred;
        if (!is_buffer && kind != block_kind::code) continue;
        const auto label = static_cast<tag>(map.owner(block));
        const std::size_t number = is_buffer ? std::size_t{map.owner(block)} + 1 : 0;
        dumped_tag& its = all[number];
        if (its.blocks == 0) {
            its.is_programs = !is_buffer;
            if (is_buffer) its.name = memory.name_of(label);
            if (growth != nullptr && number < growth->tally().most_tags()) {  // tags from there on share an entry
                const auto& grows = (is_buffer ? (*growth)[label] : growth->programs()).series.growing();
                its.micro_bytes_a_step = grows ? grows->micro_bytes_a_step() : 0;
                its.since_step = grows ? grows->since : 0;
            }
        }
        its.bytes += memory.where(block).size;
        ++its.blocks;
        std::optional<std::uint64_t> age;
        if (growth != nullptr) age = growth->age(block);
        if (!age && ages != nullptr)
            if (const std::optional<allocation_age> known = ages->age(block)) age = known->runs;
        if (age) its.oldest_steps = std::max(its.oldest_steps.value_or(0), *age);
    }
    std::vector<dumped_tag> tags;
    for (auto& [number, its] : all) tags.push_back(std::move(its));
    return shown_tags(std::move(tags), most);
}

}  // namespace detail

}  // namespace hbm::inline v0
