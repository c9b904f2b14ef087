#pragma once
// What --describe prints of a file of another program: values of the schema hbm-describe/1, and their JSON.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::imported {

/// A value in a description.
struct described {
    enum class kind : std::uint8_t { nothing, number, negative, truth, text, list, fields };
    using list = std::vector<described>;
    using fields = std::vector<std::pair<std::string, described>>;

    described() = default;
    described(bool is_true) : what(kind::truth), number(is_true ? 1 : 0) {}
    described(std::unsigned_integral auto value) : what(kind::number), number(value) {}
    described(std::int64_t value)
        : what(value < 0 ? kind::negative : kind::number),
          number(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)) {}
    described(const std::optional<std::uint64_t>& value) {
        if (!value) return;
        what = kind::number;
        number = *value;
    }
    described(const char* value) : what(kind::text), text(value) {}
    described(std::string_view value) : what(kind::text), text(value) {}
    described(std::string value) : what(kind::text), text(std::move(value)) {}
    described(list all) : what(kind::list), items(std::move(all)) {}
    described(fields all) : what(kind::fields), named(std::move(all)) {}
    described(const std::vector<std::uint64_t>& numbers) : what(kind::list), items(numbers.begin(), numbers.end()) {}

    kind what = kind::nothing;
    std::uint64_t number = 0;  ///< of a negative number what it lies below 0
    std::string text = {};
    list items = {};
    fields named = {};
};

/// Content of a file. Sizes are bytes in the device's main memory. Empty fields are not stated by the file.
struct description {
    file_kind kind = file_kind::unknown;
    described name = {};            ///< name of the program
    described argument_bytes = {};  ///< total of all arguments
    described output_bytes = {};    ///< total of all outputs, including those that take over an argument
    described alias_bytes = {};     ///< total of the outputs that take over an argument
    described temp_bytes = {};      ///< total of temporaries
    described constant_bytes = {};
    described peak_bytes = {};    ///< peak of the whole program
    described arguments = {};     ///< fields of each: parameter, index and bytes, and more
    described outputs = {};       ///< fields of each: index and bytes, and more
    described aliases = {};       ///< fields of each: output, parameter, index and kind
    described::fields more = {};  ///< fields of this kind of file only
};

/// Writes `found`, read from `file`, as an object of the list `files` of the schema hbm-describe/1. Empty fields are
/// null. Cost: O(size of the description).
void write_description(json_writer& json, std::string_view file, const description& found);

}  // namespace hbm::imported
