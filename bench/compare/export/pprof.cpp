#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/export/texts.hpp"
#include "compare/export/viewer_file.hpp"
#include "compare/read/jax/wire_reader.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Message in the wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding). Zeros are left
/// out, as in version 3 of the language.
class message_writer {
public:
    void number(std::uint64_t field, std::uint64_t value) {
        if (value == 0) return;
        variable(field << 3U);
        variable(value);
    }
    /// Writes a text, or a message within.
    void bytes(std::uint64_t field, std::string_view value) {
        variable(field << 3U | 2U);
        variable(value.size());
        text_ += value;
    }
    /// Writes a repeated number, packed.
    template <class Numbers>
    void numbers(std::uint64_t field, const Numbers& all) {
        message_writer packed;
        for (const std::uint64_t each : all) packed.variable(each);
        bytes(field, packed.text());
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void variable(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) text_ += static_cast<char>(value | 0x80U);
        text_ += static_cast<char>(value);
    }

    std::string text_;
};

using fields = imported::pprof_field;

// Fields that a reader of JAX's profiles does not need.
constexpr std::uint64_t profile_comment = 13;
constexpr std::uint64_t profile_default_type = 14;

void put(text_sink& out, std::uint64_t number, const message_writer& message) {
    message_writer outer;
    outer.bytes(number, message.text());
    out.add(outer.text());
}

/// Returns the row after which most memory was in use; ties go to the first.
std::size_t fullest_row(const trace::history& of) {
    const auto less = [](const trace::recorded_reading& a, const trace::recorded_reading& b) {
        return a.used < b.used;
    };
    return static_cast<std::size_t>(std::max_element(of.readings.begin(), of.readings.end(), less) -
                                    of.readings.begin());
}

std::string_view kind_in_profile(const trace::recorded_block& block) {
    return block.kind == block_kind::code ? "executable" : recorded_cell::kind_of(block);
}

/// Heap profile of pprof, not compressed, for `go tool pprof`, with the sample types and labels of JAX's device memory
/// profile. A sample is a block: its frames are the id with the line of the trace, the tag, and the cell, which is also
/// the label `device`. The label `kind` is buffer, executable, scratch or reservation. It has four values.
/// `allocations` and `space` are those at the row after which most memory was in use (the first of them).
/// `end_allocations` and `end_space` are those at the end or the failure. Bytes are those that a block occupies.
class pprof_file final : public viewer_file {
public:
    explicit pprof_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

private:
    using counts = std::array<std::uint64_t, 4>;

    [[nodiscard]] std::uint64_t text(std::string_view words);
    [[nodiscard]] std::uint64_t location(std::string_view name, std::string_view file, std::uint64_t line);
    void add_sample(const recorded_cell& cell, const trace::recorded_block& block, const counts& values);

    std::map<std::string, std::uint64_t> texts_;
    std::vector<const std::string*> text_order_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions_;  // ids by name and file
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> locations_;  // ids by function and line
    std::vector<std::uint64_t> comments_;
};

pprof_file::pprof_file(destination& to) : viewer_file(to) {
    static_cast<void>(text(""));
    constexpr std::array<std::array<std::string_view, 2>, 4> types{
        {{"allocations", "count"}, {"space", "bytes"}, {"end_allocations", "count"}, {"end_space", "bytes"}}};
    for (const auto& [name, unit] : types) {
        message_writer type;
        type.number(fields::type_name, text(name));
        type.number(fields::type_unit, text(unit));
        put(out(), fields::profile_sample_type, type);
    }
}

std::uint64_t pprof_file::text(std::string_view words) {
    const auto [at, is_new] = texts_.try_emplace(valid_text(words), text_order_.size());
    if (is_new) text_order_.push_back(&at->first);
    return at->second;
}

std::uint64_t pprof_file::location(std::string_view name, std::string_view file, std::uint64_t line) {
    const auto [function, is_new_function] = functions_.try_emplace({text(name), text(file)}, functions_.size() + 1);
    if (is_new_function) {
        message_writer made;
        made.number(fields::function_id, function->second);
        made.number(fields::function_name, function->first.first);
        made.number(fields::function_file, function->first.second);
        put(out(), fields::profile_function, made);
    }
    const auto [at, is_new] = locations_.try_emplace({function->second, line}, locations_.size() + 1);
    if (is_new) {
        message_writer called;
        called.number(fields::line_function, function->second);
        called.number(fields::line_number, line);
        message_writer made;
        made.number(fields::location_id, at->second);
        made.bytes(fields::location_line, called.text());
        put(out(), fields::profile_location, made);
    }
    return at->second;
}

void pprof_file::add_sample(const recorded_cell& cell, const trace::recorded_block& block, const counts& values) {
    const trace::workload& load = cell.in->load;
    std::vector<std::uint64_t> stack{
        location(cell.id_of(block), load.name, load.lines.empty() ? 0 : load.lines[block.begin])};
    if (const std::string_view tag = cell.tag_of(block); !tag.empty()) stack.push_back(location(tag, "", 0));
    stack.push_back(location(cell.name(), "", 0));
    message_writer sample;
    sample.numbers(fields::sample_location, stack);
    sample.numbers(fields::sample_value, values);
    const auto label = [&](std::string_view key, std::string_view value) {
        message_writer made;
        made.number(fields::label_key, text(key));
        made.number(fields::label_text, text(value));
        sample.bytes(fields::sample_label, made.text());
    };
    label("kind", kind_in_profile(block));
    label("device", cell.name());
    put(out(), fields::profile_sample, sample);
}

void pprof_file::add(const recorded_cell& each) {
    const std::size_t fullest = fullest_row(each.what);
    std::map<std::uint32_t, counts> values;  // values by block
    for (const trace::recorded_place& place : each.what.places) {
        const auto add_at = [&](std::size_t first) {
            counts& of = values[place.block];
            of[first] = 1;
            of[first + 1] = place.where.size;
        };
        if (place.begin <= fullest && fullest < place.end) add_at(0);
        if (place.end == each.rows()) add_at(2);
    }
    for (const auto& [block, counted] : values) add_sample(each, each.what.blocks[block], counted);
    const std::optional<std::size_t> failed = each.what.failed_row;
    comments_.push_back(text(filled(failed ? texts::samples_to_failure : texts::samples_to_end,
                                    {{"cell", each.name()},
                                     {"fullest", grouped(fullest)},
                                     {"events", grouped(each.in->load.rows.size())},
                                     {"failed", grouped(failed.value_or(0))},
                                     {"error", each.what.error}})));
    if (std::string more = each.name(); each.managers.size() > 1) {
        append_item(more, each.others());
        comments_.push_back(text(more));
    }
}

std::string pprof_file::finish() {
    message_writer rest;
    for (const std::string* each : text_order_) rest.bytes(fields::profile_string, *each);
    rest.numbers(profile_comment, comments_);
    rest.number(profile_default_type, texts_.at("space"));
    out().add(rest.text());
    return out().finish();
}

}  // namespace

std::unique_ptr<viewer_file> make_pprof_file(destination& to) {
    return std::make_unique<pprof_file>(to);
}

}  // namespace hbm::compare
