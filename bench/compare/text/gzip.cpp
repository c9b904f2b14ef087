#include "compare/text/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace hbm::trace {

namespace {

/// Packed bytes, read bit by bit. Behind the end there are zeros, and `is_cut()` is true.
class bit_reader {
public:
    explicit bit_reader(std::string_view bytes) : bytes_(bytes) {}

    /// Returns the next `count` bits, at most 16, and keeps them.
    std::uint32_t peek(unsigned count) {
        for (; held_ < count; held_ += 8, ++next_)
            bits_ |= std::uint32_t{next_ < bytes_.size() ? static_cast<unsigned char>(bytes_[next_]) : 0U} << held_;
        return bits_ & ((1U << count) - 1U);
    }
    void skip(unsigned count) {
        bits_ >>= count;
        held_ -= count;
    }
    std::uint32_t take(unsigned count) {
        const std::uint32_t value = peek(count);
        skip(count);
        return value;
    }
    std::uint32_t take_word() {
        const std::uint32_t low = take(16);
        return low | take(16) << 16;
    }
    /// Drops the rest of a byte.
    void align() { skip(held_ % 8); }

    /// Returns the position of the next byte. Requires: it is aligned.
    [[nodiscard]] std::size_t position() const { return next_ - held_ / 8; }
    void move_to(std::size_t position) {
        next_ = position;
        bits_ = held_ = 0;
    }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - std::min(position(), bytes_.size()); }
    [[nodiscard]] bool is_cut() const { return next_ - held_ / 8 > bytes_.size(); }
    [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
    std::string_view bytes_;
    std::size_t next_ = 0;
    std::uint32_t bits_ = 0;
    unsigned held_ = 0;
};

constexpr unsigned longest_code = 15;
constexpr unsigned no_symbol = 0xffff;

/// Canonical prefix code.
class prefix_code {
public:
    /// Constructs the code of these lengths; 0 for symbols without a code.
    explicit prefix_code(std::span<const std::uint8_t> lengths) {
        for (const std::uint8_t length : lengths) ++counts_[length];
        is_empty_ = counts_[0] == lengths.size();
        counts_[0] = 0;
        int left = 1;
        for (unsigned length = 1; length <= longest_code && left >= 0; ++length) left = 2 * left - counts_[length];
        is_over_ = left < 0;
        is_full_ = left == 0;
        if (is_over_) return;
        std::array<std::uint16_t, longest_code + 2> offsets{};
        std::array<std::uint32_t, longest_code + 2> codes{};
        for (unsigned length = 1; length <= longest_code; ++length) {
            offsets[length + 1] = static_cast<std::uint16_t>(offsets[length] + counts_[length]);
            codes[length + 1] = (codes[length] + counts_[length]) << 1;
        }
        for (unsigned symbol = 0; symbol < lengths.size(); ++symbol) {
            const unsigned length = lengths[symbol];
            if (length == 0) continue;
            symbols_[offsets[length]++] = static_cast<std::uint16_t>(symbol);
            std::uint32_t reversed = 0;
            for (unsigned bit = 0; bit < length; ++bit) reversed |= (codes[length] >> bit & 1U) << (length - 1 - bit);
            ++codes[length];
            for (std::uint32_t at = reversed; length <= fast_bits && at < fast_.size(); at += 1U << length)
                fast_[at] = static_cast<std::uint16_t>(symbol << 4 | length);
        }
    }

    /// Returns true if every sequence of bits has a symbol.
    [[nodiscard]] bool is_full() const { return is_full_; }
    [[nodiscard]] bool is_empty() const { return is_empty_; }
    /// Returns true for a code that may be used: full, empty, or of a single symbol of one bit.
    [[nodiscard]] bool is_usable() const {
        return is_full_ || is_empty_ || (!is_over_ && counts_[1] == 1 && is_single());
    }

    /// Returns the next symbol; `no_symbol` for bits that are none.
    unsigned read(bit_reader& from) const {
        const std::uint32_t bits = from.peek(longest_code);
        if (const unsigned known = fast_[bits & (fast_.size() - 1)]; known != 0) {
            from.skip(known & 15U);
            return known >> 4;
        }
        unsigned code = 0;
        unsigned first = 0;
        unsigned index = 0;
        for (unsigned length = 1; length <= longest_code; ++length) {
            code |= bits >> (length - 1) & 1U;
            const unsigned count = counts_[length];
            if (code < first + count) {
                from.skip(length);
                return symbols_[index + (code - first)];
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        return no_symbol;
    }

private:
    static constexpr unsigned fast_bits = 10;

    [[nodiscard]] bool is_single() const {
        return std::all_of(counts_.begin() + 2, counts_.end(), [](std::uint16_t count) { return count == 0; });
    }

    std::array<std::uint16_t, longest_code + 1> counts_{};
    std::array<std::uint16_t, 288> symbols_{};
    std::array<std::uint16_t, 1U << fast_bits> fast_{};  ///< symbol and length of short codes; 0: a longer one
    bool is_empty_ = false;
    bool is_over_ = false;
    bool is_full_ = false;
};

constexpr std::array<std::uint16_t, 29> base_lengths{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> length_bits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, 30> base_distances{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                       33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                       1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

constexpr std::array<std::uint32_t, 256> crc_table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1U) != 0 ? 0xedb88320U : 0U);
        table[byte] = rest;
    }
    return table;
}();

std::uint32_t crc_of(std::string_view bytes) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) crc = crc >> 8 ^ crc_table[(crc ^ static_cast<unsigned char>(byte)) & 0xffU];
    return ~crc;
}

/// Unpacks one member after the other into a text.
class unpacker {
public:
    unpacker(std::string_view packed, std::string& target, std::size_t most)
        : from_(packed), target_(target), most_(most) {}

    unpacking unpack() {
        do {
            begin_ = target_.size();
            if (!read_header()) return unpacking::damaged;
            for (bool is_last = false; !is_last;) {
                is_last = from_.take(1) != 0;
                if (!read_block(from_.take(2)) || from_.is_cut())
                    return is_large_ ? unpacking::too_large : unpacking::damaged;
            }
            from_.align();
            const std::string_view member = std::string_view(target_).substr(begin_);
            if (from_.take_word() != crc_of(member)) return unpacking::damaged;
            if (from_.take_word() != static_cast<std::uint32_t>(member.size()) || from_.is_cut())
                return unpacking::damaged;
        } while (from_.left() != 0);
        return unpacking::done;
    }

private:
    bool read_header() {
        const std::size_t begin = from_.position();
        if (from_.take(16) != 0x8b1f || from_.take(8) != 8) return false;
        const unsigned flags = from_.take(8);
        if ((flags & 0xe0U) != 0) return false;
        from_.move_to(from_.position() + 6);  // time, kind and system
        if ((flags & 4U) != 0) {
            const std::size_t length = from_.take(16);
            from_.move_to(from_.position() + length);
        }
        for (const unsigned text : {8U, 16U})  // name and comment
            if ((flags & text) != 0) {
                const std::size_t end = from_.bytes().find('\0', std::min(from_.position(), from_.bytes().size()));
                if (end == std::string_view::npos) return false;
                from_.move_to(end + 1);
            }
        if (from_.is_cut()) return false;
        const std::uint32_t crc = crc_of(from_.bytes().substr(begin, from_.position() - begin)) & 0xffffU;
        return (flags & 2U) == 0 || from_.take(16) == crc;
    }

    bool read_block(unsigned kind) {
        switch (kind) {
        case 0: return read_stored();
        case 1: return read_fixed();
        case 2: return read_dynamic();
        default: return false;
        }
    }

    bool has_room(std::size_t length) {
        is_large_ = length > most_ - target_.size();
        return !is_large_;
    }

    bool read_stored() {
        from_.align();
        const std::uint32_t length = from_.take(16);
        if (from_.take(16) != (length ^ 0xffffU) || from_.left() < length || !has_room(length)) return false;
        const std::size_t at = from_.position();
        target_.append(from_.bytes().substr(at, length));
        from_.move_to(at + length);
        return true;
    }

    bool read_fixed() {
        static const auto codes = [] {
            std::array<std::uint8_t, 288> lengths{};
            for (std::size_t at = 0; at < lengths.size(); ++at)
                lengths[at] = at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8;
            std::array<std::uint8_t, 32> distances{};
            distances.fill(5);
            return std::pair(prefix_code(lengths), prefix_code(distances));
        }();
        return read_symbols(codes.first, codes.second);
    }

    bool read_dynamic() {
        const std::size_t literals = from_.take(5) + 257;
        const std::size_t distances = from_.take(5) + 1;
        const std::size_t count = from_.take(4) + 4;
        if (literals > 286 || distances > 30) return false;
        constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
        std::array<std::uint8_t, 19> own{};
        for (std::size_t at = 0; at < count; ++at) own[order[at]] = static_cast<std::uint8_t>(from_.take(3));
        const prefix_code code(own);
        if (!code.is_full()) return false;
        std::array<std::uint8_t, 286 + 30> lengths{};
        for (std::size_t at = 0; at < literals + distances;) {
            const unsigned symbol = code.read(from_);
            if (symbol < 16) {
                lengths[at++] = static_cast<std::uint8_t>(symbol);
                continue;
            }
            if (symbol == 16 && at == 0) return false;
            const std::uint8_t value = symbol == 16 ? lengths[at - 1] : std::uint8_t{0};
            const std::size_t repeats = symbol == 16   ? 3 + from_.take(2)
                                        : symbol == 17 ? 3 + from_.take(3)
                                                       : 11 + from_.take(7);
            if (repeats > literals + distances - at) return false;
            std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), repeats, value);
            at += repeats;
        }
        if (lengths[256] == 0) return false;  // no end of the block
        const std::span<const std::uint8_t> all(lengths);
        const prefix_code literal_code(all.first(literals));
        const prefix_code distance_code(all.subspan(literals, distances));
        return literal_code.is_usable() && distance_code.is_usable() && read_symbols(literal_code, distance_code);
    }

    bool read_symbols(const prefix_code& literals, const prefix_code& distances) {
        constexpr unsigned end_of_block = 256;
        while (!from_.is_cut()) {
            unsigned symbol = literals.read(from_);
            if (symbol == end_of_block) return true;
            if (symbol < end_of_block) {
                if (!has_room(1)) return false;
                target_ += static_cast<char>(symbol);
                continue;
            }
            symbol -= end_of_block + 1;
            if (symbol >= base_lengths.size()) return false;
            const std::size_t length = base_lengths[symbol] + from_.take(length_bits[symbol]);
            const unsigned far = distances.read(from_);
            if (far >= base_distances.size()) return false;
            const std::size_t distance = base_distances[far] + from_.take(far < 4 ? 0 : far / 2 - 1);
            if (distance > target_.size() - begin_ || !has_room(length)) return false;
            for (std::size_t count = length; count != 0; --count) target_ += target_[target_.size() - distance];
        }
        return false;
    }

    bit_reader from_;
    std::string& target_;
    std::size_t most_;
    std::size_t begin_ = 0;  ///< start of the member in the target
    bool is_large_ = false;
};

}  // namespace

unpacking gunzip(std::string_view packed, std::string& unpacked, std::size_t most) {
    unpacked.clear();
    const unpacking ended = unpacker(packed, unpacked, most).unpack();
    if (ended == unpacking::done)
        unpacked.shrink_to_fit();
    else
        unpacked = std::string();
    return ended;
}

}  // namespace hbm::trace
