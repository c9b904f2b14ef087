#include "compare/read/json_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using json_kind = json_value::kind;

/// Appends a code point as UTF-8.
void add_code_point(std::string& target, std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { target += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (point < 0x80) return add(point);
    if (point < 0x800) {
        add(0xc0 | point >> 6U);
    } else {
        if (point < 0x10000) {
            add(0xe0 | point >> 12U);
        } else {
            add(0xf0 | point >> 18U);
            add(0x80 | (point >> 12U & 0x3fU));
        }
        add(0x80 | (point >> 6U & 0x3fU));
    }
    add(0x80 | (point & 0x3fU));
}

/// Reader of a text from its beginning. Functions leave `at_` after the part read; the first failure sets `expected_`.
class reader {
public:
    explicit reader(std::string_view text) : text_(text) {}

    bool read(json_value& target) {
        if (!read_value(target, 0)) return false;
        skip_blanks();
        return at_ == text_.size() || fail("the end of the file");
    }

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] const std::string& expected() const { return expected_; }
    [[nodiscard]] std::string found() const {
        if (at_ >= text_.size()) return "the end of the file";
        const char entry = text_[at_];
        if (static_cast<unsigned char>(entry) < 0x20 || entry == 0x7f) return "a control character";
        return trace::quoted(
            text_.substr(at_, std::min<std::size_t>(text_.find_first_of(" \t\r\n,:]}", at_ + 1), at_ + 20) - at_));
    }

private:
    static constexpr std::size_t max_depth = 64;

    bool fail(std::string expected) {
        expected_ = std::move(expected);
        return false;
    }
    void skip_blanks() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool accept(char entry) {
        if (at_ >= text_.size() || text_[at_] != entry) return false;
        ++at_;
        return true;
    }

    bool read_value(json_value& target, std::size_t depth) {
        skip_blanks();
        target.offset = at_;
        if (depth > max_depth) return fail("arrays and objects at most 64 deep");
        switch (next()) {
        case '{': return read_object(target, depth);
        case '[': return read_array(target, depth);
        case '"': target.what = json_kind::text; return read_text(target.text);
        case 't': return read_word("true", json_kind::truth, target);
        case 'f': return read_word("false", json_kind::truth, target);
        case 'n': return read_word("null", json_kind::null, target);
        default: return read_number(target);
        }
    }

    bool read_word(std::string_view word, json_kind what, json_value& target) {
        if (!text_.substr(at_).starts_with(word)) return fail("a JSON value");
        at_ += word.size();
        target.what = what;
        if (what != json_kind::null) target.text = word;
        return true;
    }

    bool read_number(json_value& target) {
        std::size_t end = at_;
        const auto skip_digits = [&] {
            const std::size_t from = end;
            while (end < text_.size() && is_digit(text_[end])) ++end;
            return end != from;
        };
        const auto is_one_of = [&](std::string_view all) {
            return end < text_.size() && all.find(text_[end]) != std::string_view::npos;
        };
        if (is_one_of("-")) ++end;
        const std::size_t first = end;
        if (!skip_digits() || (text_[first] == '0' && end - first > 1)) return fail("a JSON value");
        if (is_one_of(".")) {
            ++end;
            if (!skip_digits()) return fail("digits after the point");
        }
        if (is_one_of("eE")) {
            ++end;
            if (is_one_of("+-")) ++end;
            if (!skip_digits()) return fail("digits of an exponent");
        }
        target.what = json_kind::number;
        target.text = text_.substr(at_, end - at_);
        at_ = end;
        return true;
    }

    bool read_array(json_value& target, std::size_t depth) {
        target.what = json_kind::array;
        ++at_;
        skip_blanks();
        if (accept(']')) return true;
        do {
            if (!read_value(target.items.emplace_back(), depth + 1)) return false;
            skip_blanks();
        } while (accept(','));
        return accept(']') || fail("`,` or `]`");
    }

    bool read_object(json_value& target, std::size_t depth) {
        target.what = json_kind::object;
        ++at_;
        skip_blanks();
        if (accept('}')) return true;
        std::set<std::string> known;
        do {
            skip_blanks();
            const std::size_t begin = at_;
            std::string key;
            if (next() != '"') return fail("a key in quotes");
            if (!read_text(key)) return false;
            if (!known.insert(key).second) {
                at_ = begin;
                return fail("each key once");
            }
            target.keys.push_back(std::move(key));
            skip_blanks();
            if (!accept(':')) return fail("`:`");
            if (!read_value(target.items.emplace_back(), depth + 1)) return false;
            skip_blanks();
        } while (accept(','));
        return accept('}') || fail("`,` or `}`");
    }

    bool read_text(std::string& target) {
        ++at_;
        while (at_ < text_.size()) {
            const char entry = text_[at_];
            if (accept('"')) return true;
            if (static_cast<unsigned char>(entry) < 0x20) return fail("an escape, such as \\n");
            if (entry == '\\') {
                if (!read_escape(target)) return false;
            } else {
                target += entry;
                ++at_;
            }
        }
        return fail("`\"`");
    }

    bool read_escape(std::string& target) {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (letter != 'u') {
            const std::size_t known = letter == '\0' ? std::string_view::npos : letters.find(letter);
            if (known == std::string_view::npos) return fail("an escape, such as \\n");
            target += meanings[known];
            at_ += 2;
            return true;
        }
        std::uint32_t point = 0;
        if (!read_unit(point)) return false;
        if (point >= 0xd800 && point < 0xdc00) {  // the first half of a pair
            std::uint32_t low = 0;
            if (next() != '\\' || !read_unit(low)) return fail("the second half of a pair of \\u escapes");
            if (low < 0xdc00 || low > 0xdfff) return fail("the second half of a pair of \\u escapes");
            point = 0x10000 + ((point - 0xd800) << 10U) + (low - 0xdc00);
        } else if (point >= 0xdc00 && point < 0xe000) {
            return fail("the first half of a pair of \\u escapes");
        }
        add_code_point(target, point);
        return true;
    }

    /// `\uXXXX`
    bool read_unit(std::uint32_t& target) {
        if (!text_.substr(at_).starts_with("\\u") || at_ + 6 > text_.size()) return fail("\\u and four digits");
        for (std::size_t digit = at_ + 2; digit < at_ + 6; ++digit) {
            const char entry = text_[digit];
            const char lower = entry >= 'A' && entry <= 'F' ? static_cast<char>(entry - 'A' + 'a') : entry;
            const std::size_t value = std::string_view("0123456789abcdef").find(lower);
            if (value == std::string_view::npos) return fail("\\u and four digits");
            target = target << 4U | static_cast<std::uint32_t>(value);
        }
        at_ += 6;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string expected_;
};

}  // namespace

const json_value* json_value::find(std::string_view key) const {
    const auto match = std::find(keys.begin(), keys.end(), key);
    return match == keys.end() ? nullptr : &items[static_cast<std::size_t>(match - keys.begin())];
}

std::string json_words(const json_value& value) {
    switch (value.what) {
    case json_kind::null: return "null";
    case json_kind::array: return "an array";
    case json_kind::object: return "an object";
    default: return trace::quoted(value.text);
    }
}

bool read_json(const std::string& file, std::string_view text, json_value& target, trace::read_error& error) {
    reader from(text);
    if (from.read(target)) return true;
    error = imported::error_at(text, from.at(), file, from.found(), from.expected());
    return false;
}

}  // namespace hbm::compare
