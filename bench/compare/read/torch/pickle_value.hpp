#pragma once
// The values of a pickle: what plain data in Python is made of.


#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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

}  // namespace hbm::imported
