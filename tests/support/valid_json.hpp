#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace hbm::test {

/// A check of JSON (RFC 8259) by recursive descent. Escapes `\u` are not paired, and keys may come twice.
class json_checker {
public:
    explicit json_checker(std::string_view text) : text_(text) {}

    [[nodiscard]] bool is_one_value() {
        const bool good = value(0);
        skip_blanks();
        return good && at_ == text_.size();
    }

private:
    void skip_blanks() {
        while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
    }

    bool take(char wanted) {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    bool word(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    bool digits() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ != begin;
    }

    bool number() {
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (!take('e') && !take('E')) return true;
        if (!take('+')) take('-');
        return digits();
    }

    bool string() {
        if (!take('"')) return false;
        while (!take('"')) {
            if (at_ == text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) return false;
            if (text_[at_++] != '\\') continue;
            if (at_ == text_.size()) return false;
            const char kind = text_[at_++];
            if (std::strchr("\"\\/bfnrtu", kind) == nullptr) return false;
            for (int left = kind == 'u' ? 4 : 0; left != 0; --left)
                if (at_ == text_.size() || std::strchr("0123456789abcdefABCDEF", text_[at_++]) == nullptr) return false;
        }
        return true;
    }

    bool items(char end, bool have_keys, int depth) {
        skip_blanks();
        if (take(end)) return true;
        do {
            skip_blanks();
            if (have_keys && !string()) return false;
            skip_blanks();
            if (have_keys && !take(':')) return false;
            if (!value(depth + 1)) return false;
            skip_blanks();
        } while (take(','));
        return take(end);
    }

    bool value(int depth) {
        skip_blanks();
        if (depth > 64) return false;
        if (take('{')) return items('}', true, depth);
        if (take('[')) return items(']', false, depth);
        return word("true") || word("false") || word("null") || number() || string();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Returns true if the text is one JSON value.
inline bool is_valid_json(std::string_view text) {
    return json_checker(text).is_one_value();
}

}  // namespace hbm::test
