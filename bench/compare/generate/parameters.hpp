#pragma once
// Parameters of generators: names, ranges, and reading from `key=value,...`.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::trace {

/// Parameter of a generator.
struct parameter {
    std::string_view key;         ///< name of the parameter
    std::uint64_t usual = 0;      ///< default value
    std::uint64_t min_value = 0;  ///< smallest legal value
    std::uint64_t max_value = 0;  ///< largest legal value
    std::string_view meaning;     ///< line for --help
    bool in_bytes = false;        ///< true for a size, which is shown with a binary unit
};

/// Returns a size in bytes in the shortest exact form: a multiple of a binary unit as "4MiB", any other as plain bytes.
std::string binary_size(std::uint64_t bytes);

/// Returns a value of a parameter in the user's notation.
std::string value_with_unit(const parameter& key, std::uint64_t value);

/// Reads a whole number, or a size: "512", "4K", "2MiB", "29.49G", "16GB". Units are binary: K, M, G, T, alone or with
/// "B" or "iB", as in the runtime and the data sheets of TPUs. A fraction has at most six digits and needs a unit; it
/// is rounded down to whole bytes. Returns false for other texts.
bool parse_size(std::string_view text, std::uint64_t& value);

/// Values of a generator's parameters.
class settings {
public:
    /// Constructs default values of all parameters.
    explicit settings(std::span<const parameter> all);

    /// Returns the value of a parameter, which must exist. Cost: O(parameters).
    std::uint64_t operator[](std::string_view key) const;

    /// Reads `key=value,...`. Throws `usage_error`.
    void read(std::string_view text);

private:
    std::string keys() const;

    std::span<const parameter> all_;
    std::vector<std::uint64_t> values_;
};

}  // namespace hbm::trace
