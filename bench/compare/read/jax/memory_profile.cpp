#include "compare/read/jax/memory_profile.hpp"

#include <algorithm>
#include <map>

#include "compare/read/jax/wire_reader.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

frame_rank rank_of(const stack_frame& frame) noexcept {
    constexpr std::size_t most = 1024;
    const std::string_view file = frame.file.substr(frame.file.size() < most ? 0 : frame.file.size() - most);
    const std::string_view function = frame.function.substr(0, most);
    constexpr std::string_view recorders[] = {"unwind", "CapturedTraceback", "gather_with_cpp", "CachingAllocator",
                                              "local_raw_delete"};
    constexpr std::string_view frameworks[] = {"/jax/", "/jaxlib/", "/torch/", "/torch_xla/", "/numpy/"};
    constexpr std::string_view packages[] = {"/site-packages/", "/dist-packages/"};
    constexpr std::string_view standard[] = {"/lib/python", "/lib64/python"};
    // A cell of a notebook is a temporary file or has a name in angle brackets; frozen code is Python's own.
    const bool is_cell = file.starts_with("<ipython") || file == "<stdin>";
    if (!file.ends_with(".py") && !is_cell) {
        const bool says_nothing = function.empty() || function == "??" || has_any(function, recorders);
        return says_nothing ? frame_rank::nothing : frame_rank::native;
    }
    if (has_any(file, packages)) return has_any(file, frameworks) ? frame_rank::framework : frame_rank::library;
    return has_any(file, standard) ? frame_rank::framework : frame_rank::own;
}

std::string tag_of(const stack_frame& frame) {
    const auto shortened = [](std::string_view text) {
        constexpr std::size_t longest = 80;
        if (text.size() <= longest) return std::string(text);
        return std::string(first_characters(text, longest - 3)) + "...";
    };
    std::string words = shortened(frame.function);
    const std::string file = shortened(frame.file.substr(frame.file.find_last_of("/\\") + 1));
    if (!file.empty() && file != "??")
        words += " (" + file + (frame.line != 0 ? ':' + trace::decimal(frame.line) : std::string{}) + ')';
    for (char& letter : words) {
        if (letter == ',') letter = ';';
        if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
    }
    return words;
}

std::optional<std::uint64_t> profile_sample_bytes(const profile_sample& sample) noexcept {
    if (sample.space < 0 || (sample.space == 0 && sample.kind == "executable")) return std::nullopt;
    return static_cast<std::uint64_t>(sample.space);
}

namespace {

using encoding = wire_field::encoding;

/// Numbers of fields, each with the name of its message before it:
/// https://github.com/google/pprof/blob/main/proto/profile.proto.
enum pprof_field : std::uint64_t {
    profile_sample_type = 1,
    profile_samples = 2,
    profile_location = 4,
    profile_function = 5,
    profile_string = 6,
    type_name = 1,
    type_unit = 2,
    sample_location = 1,
    sample_value = 2,
    sample_label = 3,
    label_key = 1,
    label_text = 2,
    label_number = 3,
    location_id = 1,
    location_line = 4,
    line_function = 1,
    line_number = 2,
    function_id = 1,
    function_name = 2,
    function_file = 4,
};

/// Reader of an unpacked profile. Tables may stand behind what refers to them, so they are read first: strings, then
/// functions, then locations with their frames, then samples.
class pprof_reader {
public:
    /// Reads from `text`, which must outlive the reader and the profile; `file` is for messages.
    pprof_reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    memory_profile read() {
        // Real profiles are far smaller: a hundred frames and a hundred samples take about 10,000 bytes.
        constexpr std::size_t max_size = std::size_t{4} << 20U;
        if (text_.size() > max_size)
            throw trace::read_error(file_, "a profile of " + trace::decimal(text_.size()) + " bytes",
                                    "at most " + trace::decimal(max_size) + " bytes");
        for_each_message(profile_string, [&](const wire_field& entry) { strings_.push_back(entry.bytes); });
        for_each_message(profile_function, [&](const wire_field& entry) { add_function(entry); });
        for_each_message(profile_location, [&](const wire_field& entry) { add_location(entry); });
        for_each_message(profile_sample_type, [&](const wire_field& entry) { add_sample_type(entry); });
        check_sample_types();
        for_each_message(profile_samples, [&](const wire_field& entry) { add_sample(entry); });
        made_.functions = functions_.size();
        made_.locations = locations_.size();
        return std::move(made_);
    }

private:
    struct frame_range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    [[noreturn]] void fail(std::size_t at, const std::string& found, std::string expected) const {
        throw trace::read_error(file_, found + " at byte " + trace::decimal(at), std::move(expected));
    }

    void check(const wire_reader& reader) const {
        if (reader.damage() != nullptr) fail(reader.at(), reader.damage(), "a whole pprof profile");
    }

    [[nodiscard]] wire_reader inside(const wire_field& message) const {
        return wire_reader(message.bytes, static_cast<std::size_t>(message.bytes.data() - text_.data()));
    }

    /// Calls `visit` with each field of a message.
    template <class Visit>
    void for_each(wire_reader reader, Visit visit) const {
        wire_field entry;
        while (reader.next(entry)) visit(entry);
        check(reader);
    }

    /// Calls `visit` with each field of this number in the profile, which has bytes.
    template <class Visit>
    void for_each_message(std::uint64_t number, Visit visit) const {
        for_each(wire_reader(text_), [&](const wire_field& entry) {
            if (entry.number == number && entry.type == encoding::bytes) visit(entry);
        });
    }

    /// Calls `visit` with each number of a repeated field, which is packed or not.
    template <class Visit>
    void for_each_number(const wire_field& numbers, Visit visit) const {
        if (numbers.type != encoding::bytes) return visit(numbers.value);
        wire_reader packed = inside(numbers);
        std::uint64_t value = 0;
        while (packed.next_number(value)) visit(value);
        check(packed);
    }

    void add_function(const wire_field& message) {
        std::uint64_t id = 0;
        std::pair<std::uint64_t, std::uint64_t> name_and_file;
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == function_id) id = entry.value;
            if (entry.number == function_name) name_and_file.first = entry.value;
            if (entry.number == function_file) name_and_file.second = entry.value;
        });
        add_once(functions_, id, name_and_file, "function ");
    }

    void add_location(const wire_field& message) {
        std::uint64_t id = 0;
        const auto first = static_cast<std::uint32_t>(made_.frames.size());
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == location_id) id = entry.value;
            if (entry.number == location_line && entry.type == encoding::bytes) add_frame(entry);
        });
        add_once(locations_, id, frame_range{first, static_cast<std::uint32_t>(made_.frames.size()) - first},
                 "location ");
    }

    template <class Value>
    void add_once(std::map<std::uint64_t, Value>& all, std::uint64_t id, const Value& value, const char* what) const {
        if (!all.emplace(id, value).second)
            throw trace::read_error(file_, what + trace::decimal(id) + " twice",
                                    "a pprof profile, where each has a number of its own");
    }

    void add_frame(const wire_field& message) {
        std::uint64_t called = 0;
        stack_frame frame;
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == line_function) called = entry.value;
            if (entry.number == line_number) frame.line = entry.value;
        });
        const auto known = functions_.find(called);
        if (known == functions_.end())
            fail(message.at, "function " + trace::decimal(called), "a function that the profile has");
        frame.function = text_of(known->second.first, message.at);
        frame.file = text_of(known->second.second, message.at);
        made_.frames.push_back(frame);
    }

    void add_sample_type(const wire_field& message) {
        std::pair<std::string_view, std::string_view> type;
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == type_name) type.first = text_of(entry.value, entry.at);
            if (entry.number == type_unit) type.second = text_of(entry.value, entry.at);
        });
        made_.sample_types.push_back(type);
    }

    void check_sample_types() {
        std::string names;
        std::optional<std::size_t> count_at;
        std::optional<std::size_t> space_at;
        for (std::size_t at = 0; at < made_.sample_types.size(); ++at) {
            const auto& [name, unit] = made_.sample_types[at];
            if (name == "allocations" && unit == "count") count_at = at;
            if (name == "space" && unit == "bytes") space_at = at;
            if (at < 8) append_item(names, trace::quoted(name));
        }
        if (!count_at || !space_at)
            throw trace::read_error(file_, names.empty() ? "a profile without values" : "a profile of " + names,
                                    "a device memory profile, which has `allocations` and `space`: "
                                    "jax.profiler.save_device_memory_profile writes it");
        count_at_ = *count_at;
        space_at_ = *space_at;
    }

    void add_sample(const wire_field& message) {
        profile_sample sample;
        sample.first_frame = static_cast<std::uint32_t>(made_.stacks.size());
        std::size_t values = 0;
        std::optional<std::int64_t> count;
        std::optional<std::int64_t> space;
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == sample_location)
                for_each_number(entry, [&](std::uint64_t id) { add_stack(id, entry.at); });
            if (entry.number == sample_value)
                for_each_number(entry, [&](std::uint64_t value) {
                    if (values == count_at_) count = static_cast<std::int64_t>(value);
                    if (values == space_at_) space = static_cast<std::int64_t>(value);
                    ++values;
                });
            if (entry.number == sample_label && entry.type == encoding::bytes) read_label(entry, sample);
        });
        if (!count || !space) fail(message.at, "a sample without its values", "a count and bytes");
        if (*count < 0) fail(message.at, "a sample of less than no objects", "a count that is not negative");
        sample.count = static_cast<std::uint64_t>(*count);
        sample.space = *space;
        sample.frame_count = static_cast<std::uint32_t>(made_.stacks.size()) - sample.first_frame;
        made_.samples.push_back(sample);
    }

    void add_stack(std::uint64_t id, std::size_t at) {
        constexpr std::size_t max_frames = std::size_t{8} << 20U;
        const auto known = locations_.find(id);
        if (known == locations_.end()) fail(at, "location " + trace::decimal(id), "a location that the profile has");
        const auto [first, count] = known->second;
        if (count > max_frames - made_.stacks.size())
            fail(at, "more frames", "stacks of at most " + trace::decimal(max_frames) + " frames together");
        for (std::uint32_t item = 0; item < count; ++item) made_.stacks.push_back(first + item);
    }

    void read_label(const wire_field& message, profile_sample& target) {
        std::string_view key;
        std::string_view text;
        std::optional<std::uint64_t> number;
        for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == label_key) key = text_of(entry.value, entry.at);
            if (entry.number == label_text) text = text_of(entry.value, entry.at);
            if (entry.number == label_number) number = entry.value;
        });
        if (key == "kind") target.kind = text;
        if (key != "device") return;
        target.device = text;
        if (text.empty() && number) target.device = made_.numbers.emplace_back(trace::decimal(*number));
    }

    [[nodiscard]] std::string_view text_of(std::uint64_t index, std::size_t at) const {
        if (index >= strings_.size())
            fail(at, "string " + trace::decimal(index),
                 "one of the " + trace::decimal(strings_.size()) + " strings of the profile");
        return strings_[static_cast<std::size_t>(index)];
    }

    std::string_view text_;
    std::string file_;
    memory_profile made_;
    std::vector<std::string_view> strings_;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> functions_;  // names and files, as strings
    std::map<std::uint64_t, frame_range> locations_;
    std::size_t count_at_ = 0;
    std::size_t space_at_ = 0;
};

}  // namespace

memory_profile read_pprof(std::string_view text, std::string file) {
    return pprof_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported
