#pragma once
// A manager's figures in the text format of Prometheus, version 0.0.4. To paste.
#include <hbm/growth/growth.hpp>
#include <hbm/manager.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace adapters {

/// Returns the value of a label. Prometheus rejects texts that are not UTF-8: names must be.
inline std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char letter : text)
        result += letter == '\n' ? "\\n" : (letter == '"' || letter == '\\' ? "\\" : "") + std::string(1, letter);
    return result + '"';
}

/// Returns the figures of `memory`, and steady growth if `growth` is given. `device` becomes a label of all samples.
/// Seconds until memory ends: `hbm_steps_left / rate(hbm_steps_total[5m])`. Cost: O(blocks + programs + tags).
template <class Memory>
std::string prometheus_text(const Memory& memory, const std::string& device,
                            const hbm::growth_by_tag* growth = nullptr) {
    using samples = std::vector<std::pair<std::string, std::string>>;  // labels and value
    std::string text;
    const auto metric = [&](const std::string& name, const char* help, const samples& all) {
        const char* const type = name.ends_with("_total") ? "counter" : "gauge";
        text += "# HELP hbm_" + name + " " + help + "\n# TYPE hbm_" + name + " " + type + "\n";
        for (const auto& [labels, value] : all)
            text += "hbm_" + name + "{device=" + quoted(device) + labels + "} " + value + "\n";
    };
    const auto number = [&](const char* name, const char* help, std::uint64_t value) {
        metric(name, help, {{"", std::to_string(value)}});
    };
    const std::uint64_t free = memory.free_bytes(), largest = memory.largest_free_bytes();
    const double scattered = free == 0 ? 0 : static_cast<double>(free - largest) / static_cast<double>(free);
    number("capacity_bytes", "Memory that the manager manages.", memory.capacity_bytes());
    number("live_bytes", "Allocated bytes, programs and their scratch included.", memory.live_bytes());
    number("peak_live_bytes", "The peak of live bytes.", memory.peak_live_bytes());
    number("free_bytes", "The sum of all holes.", free);
    number("largest_free_bytes", "The longest hole.", largest);
    metric("fragmentation_ratio", "The share of free bytes outside the longest hole.",
           {{"", std::to_string(scattered)}});
    number("reserved_bytes", "Scratch reserved at the bottom of memory.", memory.reserved_bytes());
    number("reservable_bytes", "Free bytes directly above the reservation.", memory.reservable_bytes());
    const hbm::totals& done = memory.done_so_far();
    number("relieved_calls_total", "Calls that succeeded only through moves, evictions or waiting.", done.relieved);
    number("moves_total", "Moved blocks.", done.moves);
    number("moved_bytes_total", "Bytes of moved blocks.", done.moved_bytes);
    number("evictions_total", "Evicted programs.", done.evictions);
    number("evicted_bytes_total", "Bytes of evicted code.", done.evicted_bytes);
    number("reloads_total", "Evicted programs that were loaded again.", done.reloads);

    std::map<std::string, std::uint64_t> parts, residents;  // programs of a name together
    for (const hbm::program_record& program : memory.programs()) {
        if (program.generation % 2 == 0) continue;  // unloaded
        const std::string name = ",program=" + quoted(memory.name_of(program.label));
        residents[name] += program.resident;
        parts[name + ",part=\"code\""] += program.resident ? program.code : 0;
        parts[name + ",part=\"scratch\""] += program.resident ? program.scratch : 0;
    }
    const auto listed = [](const std::map<std::string, std::uint64_t>& all) {
        samples list;
        for (const auto& [labels, value] : all) list.emplace_back(labels, std::to_string(value));
        return list;
    };
    metric("program_bytes", "Bytes of programs in memory; shared scratch counts for each.", listed(parts));
    metric("program_resident", "Programs of that name in memory.", listed(residents));
    if (growth == nullptr) return text;

    const auto rate = [](const hbm::tallied_tag& tag) {
        const auto& grows = tag.series.growing();
        return std::to_string(grows ? static_cast<double>(grows->micro_bytes_a_step()) / 1e6 : 0.0);
    };
    samples bytes, rates;
    for (std::size_t at = 0; at < growth->tally().size(); ++at) {
        const hbm::tallied_tag& tag = growth->tally()[at];
        const bool is_tag = at != 0 && at != growth->tally().most_tags();
        const std::string name = is_tag ? memory.name_of(static_cast<hbm::tag>(at - 1)) : "";
        const std::string labels = ",tag=" + quoted(name) +
                                   (is_tag    ? ",of=\"buffers\""
                                    : at == 0 ? ",of=\"programs\""
                                              : ",of=\"other buffers\"");
        bytes.emplace_back(labels, std::to_string(tag.bytes));
        rates.emplace_back(labels, rate(tag));
    }
    metric("tag_bytes", "Bytes of the buffers of a tag, and of the code of programs.", bytes);
    metric("tag_growth_bytes_per_step", "Steady growth; 0 if there is none.", rates);
    number("steps_total", "Steps that are over.", growth->steps());
    metric("growth_bytes_per_step", "Steady growth of all memory; 0 if there is none.", {{"", rate(growth->total())}});
    const auto& grows = growth->total().series.growing();
    metric("steps_left", "Steps until memory ends; +Inf if it does not grow.",
           {{"", grows ? std::to_string(grows->steps_left(growth->room_in(memory))) : "+Inf"}});
    return text;
}

}  // namespace adapters
