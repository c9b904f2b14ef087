#pragma once
// The bytes of a pickle, read one value after the other and never beyond their end.


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
