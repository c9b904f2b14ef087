#pragma once

/// A manager's figures in the text format of Prometheus, version 0.0.4, and an observer that writes them into a file.

#include <hbm/events/observers.hpp>
#include <hbm/explain/valid_text.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/manager.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm {

namespace prometheus_detail {

/// The value of a label, with the quotes around it.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    std::string made = "\"";
    for (const char each : valid_text(text)) {
        if (each == '\\' || each == '"') made += '\\';
        if (each == '\n')
            made += "\\n";
        else
            made += each;
    }
    return made += '"';
}

/// Returns `part / whole` in millionths, rounded to the nearest. Requires: `whole` is not 0.
[[nodiscard]] inline std::uint64_t millionths(std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::uint64_t>(1e6L * static_cast<long double>(part) / static_cast<long double>(whole) + 0.5L);
}

/// Six decimals of a number of millionths.
[[nodiscard]] inline std::string decimal(std::uint64_t millionths) {
    const std::string digits = std::to_string(millionths % 1'000'000);
    return std::to_string(millionths / 1'000'000) + '.' + std::string(6 - digits.size(), '0') + digits;
}

/// Writes the samples of a metric below its heading.
class metric_writer {
public:
    /// `device` becomes a label of each sample, unless it is empty.
    explicit metric_writer(std::string_view device) {
        if (!device.empty()) common_ = "device=" + quoted(device);
    }

    void metric(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        (((text_ += "# HELP ") += name) += ' ') += help;
        ((((text_ += "\n# TYPE ") += name) += ' ') += type) += '\n';
    }
    void sample(const std::string& value, const std::string& labels = {}) {
        text_ += name_;
        if (!common_.empty() || !labels.empty())
            (((text_ += '{') += common_) += common_.empty() || labels.empty() ? "" : ",") += labels + '}';
        (text_ += ' ') += value + '\n';
    }
    void single(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
        metric(name, type, help);
        sample(std::to_string(value));
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
    std::string common_;
    std::string name_;
};

template <class View>
void write_memory(metric_writer& to, const View& memory) {
    const std::uint64_t free = memory.free_bytes();
    const std::uint64_t largest = memory.largest_free_bytes();
    to.single("hbm_capacity_bytes", "gauge", "Memory that the manager manages.", memory.capacity_bytes());
    to.single("hbm_live_bytes", "gauge", "What is allocated, programs and their scratch included.",
              memory.live_bytes());
    to.single("hbm_peak_live_bytes", "gauge", "The most that was allocated at once.", memory.peak_live_bytes());
    to.single("hbm_free_bytes", "gauge", "The sum of all holes.", free);
    to.single("hbm_largest_free_bytes", "gauge", "The longest hole.", largest);
    to.metric("hbm_fragmentation_ratio", "gauge", "Free bytes that are not in the longest hole, of all free bytes.");
    to.sample(decimal(free == 0 ? 0 : millionths(free - largest, free)));
    to.single("hbm_reserved_bytes", "gauge", "Scratch reserved at the bottom of memory.", memory.reserved_bytes());
    to.single("hbm_reservable_bytes", "gauge", "What the reservation could grow by at once.",
              memory.reservable_bytes());
}

inline void write_totals(metric_writer& to, const totals& done) {
    to.single("hbm_relieved_calls_total", "counter", "Calls that succeeded only through moves, evictions or waiting.",
              done.relieved);
    to.single("hbm_moves_total", "counter", "Blocks that were moved.", done.moves);
    to.single("hbm_moved_bytes_total", "counter", "Their bytes.", done.moved_bytes);
    to.single("hbm_evictions_total", "counter", "Programs that were evicted.", done.evictions);
    to.single("hbm_evicted_bytes_total", "counter", "The bytes of their code.", done.evicted_bytes);
    to.single("hbm_reloads_total", "counter", "Evicted programs that were loaded again.", done.reloads);
}

/// The programs of a name together: a set of labels must not come twice.
struct named_programs {
    std::uint64_t code = 0, scratch = 0, resident = 0;
};

template <class View>
void write_programs(metric_writer& to, const View& memory) {
    std::map<std::string, named_programs> all;
    for (const program_record& each : memory.programs()) {
        if (each.generation % 2 == 0) continue;
        named_programs& its = all[quoted(memory.name_of(each.label))];
        if (!each.resident) continue;
        its.code += each.code;
        its.scratch += each.scratch;
        ++its.resident;
    }
    if (all.empty()) return;
    to.metric("hbm_program_bytes", "gauge",
              "What programs have in memory; an evicted program has nothing there. Shared scratch counts for each.");
    for (const auto& [name, its] : all) {
        to.sample(std::to_string(its.code), "program=" + name + ",part=\"code\"");
        to.sample(std::to_string(its.scratch), "program=" + name + ",part=\"scratch\"");
    }
    to.metric("hbm_program_resident", "gauge", "How many programs of that name are in memory.");
    for (const auto& [name, its] : all) to.sample(std::to_string(its.resident), "program=" + name);
}

template <class View>
void write_growth(metric_writer& to, const View& memory, const growth_by_tag& seen) {
    const growth_tally& tally = seen.tally();
    const auto rate = [](const tallied_tag& of) {
        const std::optional<steady_growth>& growth = of.series.growing();
        return decimal(growth ? growth->micro_bytes_a_step() : 0);
    };
    std::vector<std::pair<std::string, const tallied_tag*>> all;
    for (std::size_t number = 0; number < tally.size(); ++number) {
        const tallied_tag& of = tally[number];
        if (of.series.highest_bytes() == 0 && of.most == 0) continue;
        const bool is_several = number == tally.most_tags();
        const bool is_tag = number != 0 && !is_several;
        all.emplace_back("tag=" + quoted(is_tag ? memory.name_of(static_cast<tag>(number - 1)) : "") + ",of=\"" +
                             (is_tag       ? "buffers"
                              : is_several ? "other buffers"
                                           : "programs") +
                             '"',
                         &of);
    }
    if (!all.empty()) {
        to.metric("hbm_tag_bytes", "gauge", "What the buffers of a tag have in memory, and the code of programs.");
        for (const auto& [labels, of] : all) to.sample(std::to_string(of->bytes), labels);
        to.metric("hbm_tag_growth_bytes_per_step", "gauge", "Steady growth; 0 where there is none.");
        for (const auto& [labels, of] : all) to.sample(rate(*of), labels);
    }
    to.single("hbm_steps_total", "counter", "Steps that are over.", seen.steps());
    to.metric("hbm_growth_bytes_per_step", "gauge", "Steady growth of all memory; 0 where there is none.");
    to.sample(rate(seen.total()));
    to.metric("hbm_steps_left", "gauge", "Steps until memory ends if it grows on; +Inf where it does not grow.");
    const std::optional<steady_growth>& growth = seen.total().series.growing();
    to.sample(growth ? std::to_string(growth->steps_left(seen.room_in(memory))) : "+Inf");
}

}  // namespace prometheus_detail

/// The figures of a memory as Prometheus reads them: sizes, what relief did so far, each program, and, where `growth`
/// is given, each tag and how many steps are left (for seconds divide `hbm_steps_left` by `rate(hbm_steps_total[5m])`).
/// `device` becomes a label of all samples unless it is empty. Names that are not UTF-8 are mended. The format:
/// https://prometheus.io/docs/instrumenting/exposition_formats. O(blocks + programs + tags).
template <class Quanta>
[[nodiscard]] std::string prometheus_text(const memory_view<Quanta>& memory, std::string_view device = {},
                                          const growth_by_tag* growth = nullptr) {
    prometheus_detail::metric_writer to(device);
    prometheus_detail::write_memory(to, memory);
    prometheus_detail::write_totals(to, memory.done_so_far());
    prometheus_detail::write_programs(to, memory);
    if (growth != nullptr) prometheus_detail::write_growth(to, memory, *growth);
    return to.take();
}

/// The same for a manager, with its observer `growth_by_tag` if it has one.
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
[[nodiscard]] std::string prometheus_text(const manager<Placement, Eviction, Donation, Relief, Device, Events>& memory,
                                          std::string_view device = {}) {
    return prometheus_text(memory.view(), device, observer_in<growth_by_tag>(memory.events()));
}

}  // namespace hbm
