#pragma once
// The bytes of a pickle, read one value after the other and never beyond their end.

#include <hbm/core/language.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// A cursor over the bytes of a pickle. Each step is O(1); it returns false, and stays where it is, if the text ends
/// before.
class pickle_input {
public:
    /// Begins at the first byte of `text`, which must outlive the cursor.
    explicit pickle_input(std::string_view text) : text_(text) {}

    /// Whether the text begins as a pickle of protocol 2 to 5.
    [[nodiscard]] bool begins_pickle() const noexcept {
        return text_.size() > 1 && text_[0] == '\x80' && text_[1] >= 2 && text_[1] <= 5;
    }

    /// The byte of the file that comes next.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Where that byte is.
    [[nodiscard]] const char* here() const noexcept { return text_.data() + at_; }

    /// Steps over bytes.
    [[nodiscard]] bool skip(std::size_t size) noexcept {
        if (text_.size() - at_ < size) return false;
        at_ += size;
        return true;
    }

    /// Reads an unsigned number of at most eight bytes, the least first.
    [[nodiscard]] bool number(std::size_t size, std::uint64_t& value) noexcept {
        if (text_.size() - at_ < size) return false;
        value = 0;
        for (std::size_t byte = 0; byte < size; ++byte) value |= std::uint64_t{byte_at(at_ + byte)} << (8 * byte);
        at_ += size;
        return true;
    }

    /// Reads a number of IEEE 754 in eight bytes, the greatest first.
    [[nodiscard]] bool real(double& value) noexcept {
        if (text_.size() - at_ < 8) return false;
        std::uint64_t bits = 0;
        for (int byte = 0; byte < 8; ++byte) bits = bits << 8U | byte_at(at_++);
        value = std::bit_cast<double>(bits);
        return true;
    }

private:
    [[nodiscard]] unsigned char byte_at(std::size_t at) const noexcept { return static_cast<unsigned char>(text_[at]); }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace hbm::imported
