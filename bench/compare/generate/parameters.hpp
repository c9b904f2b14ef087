#pragma once
// Parameters of generators: names, ranges, and how they are read from `key=value,...`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/text/text.hpp"

namespace hbm::trace {

/// A parameter of a generator.
struct parameter {
    std::string_view key;         ///< its name
    std::uint64_t usual = 0;      ///< the value when none is given
    std::uint64_t min_value = 0;  ///< the smallest legal value
    std::uint64_t max_value = 0;  ///< the largest legal value
    std::string_view meaning;     ///< a line for --help
    bool in_bytes = false;        ///< whether it is a size, to be shown with a binary unit
};

/// A size in bytes in the shortest exact form: a multiple of a binary unit as "4MiB", anything else as plain bytes.
std::string size_words(std::uint64_t bytes);

/// A value of a parameter as a user may write it.
std::string value_words(const parameter& of, std::uint64_t value);

/// Reads a whole number, or a size: "512", "4K", "2MiB", "29.49G", "16GB". Units are binary: K, M, G, T, alone or with
/// "B" or "iB", as the runtime and the data sheets of TPUs write the same memory. A fraction has at most six digits and
/// needs a unit; it is rounded down to whole bytes. False if the text is none of these.
bool parse_size(std::string_view text, std::uint64_t& value);

/// The values of a generator's parameters.
class settings {
public:
    /// All parameters have their default values.
    explicit settings(std::span<const parameter> all) : all_(all) {
        for (const parameter& each : all) values_.push_back(each.usual);
    }

    /// The value of a parameter, which must exist. O(parameters).
    std::uint64_t operator[](std::string_view key) const {
        for (std::size_t at = 0; at < all_.size(); ++at) {
            if (all_[at].key == key) return values_[at];
        }
        return 0;
    }

    /// Reads `key=value,...`; false, with a message in `error`, if a part of it is wrong.
    bool read(std::string_view text, std::string& error) {
        std::vector<bool> given(all_.size());
        for (std::size_t from = 0;;) {
            const std::size_t comma = text.find(',', from);
            const bool last = comma == std::string_view::npos;
            const std::string_view part = text.substr(from, last ? comma : comma - from);
            if (!read_part(part, given, error)) return false;
            if (last) return true;
            from = comma + 1;
        }
    }

private:
    bool read_part(std::string_view part, std::vector<bool>& given, std::string& error) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            error = "found " + (part.empty() ? "nothing" : quoted(part)) + ", expected key=value";
            return false;
        }
        const std::string_view key = part.substr(0, equals);
        const std::string_view text = part.substr(equals + 1);
        std::size_t at = 0;
        while (at < all_.size() && all_[at].key != key) ++at;
        if (at == all_.size()) {
            error = "unknown key " + quoted(key) +
                    nearest_words(key, all_, [](const parameter& each) { return each.key; }) + " The keys are " +
                    keys();
            return false;
        }
        if (given[at]) {
            error = "key " + quoted(key) + " twice";
            return false;
        }
        std::uint64_t value = 0;
        const parameter& its = all_[at];
        if (!parse_size(text, value) || value < its.min_value || value > its.max_value) {
            error = "found " + quoted(part) + ", expected " + std::string{key} + " from " +
                    value_words(its, its.min_value) + " to " + value_words(its, its.max_value);
            return false;
        }
        values_[at] = value;
        given[at] = true;
        return true;
    }

    std::string keys() const {
        std::string words;
        for (const parameter& each : all_) words += (words.empty() ? "" : ", ") + std::string{each.key};
        return words;
    }

    std::span<const parameter> all_;
    std::vector<std::uint64_t> values_;
};

}  // namespace hbm::trace
