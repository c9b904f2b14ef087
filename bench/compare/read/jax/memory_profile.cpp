#include "compare/read/jax/memory_profile.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compare/read/jax/wire_reader.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/stack_frame.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::optional<std::uint64_t> profile_sample_bytes(const profile_sample& sample) noexcept {
    if (sample.space < 0 || (sample.space == 0 && sample.kind == "executable")) return std::nullopt;
    return static_cast<std::uint64_t>(sample.space);
}

namespace {

/// Reader of an unpacked profile.
/// Cost: O(size of the text + frames of all stacks), at most some 40 times its size in memory.
class pprof_reader {
public:
    /// Limit on the size of a profile, in bytes. Real profiles are far smaller: a hundred frames and a hundred samples
    /// take about 10,000 bytes.
    static constexpr std::size_t max_size = std::size_t{4} << 20U;
    /// Limit on the number of frames of all stacks together.
    static constexpr std::size_t max_frames = std::size_t{8} << 20U;

    /// Reads from `text`, which must outlive the reader and the profile; `file` is for messages.
    pprof_reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    /// Returns the profile, or the first error.
    reading<memory_profile> read() {
        if (text_.size() > max_size)
            return trace::read_error{file_, 0, 0, "a profile of " + trace::decimal(text_.size()) + " bytes",
                                     "at most " + trace::decimal(max_size) + " bytes"};
        if (!read_tables() || !read_samples()) return std::move(error_);
        return std::move(made_);
    }

private:
    using encoding = wire_field::encoding;
    using field = pprof_field;

    struct function {
        std::uint64_t id = 0;
        std::uint64_t name = 0;
        std::uint64_t file = 0;
    };

    struct location {
        std::uint64_t id = 0;
        std::uint32_t first_frame = 0;
        std::uint32_t frame_count = 0;
    };

    bool fail(std::size_t at, const std::string& content, std::string expected) {
        error_ = {file_, 0, 0, content + " at byte " + trace::decimal(at), std::move(expected)};
        return false;
    }

    bool whole(const wire_reader& reader) {
        return reader.damage() == nullptr || fail(reader.at(), reader.damage(), "a whole pprof profile");
    }

    wire_reader inside(const wire_field& message) const {
        return wire_reader(message.bytes, static_cast<std::size_t>(message.bytes.data() - text_.data()));
    }

    /// Calls `visit` with each field of a message; false if that returns false or the message is damaged.
    template <class Visit>
    bool for_each(wire_reader reader, Visit visit) {
        wire_field entry;
        while (reader.next(entry))
            if (!visit(entry)) return false;
        return whole(reader);
    }

    /// Calls `visit` with each number of a repeated field, which is packed or not.
    template <class Visit>
    bool for_each_number(const wire_field& numbers, Visit visit) {
        if (numbers.type != encoding::bytes) return visit(numbers.value);
        wire_reader packed = inside(numbers);
        std::uint64_t value = 0;
        while (packed.next_number(value))
            if (!visit(value)) return false;
        return whole(packed);
    }

    /// Reads strings, functions, locations and the types of the samples, anywhere in the file.
    bool read_tables() {
        std::size_t strings = 0;
        std::size_t samples = 0;
        std::size_t locations = 0;
        const bool counted = for_each(wire_reader(text_), [&](const wire_field& entry) {
            if (entry.type != encoding::bytes) return true;
            strings += entry.number == field::profile_string ? 1 : 0;
            samples += entry.number == field::profile_sample ? 1 : 0;
            locations += entry.number == field::profile_location ? 1 : 0;
            made_.functions += entry.number == field::profile_function ? 1 : 0;
            return true;
        });
        if (!counted) return false;
        strings_.reserve(strings);
        functions_.reserve(made_.functions);
        locations_.reserve(locations);
        made_.samples.reserve(samples);
        made_.locations = locations;
        return for_each(wire_reader(text_),
                        [&](const wire_field& entry) {
                            if (entry.type != encoding::bytes) return true;
                            if (entry.number == field::profile_string) strings_.push_back(entry.bytes);
                            return entry.number != field::profile_function || read_function(entry);
                        }) &&
               sort(functions_, "function") &&
               for_each(wire_reader(text_),
                        [&](const wire_field& entry) {
                            if (entry.type != encoding::bytes) return true;
                            if (entry.number == field::profile_location) return read_location(entry);
                            return entry.number != field::profile_sample_type || read_sample_type(entry);
                        }) &&
               sort(locations_, "location") && check_sample_types();
    }

    bool read_function(const wire_field& message) {
        function result;
        const bool good = for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == field::function_id) result.id = entry.value;
            if (entry.number == field::function_name) result.name = entry.value;
            if (entry.number == field::function_file) result.file = entry.value;
            return true;
        });
        functions_.push_back(result);
        return good;
    }

    bool read_location(const wire_field& message) {
        location result;
        result.first_frame = static_cast<std::uint32_t>(made_.frames.size());
        const bool good = for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == field::location_id) result.id = entry.value;
            return entry.number != field::location_line || entry.type != encoding::bytes || read_line(entry);
        });
        result.frame_count = static_cast<std::uint32_t>(made_.frames.size()) - result.first_frame;
        locations_.push_back(result);
        return good;
    }

    bool read_line(const wire_field& message) {
        std::uint64_t called = 0;
        stack_frame result;
        if (!for_each(inside(message), [&](const wire_field& entry) {
                if (entry.number == field::line_function) called = entry.value;
                if (entry.number == field::line_number) result.line = entry.value;
                return true;
            }))
            return false;
        const function* const known = find(functions_, called);
        if (known == nullptr)
            return fail(message.at, "function " + trace::decimal(called), "a function that the profile has");
        made_.frames.push_back(result);
        stack_frame& kept = made_.frames.back();
        return text_of(known->name, message.at, kept.function) && text_of(known->file, message.at, kept.file);
    }

    bool read_sample_type(const wire_field& message) {
        std::pair<std::string_view, std::string_view> result;
        const bool good = for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == field::type_name) return text_of(entry.value, entry.at, result.first);
            return entry.number != field::type_unit || text_of(entry.value, entry.at, result.second);
        });
        made_.sample_types.push_back(result);
        return good;
    }

    bool check_sample_types() {
        std::string names;
        for (std::size_t at = 0; at < made_.sample_types.size(); ++at) {
            const auto& [name, unit] = made_.sample_types[at];
            if (name == "allocations" && unit == "count") count_at_ = at;
            if (name == "space" && unit == "bytes") space_at_ = at;
            if (at < 8) names += (at == 0 ? "" : ", ") + trace::quoted(name);
        }
        if (count_at_ && space_at_) return true;
        error_ = {file_, 0, 0, names.empty() ? "a profile without values" : "a profile of " + names,
                  "a device memory profile, which has `allocations` and `space`: "
                  "jax.profiler.save_device_memory_profile writes it"};
        return false;
    }

    bool read_samples() {
        return for_each(wire_reader(text_), [&](const wire_field& entry) {
            return entry.number != field::profile_sample || entry.type != encoding::bytes || read_sample(entry);
        });
    }

    bool read_sample(const wire_field& message) {
        profile_sample result;
        result.first_frame = static_cast<std::uint32_t>(made_.stacks.size());
        std::size_t values = 0;
        std::optional<std::int64_t> count;
        std::optional<std::int64_t> space;
        const bool good = for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == field::sample_location)
                return for_each_number(entry, [&](std::uint64_t id) { return add_frames(id, entry.at); });
            if (entry.number == field::sample_value)
                return for_each_number(entry, [&](std::uint64_t value) {
                    if (values == *count_at_) count = static_cast<std::int64_t>(value);
                    if (values == *space_at_) space = static_cast<std::int64_t>(value);
                    ++values;
                    return true;
                });
            return entry.number != field::sample_label || entry.type != encoding::bytes || read_label(entry, result);
        });
        if (!good) return false;
        if (!count || !space) return fail(message.at, "a sample without its values", "a count and bytes");
        if (*count < 0) return fail(message.at, "a sample of less than no objects", "a count that is not negative");
        result.count = static_cast<std::uint64_t>(*count);
        result.space = *space;
        result.frame_count = static_cast<std::uint32_t>(made_.stacks.size()) - result.first_frame;
        made_.samples.push_back(result);
        return true;
    }

    bool add_frames(std::uint64_t id, std::size_t at) {
        const location* const known = find(locations_, id);
        if (known == nullptr) return fail(at, "location " + trace::decimal(id), "a location that the profile has");
        if (known->frame_count > max_frames - made_.stacks.size())
            return fail(at, "more frames", "stacks of at most " + trace::decimal(max_frames) + " frames together");
        for (std::uint32_t item = 0; item < known->frame_count; ++item)
            made_.stacks.push_back(known->first_frame + item);
        return true;
    }

    bool read_label(const wire_field& message, profile_sample& target) {
        std::string_view key;
        std::string_view text;
        std::optional<std::uint64_t> number;
        const bool good = for_each(inside(message), [&](const wire_field& entry) {
            if (entry.number == field::label_key) return text_of(entry.value, entry.at, key);
            if (entry.number == field::label_number) number = entry.value;
            return entry.number != field::label_text || text_of(entry.value, entry.at, text);
        });
        if (key == "kind") target.kind = text;
        if (key == "device" && text.empty() && number)
            text = made_.numbers.try_emplace(*number, trace::decimal(*number)).first->second;
        if (key == "device") target.device = text;
        return good;
    }

    bool text_of(std::uint64_t index, std::size_t at, std::string_view& target) {
        if (index >= strings_.size())
            return fail(at, "string " + trace::decimal(index),
                        "one of the " + trace::decimal(strings_.size()) + " strings of the profile");
        target = strings_[static_cast<std::size_t>(index)];
        return true;
    }

    template <class Value>
    bool sort(std::vector<Value>& all, const char* what) {
        std::sort(all.begin(), all.end(), [](const Value& a, const Value& b) { return a.id < b.id; });
        for (std::size_t at = 1; at < all.size(); ++at) {
            if (all[at].id != all[at - 1].id) continue;
            error_ = {file_, 0, 0, std::string(what) + ' ' + trace::decimal(all[at].id) + " twice",
                      "a pprof profile, where each has a number of its own"};
            return false;
        }
        return true;
    }

    template <class Value>
    static const Value* find(const std::vector<Value>& all, std::uint64_t id) {
        const auto match = std::lower_bound(all.begin(), all.end(), id,
                                            [](const Value& item, std::uint64_t wanted) { return item.id < wanted; });
        return match == all.end() || match->id != id ? nullptr : &*match;
    }

    std::string_view text_;
    std::string file_;
    memory_profile made_;
    std::vector<std::string_view> strings_;
    std::vector<function> functions_;
    std::vector<location> locations_;
    std::optional<std::size_t> count_at_;
    std::optional<std::size_t> space_at_;
    trace::read_error error_;
};

}  // namespace

reading<memory_profile> read_pprof(std::string_view text, std::string file) {
    return pprof_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported
