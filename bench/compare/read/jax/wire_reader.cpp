#include "compare/read/jax/wire_reader.hpp"

namespace hbm::imported {

bool wire_reader::next(wire_field& entry) {
    if (rest_.empty() || damage_ != nullptr) return false;
    entry = {};
    entry.at = at_;
    std::uint64_t key = 0;
    if (!read_varint(key)) return false;
    entry.number = key >> 3U;
    constexpr std::uint64_t max_number = (std::uint64_t{1} << 29U) - 1;
    if (entry.number == 0 || entry.number > max_number) return fail("a field with a number that no field has");
    switch (key & 7U) {
    case 0: return read_varint(entry.value);
    case 1: entry.type = wire_field::encoding::fixed64; return read_fixed(8, entry.value);
    case 2: {
        entry.type = wire_field::encoding::bytes;
        std::uint64_t length = 0;
        if (!read_varint(length)) return false;
        if (length > rest_.size()) return fail("a field that is longer than its message");
        entry.bytes = rest_.substr(0, static_cast<std::size_t>(length));
        skip(entry.bytes.size());
        return true;
    }
    case 5: entry.type = wire_field::encoding::fixed32; return read_fixed(4, entry.value);
    default: return fail("a field of a type that is no longer in use");
    }
}

bool wire_reader::next_number(std::uint64_t& value) {
    return !rest_.empty() && damage_ == nullptr && read_varint(value);
}

bool wire_reader::read_varint(std::uint64_t& value) {
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

bool wire_reader::read_fixed(std::size_t size, std::uint64_t& value) {
    if (rest_.size() < size) return fail("the end in the middle of a number");
    for (std::size_t byte = 0; byte < size; ++byte)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[byte])) << (8 * byte);
    skip(size);
    return true;
}

void wire_reader::skip(std::size_t size) {
    rest_.remove_prefix(size);
    at_ += size;
}

bool wire_reader::fail(const char* why) {
    damage_ = why;
    return false;
}

}  // namespace hbm::imported
