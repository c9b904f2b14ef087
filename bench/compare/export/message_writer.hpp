#pragma once

/// Writes messages in the wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding).

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::compare {

/// A message; zeros are left out, as in version 3 of the language.
class message_writer {
public:
    void number(std::uint64_t field, std::uint64_t value) {
        if (value == 0) return;
        variable(field << 3U);
        variable(value);
    }
    /// Writes a text, or a message within.
    void bytes(std::uint64_t field, std::string_view value) {
        variable(field << 3U | 2U);
        variable(value.size());
        text_ += value;
    }
    /// Writes a repeated number, packed.
    template <class Numbers>
    void numbers(std::uint64_t field, const Numbers& all) {
        message_writer packed;
        for (const std::uint64_t each : all) packed.variable(each);
        bytes(field, packed.text());
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void variable(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) text_ += static_cast<char>(value | 0x80U);
        text_ += static_cast<char>(value);
    }

    std::string text_;
};

}  // namespace hbm::compare
