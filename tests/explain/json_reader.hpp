#pragma once

// Whether a text is one JSON value, by the grammar of RFC 8259: enough to test writers with.

#include <cstddef>
#include <string_view>

namespace hbm::test {

/// Reads once from the beginning to the end.
class json_reader {
public:
    static bool is_valid(std::string_view text) {
        json_reader reader{text};
        return reader.value() && reader.at_ == text.size();
    }

private:
    explicit json_reader(std::string_view text) : text_(text) {}

    [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    bool value() {
        if (next() == '{') return list('{', '}', true);
        if (next() == '[') return list('[', ']', false);
        if (next() == '"') return string();
        return take("true") || take("false") || take("null") || number();
    }
    bool list(char begin, char end, bool keyed) {
        if (next() != begin) return false;
        ++at_;
        for (bool first = true; next() != end; first = false) {
            if (!first && !take(",")) return false;
            if (keyed && (!string() || !take(":"))) return false;
            if (!value()) return false;
        }
        ++at_;
        return true;
    }
    bool string() {
        if (!take("\"")) return false;
        for (; at_ < text_.size() && next() != '"'; ++at_) {
            if (static_cast<unsigned char>(next()) < 0x20) return false;
            if (next() != '\\') continue;
            ++at_;
            if (next() == 'u') {
                for (int digit = 0; digit < 4; ++digit)
                    if (std::string_view("0123456789abcdefABCDEF").find(text_[++at_]) == std::string_view::npos)
                        return false;
            } else if (std::string_view("\"\\/bfnrt").find(next()) == std::string_view::npos) {
                return false;
            }
        }
        return take("\"");
    }
    bool number() {
        take("-");
        const std::size_t begin = at_;
        while (next() >= '0' && next() <= '9') ++at_;
        if (at_ == begin || (text_[begin] == '0' && at_ != begin + 1)) return false;
        if (!take(".")) return true;
        const std::size_t fraction = at_;
        while (next() >= '0' && next() <= '9') ++at_;
        return at_ > fraction;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace hbm::test
