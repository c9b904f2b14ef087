#pragma once
// Reads messages in the wire format of protocol buffers: fields of a number, a type and a value, one after the other.
// Format: https://protobuf.dev/programming-guides/encoding.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// A field of a message.
struct wire_field {
    /// How the value is written.
    enum class encoding : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

    std::uint64_t number = 0;          ///< which field it is
    encoding type = encoding::varint;  ///< how it is written
    std::uint64_t value = 0;           ///< of a number
    std::string_view bytes = {};       ///< of a string, a message or a packed list
    std::size_t at = 0;                ///< byte in the file at which the field begins
};

/// A cursor over the fields of a message. It never reads beyond the message, and takes O(1) for each field.
class wire_reader {
public:
    /// Reads `message`, which begins at byte `offset` of its file and must outlive the reader.
    explicit wire_reader(std::string_view message, std::size_t offset = 0) : rest_(message), at_(offset) {}

    /// Steps to the next field. False at the end, and where the message is damaged.
    [[nodiscard]] bool next(wire_field& found) {
        if (rest_.empty() || damage_ != nullptr) return false;
        found = {};
        found.at = at_;
        std::uint64_t key = 0;
        if (!read_varint(key)) return false;
        found.number = key >> 3U;
        if (found.number == 0 || found.number > max_number) return fail("a field with a number that no field has");
        switch (key & 7U) {
        case 0:
            return read_varint(found.value);
        case 1:
            found.type = wire_field::encoding::fixed64;
            return read_fixed(8, found.value);
        case 2: {
            found.type = wire_field::encoding::bytes;
            std::uint64_t length = 0;
            if (!read_varint(length)) return false;
            if (length > rest_.size()) return fail("a field that is longer than its message");
            found.bytes = rest_.substr(0, static_cast<std::size_t>(length));
            skip(found.bytes.size());
            return true;
        }
        case 5:
            found.type = wire_field::encoding::fixed32;
            return read_fixed(4, found.value);
        default:
            return fail("a field of a type that is no longer in use");
        }
    }

    /// Steps over a number of a packed list. False at the end, and where the list is damaged.
    [[nodiscard]] bool next_number(std::uint64_t& value) {
        return !rest_.empty() && damage_ == nullptr && read_varint(value);
    }

    /// What is wrong with the message; null as long as nothing is.
    [[nodiscard]] const char* damage() const noexcept { return damage_; }

    /// The byte of the file at which the next field begins, or the damage.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
    static constexpr std::uint64_t max_number = (std::uint64_t{1} << 29U) - 1;

    bool read_varint(std::uint64_t& value) {
        value = 0;
        for (std::size_t byte = 0; byte < rest_.size() && byte < 10; ++byte) {
            const auto part = static_cast<unsigned char>(rest_[byte]);
            // The tenth byte has only the highest bit of 64.
            if (byte == 9 && part > 1) return fail("a number above 64 bits");
            value |= static_cast<std::uint64_t>(part & 0x7fU) << (7 * byte);
            if (part < 0x80) {
                skip(byte + 1);
                return true;
            }
        }
        return fail(rest_.size() < 10 ? "the end in the middle of a number" : "a number above 64 bits");
    }

    bool read_fixed(std::size_t size, std::uint64_t& value) {
        if (rest_.size() < size) return fail("the end in the middle of a number");
        for (std::size_t byte = 0; byte < size; ++byte)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[byte])) << (8 * byte);
        skip(size);
        return true;
    }

    void skip(std::size_t size) {
        rest_.remove_prefix(size);
        at_ += size;
    }

    bool fail(const char* why) {
        damage_ = why;
        return false;
    }

    std::string_view rest_;
    std::size_t at_;
    const char* damage_ = nullptr;
};

}  // namespace hbm::imported
