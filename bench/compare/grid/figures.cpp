#include "compare/grid/figures.hpp"

#include <hbm/explain/words.hpp>

#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

template <class Value>
figure_value value_of(const Value& value) {
    return value;
}
template <class Value>
figure_value value_of(const std::optional<Value>& value) {
    return value ? figure_value(*value) : figure_value{};
}
figure_value value_of(const std::optional<trace::search>& how) {
    if (!how) return {};
    return std::string(*how == trace::search::bisection ? "bisection" : "exhaustive");
}

template <auto Member>
figure_value found(const figure_source& from) {
    return value_of(from.found.*Member);
}

using from = const figure_source&;
using trace::figures;

constexpr cell_figure list[] = {
    {"workload", "", unit::text, better::neither, 0, [](from of) -> figure_value { return of.in.load.name; }},
    {"manager", "", unit::text, better::neither, 0, [](from of) -> figure_value { return std::string(of.who.name); }},
    {"capacity_bytes", "", unit::bytes, better::neither, 0, found<&figures::capacity_bytes>},
    {"quantum_bytes", "", unit::bytes, better::neither, 0,
     [](from of) -> figure_value { return of.in.device.quantum; }},
    {"events", "", unit::count, better::neither, 0,
     [](from of) -> figure_value { return std::uint64_t{of.in.load.rows.size()}; }},
    {"completed", "", unit::text, better::neither, 0, found<&figures::completed>},
    {"failed_event", "fails at", unit::event, better::neither, 0, found<&figures::failed_event>},
    {"error", "", unit::text, better::neither, 0, found<&figures::error>},
    {"peak_live_bytes", "peak live", unit::bytes, better::neither, 8, found<&figures::peak_live_bytes>},
    {"footprint_bytes", "footprint", unit::bytes, better::less, 1, found<&figures::footprint_bytes>},
    {"overhead_ratio", "x its peak", unit::ratio, better::less, 9, found<&figures::overhead_ratio>},
    {"min_capacity_bytes", "needs", unit::bytes, better::less, 0, found<&figures::min_capacity_bytes>},
    {"min_search", "", unit::text, better::neither, 0, found<&figures::min_search>},
    {"min_larger_fails_bytes", "", unit::bytes, better::neither, 0, found<&figures::min_larger_fails_bytes>},
    {"fragmentation_mean", "scattered", unit::share, better::less, 10, found<&figures::fragmentation_mean>},
    {"fragmentation_worst", "at worst", unit::share, better::less, 11, found<&figures::fragmentation_worst>},
    {"oom_with_enough_free", "", unit::count, better::less, 0, found<&figures::oom_with_enough_free>},
    {"relieved", "", unit::count, better::less, 0, found<&figures::relieved>},
    {"evictions", "evicted", unit::count, better::less, 4, found<&figures::evictions>},
    {"evicted_bytes", "", unit::bytes, better::less, 0, found<&figures::evicted_bytes>},
    {"reloads", "", unit::count, better::less, 0, found<&figures::reloads>},
    {"reload_us", "reload time", unit::microseconds, better::less, 2, found<&figures::reload_us>},
    {"moves", "moves", unit::count, better::less, 6, found<&figures::moves>},
    {"moved_bytes", "moved", unit::bytes, better::less, 5, found<&figures::moved_bytes>},
    {"move_us", "move time", unit::microseconds, better::less, 2, found<&figures::move_us>},
    {"donations_offered", "", unit::count, better::neither, 0, found<&figures::donations_offered>},
    {"donations_taken", "donated", unit::count, better::more, 7, found<&figures::donations_taken>},
    {"donated_bytes", "", unit::bytes, better::more, 0, found<&figures::donated_bytes>},
    {"placement_digest", "", unit::text, better::neither, 0,
     [](from of) -> figure_value { return sixteen_digits(of.found.placement_digest); }},
    {"offline_bytes", "", unit::bytes, better::neither, 0,
     [](from of) { return of.offline ? value_of(of.offline->bytes) : figure_value{}; }},
    {"offline_bound_bytes", "", unit::bytes, better::neither, 0,
     [](from of) { return of.offline ? value_of(of.offline->bound_bytes) : figure_value{}; }},
    {"fate_bytes", "", unit::bytes, better::neither, 0,
     [](from of) { return of.offline ? value_of(of.offline->fate_bytes(of.in)) : figure_value{}; }},
    {"not_knowing_bytes", "not knowing", unit::bytes, better::less, 3,
     [](from of) { return of.offline ? value_of(of.offline->not_knowing_bytes(of.in, of.found)) : figure_value{}; }},
    {"capacity_asked", "", unit::text, better::neither, 0,
     [](from of) {
         const std::string& asked = of.in.at.capacity.text;
         return asked.empty() ? figure_value{} : figure_value(asked);
     }},
};

std::string number_in_words(unit in, std::uint64_t number) {
    if (in == unit::event) return "event " + grouped(number);
    if (number == 0) return "-";
    if (in == unit::bytes) return size_in_words(number);
    return in == unit::microseconds ? duration(number) : grouped(number);
}

}  // namespace

std::span<const cell_figure> all_figures() noexcept {
    return list;
}

std::string in_words(unit in, const figure_value& value) {
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) return number_in_words(in, *number);
    if (const auto* const part = std::get_if<trace::fraction>(&value))
        return in == unit::share ? percent(*part) : rounded(*part, 4);
    if (const auto* const text = std::get_if<std::string>(&value)) return *text;
    if (const auto* const truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
    return "-";
}

}  // namespace hbm::compare
