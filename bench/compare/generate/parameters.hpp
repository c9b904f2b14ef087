#pragma once
// Parameters of generators: names, ranges, and how they are read from `key=value,...`.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    explicit settings(std::span<const parameter> all);

    /// The value of a parameter, which must exist. O(parameters).
    std::uint64_t operator[](std::string_view key) const;

    /// Reads `key=value,...`; false, with a message in `error`, if a part of it is wrong.
    bool read(std::string_view text, std::string& error);

private:
    bool read_part(std::string_view part, std::vector<bool>& given, std::string& error);

    std::string keys() const;

    std::span<const parameter> all_;
    std::vector<std::uint64_t> values_;
};

}  // namespace hbm::trace
