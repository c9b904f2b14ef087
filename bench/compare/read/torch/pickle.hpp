#pragma once
// Reads pickles of plain data: dictionaries, lists, tuples, texts, numbers, truths and None, in protocols 2 to 5. A
// pickle is a program for a stack machine, and some of its instructions call functions. The reader rejects these, and
// never calls anything. Lib/pickletools.py of https://github.com/python/cpython describes the instructions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Value in a pickle. Lists, tuples and dictionaries may be shared, and may even contain themselves. Callers that
/// traverse them must bound the number of steps.
struct pickle_value {
    /// Type of a value.
    enum class kind : std::uint8_t { none, truth, integer, real, text, list, tuple, dictionary };

    kind what = kind::none;
    std::uint32_t length = 0;  ///< length of a text in bytes
    union {
        std::int64_t integer = 0;  ///< number, or 0 or 1 of a truth
        double real;
        const char* first;    ///< start of a text in the input
        std::size_t content;  ///< index of a list, tuple or dictionary into `pickle_data::contents`
    };

    /// Returns the text; empty if the value is not a text.
    [[nodiscard]] std::string_view text() const noexcept {
        return what == kind::text ? std::string_view(first, length) : std::string_view();
    }
};

/// Whole pickle. Its texts are views of the input.
struct pickle_data {
    /// Items of lists and tuples; for a dictionary, each key followed by its value.
    std::vector<std::vector<pickle_value>> contents;
    /// Value of the whole pickle.
    pickle_value root;

    /// Returns the items of a list or tuple, and no items for other values. Cost: O(1).
    [[nodiscard]] std::span<const pickle_value> items(const pickle_value& subject) const noexcept {
        if (subject.what != pickle_value::kind::list && subject.what != pickle_value::kind::tuple) return {};
        return contents[subject.content];
    }

    /// Returns keys and values of a dictionary, one after the other, and none for other values. Cost: O(1).
    [[nodiscard]] std::span<const pickle_value> pairs(const pickle_value& subject) const noexcept {
        if (subject.what != pickle_value::kind::dictionary) return {};
        return contents[subject.content];
    }

    /// Returns the value under a text key; null if there is none, or if `of` is not a dictionary. A key that was set
    /// twice has its last value. Only the last 64 keys are searched.
    /// Cost: O(1).
    [[nodiscard]] const pickle_value* find(const pickle_value& subject, std::string_view key) const noexcept {
        constexpr std::size_t most = 64;
        const std::span<const pickle_value> all = pairs(subject);
        for (std::size_t left = all.size() / 2, seen = 0; left != 0 && seen < most; --left, ++seen)
            if (all[2 * left - 2].what == pickle_value::kind::text && all[2 * left - 2].text() == key)
                return &all[2 * left - 1];
        return nullptr;
    }
};

/// Reads a pickle of plain data; `text` must outlive the data. `file` is for messages. Cost: O(length), without
/// recursion.
[[nodiscard]] reading<pickle_data> read_pickle(std::string_view text, std::string file);

/// Cursor over the bytes of a pickle. Each step is O(1); it returns false, without moving, if the text ends before.
class pickle_input {
public:
    /// Begins at the first byte of `text`, which must outlive the cursor.
    explicit pickle_input(std::string_view text) : text_(text) {}

    /// Returns true if the text begins as a pickle of protocol 2 to 5.
    [[nodiscard]] bool begins_pickle() const noexcept;

    /// Returns the byte of the file that comes next.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Returns the address of the next byte.
    [[nodiscard]] const char* here() const noexcept { return text_.data() + at_; }

    /// Steps over bytes.
    [[nodiscard]] bool skip(std::uint64_t size) noexcept;

    /// Reads an unsigned little-endian number of at most eight bytes.
    [[nodiscard]] bool number(std::size_t size, std::uint64_t& value) noexcept;

    /// Reads an IEEE 754 number in eight bytes, big-endian.
    [[nodiscard]] bool real(double& value) noexcept;

private:
    [[nodiscard]] unsigned char byte_at(std::size_t at) const noexcept { return static_cast<unsigned char>(text_[at]); }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace hbm::imported
