#include "compare/read/xla/text_proto.hpp"

namespace hbm::imported::xla {

text_proto::step text_proto::next() noexcept {
    for (;;) {
        skip_blanks();
        if (at_ == text_.size()) return step::end;
        if (in_list_ && accept(',')) continue;
        if (in_list_ && !accept(']')) return read_value();
        if (in_list_) {
            in_list_ = false;
            continue;
        }
        if (accept('}')) return step::close;
        name_ = word();
        if (name_.empty()) return step::wrong;
        skip_blanks();
        const bool has_colon = accept(':');
        skip_blanks();
        if (accept('{')) return step::open;
        if (!has_colon) return at_ == text_.size() ? step::end : step::wrong;
        if (!accept('[')) return read_value();
        in_list_ = true;
    }
}

text_proto::step text_proto::read_value() noexcept {
    if (at_ == text_.size()) return step::end;
    const char quote = text_[at_];
    if (quote != '"' && quote != '\'') {
        value_ = word();
        return value_.empty() ? step::wrong : step::field;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2U : 1U;
    if (end >= text_.size()) {
        at_ = text_.size();
        return step::end;
    }
    if (text_[end] != quote) return step::wrong;
    value_ = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return step::field;
}

bool text_proto::accept(char wanted) noexcept {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
}

std::string_view text_proto::word() noexcept {
    const std::size_t begin = at_;
    const auto belongs = [](char each) {
        return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
               each == '_' || each == '.' || each == '-' || each == '+';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

void text_proto::skip_blanks() noexcept {
    bool in_comment = false;
    for (; at_ < text_.size(); ++at_) {
        const char each = text_[at_];
        if (each == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
            in_comment = false;
        } else if (each == '#') {
            in_comment = true;
        } else if (!in_comment && each != ' ' && each != '\t' && each != '\r' && each != ';') {
            return;
        }
    }
}

}  // namespace hbm::imported::xla
