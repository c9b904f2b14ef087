#pragma once

#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/state/memory_view.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

class growth_by_tag;

namespace detail {

/// Access to an observer `growth_by_tag` without its header.
struct growth_facts {
    /// Growth of a tag; the slope is 0 if it does not grow.
    struct growth {
        std::uint64_t micro_bytes_a_step = 0;
        std::uint64_t since_step = 0;
    };

    const void* observer = nullptr;
    growth (*of)(const void* observer, bool is_programs, tag label) = nullptr;
    std::optional<std::uint64_t> (*age)(const void* observer, block_index block) = nullptr;
};

template <class Part, class Events>
inline constexpr bool holds_observer = std::same_as<Part, Events>;
template <class Part, class... Parts>
inline constexpr bool holds_observer<Part, observers<Parts...>> = (holds_observer<Part, Parts> || ...);

template <class Growth>
[[nodiscard]] growth_facts facts_from(const Growth* observer) {
    return {.observer = observer,
            .of = [](const void* seen, bool is_programs, tag label) -> growth_facts::growth {
                const auto& growth = *static_cast<const Growth*>(seen);
                const auto& grows = (is_programs ? growth.programs() : growth[label]).series.growing();
                if (!grows) return {};
                return {grows->micro_bytes_a_step(), grows->since};
            },
            .age = [](const void* seen, block_index block) { return static_cast<const Growth*>(seen)->age(block); }};
}

/// Returns the growth facts in `events`; empty without an observer `growth_by_tag`.
template <class Events>
[[nodiscard]] growth_facts growth_facts_of(const Events& events) {
    if constexpr (holds_observer<growth_by_tag, Events>)
        return facts_from(observer_in<growth_by_tag>(events));
    else
        return {};
}

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
                                              const growth_facts& growth, std::size_t most) {
    std::vector<dumped_tag> all;           // programs, then one entry per tag
    std::vector<std::size_t> place_of(1);  // index in the list plus 1, by tag; 0: absent
    const auto entry = [&](std::size_t number) -> dumped_tag& {
        if (number >= place_of.size()) place_of.resize(number + 1);
        if (place_of[number] == 0) {
            all.emplace_back();
            place_of[number] = all.size();
        }
        return all[place_of[number] - 1];
    };
    const auto& map = memory.map();
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        const block_kind kind = map.kind(block);
        const bool is_buffer = kind == block_kind::data || kind == block_kind::deferred;
        if (!is_buffer && kind != block_kind::code) continue;
        const auto label = static_cast<tag>(map.owner(block));
        const std::size_t number = is_buffer ? std::size_t{map.owner(block)} + 1 : 0;
        dumped_tag& its = entry(number);
        if (its.blocks == 0) {
            its.is_programs = !is_buffer;
            if (is_buffer) its.name = memory.name_of(label);
            if (growth.observer != nullptr) {
                const growth_facts::growth grows = growth.of(growth.observer, !is_buffer, label);
                its.micro_bytes_a_step = grows.micro_bytes_a_step;
                its.since_step = grows.since_step;
            }
        }
        its.bytes += memory.where(block).size;
        ++its.blocks;
        std::optional<std::uint64_t> age;
        if (growth.observer != nullptr) age = growth.age(growth.observer, block);
        if (!age && ages != nullptr)
            if (const std::optional<allocation_age> known = ages->age(block)) age = known->runs;
        if (age) its.oldest_steps = std::max(its.oldest_steps.value_or(0), *age);
    }
    return shown_tags(std::move(all), most);
}

}  // namespace detail

}  // namespace hbm::inline v0
