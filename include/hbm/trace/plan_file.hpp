#pragma once

/// Plans as text: a CSV with the columns `row,size,offset,partner,lower,next,alike`, in quanta. Events, steps and
/// places are counted from 0; a number of an event or a place may be empty.
///
/// | row | its cells |
/// |---|---|
/// | version | `size`: 1. This is the first row |
/// | step | begins a step; `size`: its height; `next` and `alike`: other steps |
/// | alloc | a request whose block ends in its step: `size`, `offset`; `partner`: its free; `lower`: who lies beneath |
/// | stay | a request whose block outlives its step: the same; `partner`: the first further place |
/// | free | `size`; `partner`: the request, if that is in this step |
/// | place | a further place: `offset`; `next`: another |
/// | order | `size`: a step, in the order in which they came |

#include <hbm/pack/plan_tables.hpp>
#include <hbm/placement/sequence_plan.hpp>
#include <hbm/trace/read/table.hpp>
#include <hbm/trace/read_error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace hbm::trace {

namespace plan_file_detail {

enum column : std::size_t { row_, size_, offset_, partner_, lower_, next_, alike_ };
inline constexpr std::array<std::string_view, 7> columns{"row", "size", "offset", "partner", "lower", "next", "alike"};

/// Reads the rows of a plan. What one row says of others is checked when all are read.
class plan_reader {
public:
    plan_reader(std::string_view text, std::string file) : rows_(text, std::move(file)) {}

    std::variant<sequence_plan, read_error> read() {
        if (!rows_.find_header()) {
            rows_.wrong_line("no header row", "a header row with the columns of a plan");
            return rows_.error();
        }
        if (!rows_.accept_columns(columns, columns.size())) return rows_.error();
        for (bool is_first = true;; is_first = false) {
            switch (rows_.next()) {
            case table::step::failed:
                return rows_.error();
            case table::step::row:
                if (is_first ? !read_version() : !read_row()) return rows_.error();
                break;
            case table::step::end:
                if (is_first) {
                    rows_.wrong_line("no row", "a row version,1");
                    return rows_.error();
                }
                return finish();
            }
        }
    }

private:
    /// A number that names another row, and where it stands in the file.
    struct link {
        std::size_t line = 0;
        std::size_t column = 0;
        std::uint64_t value = 0;
        std::uint64_t from = 0;   // it is at least this
        std::uint64_t below = 0;  // and less than this
        const char* expected = "";
    };

    bool read_version() {
        if (rows_.cell(row_) != "version") return rows_.wrong(row_, "version, in the first row");
        if (rows_.cell(size_) != "1") return rows_.wrong(size_, "1, the version that is known");
        return true;
    }
    bool read_row() {
        const std::string_view kind = rows_.cell(row_);
        if (kind == "step") return read_step();
        if (kind == "place") return read_place();
        if (kind == "order") return read_order();
        if (kind != "alloc" && kind != "stay" && kind != "free")
            return rows_.wrong(row_, "step, alloc, stay, free, place or order");
        if (made_.steps.empty()) return rows_.wrong(row_, "a row step first");
        return read_event(kind);
    }
    bool read_step() {
        plan_step step;
        step.first = step.end = static_cast<std::uint32_t>(made_.events.size());
        if (!number(size_, "a height", step.height) || !named(next_, step.next, step_links_) ||
            !named(alike_, step.alike, step_links_))
            return false;
        if (!made_.steps.empty() && made_.steps.back().end == made_.steps.back().first)
            return rows_.wrong(row_, "an event of the step before");
        if (step.height > made_.height) made_.height = step.height;
        made_.steps.push_back(step);
        return true;
    }
    bool read_event(std::string_view kind) {
        plan_event event;
        if (!number(size_, "a size", event.what)) return false;
        if (event.what > plan_event::most) return rows_.wrong(size_, "a size below 2^30");
        const bool is_free = kind == "free";
        if (is_free) event.what |= plan_event::free_bit;
        if (kind == "stay") event.what |= plan_event::stays_bit;
        if (!is_free && !number(offset_, "an offset", event.offset)) return false;
        if (!rows_.cell(partner_).empty() &&
            !named(partner_, event.partner, kind == "stay" ? place_links_ : event_links_))
            return false;
        if (!is_free && !rows_.cell(lower_).empty() && !named(lower_, event.lower, lower_links_)) return false;
        if (kind != "stay" && event.partner != no_event) partners_.push_back(made_.events.size());
        made_.events.push_back(event);
        made_.steps.back().end = static_cast<std::uint32_t>(made_.events.size());
        return true;
    }
    bool read_place() {
        plan_place place;
        if (!number(offset_, "an offset", place.offset)) return false;
        // Places are named in rising order, so that there is no ring of them.
        if (!rows_.cell(next_).empty()) {
            if (!named(next_, place.next, place_links_)) return false;
            place_links_.back().from = made_.places.size() + 1;
            place_links_.back().expected = "the number of a later place";
        }
        made_.places.push_back(place);
        return true;
    }
    bool read_order() {
        std::uint32_t step = 0;
        if (!named(size_, step, step_links_)) return false;
        made_.order.push_back(step);
        return true;
    }

    bool number(std::size_t column, std::string_view meaning, std::uint32_t& value) {
        std::uint64_t wide = 0;
        if (!rows_.number(column, meaning, wide)) return false;
        if (wide >= no_event) return rows_.wrong(column, "a number below 2^32 - 1");
        value = static_cast<std::uint32_t>(wide);
        return true;
    }
    bool named(std::size_t column, std::uint32_t& value, std::vector<link>& links) {
        if (!number(column, "a number", value)) return false;
        links.push_back({rows_.line(), rows_.column_of_cell(column), value, 0, 0, ""});
        return true;
    }

    [[nodiscard]] read_error error_at(const link& where, std::string expected) const {
        return {rows_.file(), where.line, where.column, decimal(where.value), std::move(expected)};
    }
    std::variant<sequence_plan, read_error> finish() {
        for (const auto& [links, count, what] :
             {std::tuple{&step_links_, made_.steps.size(), "the number of a step"},
              std::tuple{&place_links_, made_.places.size(), "the number of a place"},
              std::tuple{&event_links_, made_.events.size(), "the number of an event"},
              std::tuple{&lower_links_, made_.events.size(), "the number of an event"}})
            for (const link& each : *links)
                if (each.value >= count || each.value < each.from)
                    return error_at(each, each.expected[0] != '\0' ? each.expected : what);
        if (!made_.steps.empty() && made_.steps.back().end == made_.steps.back().first) {
            rows_.wrong_line("a step without events", "an event");
            return rows_.error();
        }
        for (std::size_t at = 0; at < partners_.size(); ++at)
            if (!is_pair(partners_[at]))
                return error_at(event_links_[at], "the other event of the block, in this step");
        for (std::size_t at = 0; at < lower_links_.size(); ++at)
            if (made_.events[static_cast<std::size_t>(lower_links_[at].value)].is_free())
                return error_at(lower_links_[at], "the number of a request");
        if (!count_alike()) {
            rows_.wrong_line("steps that are alike to others than they say", "rings of steps with the same events");
            return rows_.error();
        }
        if (made_.order.empty() != made_.steps.empty()) {
            rows_.wrong_line("no row order", "the order of the steps");
            return rows_.error();
        }
        if (!made_.events.empty()) plan_detail::make_tables(made_);
        return std::move(made_);
    }
    /// A request and its free name each other, in a step.
    [[nodiscard]] bool is_pair(std::size_t at) const {
        const plan_event& event = made_.events[at];
        const plan_event& other = made_.events[event.partner];
        std::size_t step = 0;
        while (made_.steps[step].end <= at) ++step;
        if (event.partner < made_.steps[step].first || event.partner >= made_.steps[step].end) return false;
        if (event.is_free() == other.is_free()) return false;
        const bool is_in_order = event.is_free() ? event.partner < at : event.partner > at;
        return is_in_order && event.size() == other.size() && (other.stays() || other.partner == at);
    }
    /// Rings of steps that are alike have as many events each.
    bool count_alike() {
        for (std::uint32_t step = 0; step < made_.steps.size(); ++step) {
            std::uint32_t count = 1;
            for (std::uint32_t other = made_.steps[step].alike; other != step; other = made_.steps[other].alike) {
                if (++count > made_.steps.size() || !have_same_events(step, other)) return false;
            }
            made_.steps[step].likes = count;
        }
        return true;
    }
    [[nodiscard]] bool have_same_events(std::uint32_t a, std::uint32_t b) const {
        const plan_step& left = made_.steps[a];
        const plan_step& right = made_.steps[b];
        if (left.end - left.first != right.end - right.first) return false;
        for (std::uint32_t at = 0; at < left.end - left.first; ++at)
            if (made_.events[left.first + at].is_free() != made_.events[right.first + at].is_free()) return false;
        return true;
    }

    table rows_;
    sequence_plan made_;
    std::vector<link> step_links_;
    std::vector<link> place_links_;
    std::vector<link> event_links_;
    std::vector<link> lower_links_;
    std::vector<std::size_t> partners_;  // the events that have `event_links_`
};

}  // namespace plan_file_detail

/// Reads a plan from text; `file` is what messages call it. The plan, or the first error; nothing of a bad file is
/// used. O(events x steps).
[[nodiscard]] inline std::variant<sequence_plan, read_error> read_plan(std::string_view text, std::string file) {
    return plan_file_detail::plan_reader(text, std::move(file)).read();
}

/// A plan as text; `read_plan` makes the same plan of it. O(n).
[[nodiscard]] inline std::string write_plan(const sequence_plan& plan) {
    std::string text = "row,size,offset,partner,lower,next,alike\nversion,1\n";
    const auto optional = [](std::uint32_t value) { return value == no_event ? std::string() : decimal(value); };
    for (const plan_step& step : plan.steps) {
        text += "step," + decimal(step.height) + ",,,," + decimal(step.next) + ',' + decimal(step.alike) + '\n';
        for (std::uint32_t at = step.first; at < step.end; ++at) {
            const plan_event& event = plan.events[at];
            text += event.is_free() ? "free," : event.stays() ? "stay," : "alloc,";
            text += decimal(event.size()) + ',' + (event.is_free() ? std::string() : decimal(event.offset)) + ',' +
                    optional(event.partner) + ',' + optional(event.lower) + '\n';
        }
    }
    for (const plan_place& place : plan.places)
        text += "place,," + decimal(place.offset) + ",,," + optional(place.next) + '\n';
    for (const std::uint32_t step : plan.order) text += "order," + decimal(step) + '\n';
    return text;
}

}  // namespace hbm::trace
