#pragma once
// Reads messages in the wire format of protocol buffers: fields of a number, a type and a value, one after the other.
// Format: https://protobuf.dev/programming-guides/encoding.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// A field of a message.
struct wire_field {
    /// Encoding of a value.
    enum class encoding : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

    std::uint64_t number = 0;          ///< number of the field in its message
    encoding type = encoding::varint;  ///< encoding of the value
    std::uint64_t value = 0;           ///< value of a number
    std::string_view bytes = {};       ///< content of a string, a message or a packed list
    std::size_t at = 0;                ///< byte in the file at which the field begins
};

/// Cursor over the fields of a message. It never reads beyond the message, and takes O(1) for each field.
class wire_reader {
public:
    /// Reads `message`, which begins at byte `offset` of its file and must outlive the reader.
    explicit wire_reader(std::string_view message, std::size_t offset = 0) : rest_(message), at_(offset) {}

    /// Steps to the next field. Returns false at the end, and if the message is damaged.
    [[nodiscard]] bool next(wire_field& entry);

    /// Steps over a number of a packed list. Returns false at the end, and if the list is damaged.
    [[nodiscard]] bool next_number(std::uint64_t& value);

    /// Returns the description of the first damage of the message, or null if it is intact.
    [[nodiscard]] const char* damage() const noexcept { return damage_; }

    /// Returns the byte of the file at which the next field, or the damage, begins.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
    bool read_varint(std::uint64_t& value);
    bool read_fixed(std::size_t size, std::uint64_t& value);
    void skip(std::size_t size);
    bool fail(const char* why);

    std::string_view rest_;
    std::size_t at_;
    const char* damage_ = nullptr;
};

}  // namespace hbm::imported
