#include "compare/sweeps/stored_figures.hpp"

#include <algorithm>
#include <charconv>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Reads values of a row; the first that cannot be read is remembered.
class figure_reader {
public:
    explicit figure_reader(const record& from) : from_(from) {}

    void number(std::string_view key, std::uint64_t& into) {
        const std::string* const text = value_of(from_, key);
        if (text == nullptr || !trace::parse_number(*text, into)) fail(key, "a whole number");
    }
    void number(std::string_view key, std::optional<std::uint64_t>& into) {
        if (value_of(from_, key) != nullptr) number(key, into.emplace());
    }
    void fraction(std::string_view key, std::optional<trace::fraction>& into) {
        const std::string* const text = value_of(from_, key);
        if (text == nullptr) return;
        const std::size_t point = text->find('.');
        if (point == std::string::npos || text->size() - point != 7 ||
            !trace::parse_number(text->substr(0, point) + text->substr(point + 1), into.emplace().millionths))
            fail(key, "a number with six decimals");
    }
    void truth(std::string_view key, bool& into) {
        const std::string* const text = value_of(from_, key);
        into = text != nullptr && *text == "true";
        if (text == nullptr || (!into && *text != "false")) fail(key, "true or false");
    }
    void digest(std::string_view key, std::uint64_t& into) {
        const std::string* const text = value_of(from_, key);
        if (text == nullptr ||
            std::from_chars(text->data(), text->data() + text->size(), into, 16).ptr != text->data() + text->size())
            fail(key, "16 hexadecimal digits");
    }
    void fail(std::string_view key, const std::string& expected) {
        if (!problem_.empty()) return;
        const std::string* const text = value_of(from_, key);
        problem_ = "found " + (text == nullptr ? "nothing" : trace::quoted(*text)) + " as `" + std::string(key) +
                   "` of a row, expected " + expected;
    }
    [[nodiscard]] std::string problem() const { return problem_; }

private:
    const record& from_;
    std::string problem_;
};

void read_counts(figure_reader& reader, trace::figures& into) {
    reader.number("oom_with_enough_free", into.oom_with_enough_free);
    reader.number("relieved", into.relieved);
    reader.number("evictions", into.evictions);
    reader.number("evicted_bytes", into.evicted_bytes);
    reader.number("reloads", into.reloads);
    reader.number("reload_us", into.reload_us);
    reader.number("moves", into.moves);
    reader.number("moved_bytes", into.moved_bytes);
    reader.number("move_us", into.move_us);
    reader.number("donations_offered", into.donations_offered);
    reader.number("donations_taken", into.donations_taken);
    reader.number("donated_bytes", into.donated_bytes);
}

}  // namespace

const std::string* value_of(const record& from, std::string_view key) {
    const auto found = std::find_if(from.begin(), from.end(), [&](const field& each) { return each.key == key; });
    return found == from.end() || !found->value ? nullptr : &*found->value;
}

std::string read_figures(const record& from, trace::figures& into) {
    figure_reader reader(from);
    reader.number("capacity_bytes", into.capacity_bytes);
    reader.number("quantum_bytes", into.quantum_bytes);
    reader.number("events", into.events);
    reader.truth("completed", into.completed);
    reader.number("failed_event", into.failed_event);
    if (const std::string* const error = value_of(from, "error")) into.error = *error;
    reader.number("peak_live_bytes", into.peak_live_bytes);
    reader.number("footprint_bytes", into.footprint_bytes);
    reader.fraction("overhead_ratio", into.overhead_ratio);
    reader.number("min_capacity_bytes", into.min_capacity_bytes);
    if (const std::string* const how = value_of(from, "min_search"))
        into.min_search = *how == "exhaustive" ? trace::search::exhaustive : trace::search::bisection;
    reader.number("min_larger_fails_bytes", into.min_larger_fails_bytes);
    reader.fraction("fragmentation_mean", into.fragmentation_mean);
    reader.fraction("fragmentation_worst", into.fragmentation_worst);
    read_counts(reader, into);
    reader.digest("placement_digest", into.placement_digest);
    std::optional<trace::fraction> time;
    reader.fraction("ns_per_event", time);
    if (time) into.ns_per_event = static_cast<double>(time->millionths) / 1e6;
    return reader.problem();
}

}  // namespace hbm::compare
