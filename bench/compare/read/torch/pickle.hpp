#pragma once
// Reads pickles of plain data: dictionaries, lists, tuples, texts, numbers, truths and None, in protocols 2 to 5. A
// pickle is a program for a stack machine, and some of its instructions call functions; here these are refused and
// nothing is ever called. The instructions are described in Lib/pickletools.py of https://github.com/python/cpython.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/reading.hpp"

namespace hbm::imported {

/// A value in a pickle. Lists, tuples and dictionaries may be shared, and may even contain themselves: whoever walks
/// through them bounds the number of steps.
struct pickle_value {
    /// What a value is.
    enum class kind : std::uint8_t { none, truth, integer, real, text, list, tuple, dictionary };

    kind what = kind::none;
    std::uint32_t length = 0;  ///< of a text in bytes
    union {
        std::int64_t integer = 0;  ///< also of a truth: 0 or 1
        double real;
        const char* first;    ///< of a text, in what was read
        std::size_t content;  ///< of a list, tuple or dictionary: its number in `pickle_data::contents`
    };

    /// The text; empty if the value is none.
    [[nodiscard]] std::string_view text() const noexcept {
        return what == kind::text ? std::string_view(first, length) : std::string_view();
    }
};

/// A whole pickle. Its texts are views of what was read.
struct pickle_data {
    /// What lists and tuples hold; of a dictionary, each key and after it its value.
    std::vector<std::vector<pickle_value>> contents;
    /// The value that the pickle stands for.
    pickle_value root;

    /// The items of a list or tuple; none of anything else. O(1).
    [[nodiscard]] std::span<const pickle_value> items(const pickle_value& of) const noexcept {
        if (of.what != pickle_value::kind::list && of.what != pickle_value::kind::tuple) return {};
        return contents[of.content];
    }

    /// Keys and values of a dictionary, one after the other; none of anything else. O(1).
    [[nodiscard]] std::span<const pickle_value> pairs(const pickle_value& of) const noexcept {
        if (of.what != pickle_value::kind::dictionary) return {};
        return contents[of.content];
    }

    /// The value under a key that is a text; null if there is none, or if `of` is no dictionary. A key that was set
    /// twice has its last value. Only the last 64 keys are looked at, so that this is O(1).
    [[nodiscard]] const pickle_value* find(const pickle_value& of, std::string_view key) const noexcept {
        constexpr std::size_t most = 64;
        const std::span<const pickle_value> all = pairs(of);
        for (std::size_t left = all.size() / 2, seen = 0; left != 0 && seen < most; --left, ++seen)
            if (all[2 * left - 2].what == pickle_value::kind::text && all[2 * left - 2].text() == key)
                return &all[2 * left - 1];
        return nullptr;
    }
};

/// Reads a pickle of plain data; `text` must outlive the data. `file` is for messages. Cost: O(length), without
/// recursion.
[[nodiscard]] reading<pickle_data> read_pickle(std::string_view text, std::string file);

/// A cursor over the bytes of a pickle. Each step is O(1); it returns false, and stays where it is, if the text ends
/// before.
class pickle_input {
public:
    /// Begins at the first byte of `text`, which must outlive the cursor.
    explicit pickle_input(std::string_view text) : text_(text) {}

    /// Whether the text begins as a pickle of protocol 2 to 5.
    [[nodiscard]] bool begins_pickle() const noexcept;

    /// The byte of the file that comes next.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Where that byte is.
    [[nodiscard]] const char* here() const noexcept { return text_.data() + at_; }

    /// Steps over bytes.
    [[nodiscard]] bool skip(std::size_t size) noexcept;

    /// Reads an unsigned number of at most eight bytes, the least first.
    [[nodiscard]] bool number(std::size_t size, std::uint64_t& value) noexcept;

    /// Reads a number of IEEE 754 in eight bytes, the greatest first.
    [[nodiscard]] bool real(double& value) noexcept;

private:
    [[nodiscard]] unsigned char byte_at(std::size_t at) const noexcept { return static_cast<unsigned char>(text_[at]); }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace hbm::imported
