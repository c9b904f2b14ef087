#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "compare/page/bytes.hpp"
#include "compare/page/huffman.hpp"

namespace hbm::compare {

namespace {

constexpr std::size_t min_match = 3;
constexpr std::size_t max_match = 258;
constexpr std::size_t window = 32768;
constexpr std::size_t end_of_block = 256;
constexpr std::size_t symbols_a_block = 40'000;
constexpr unsigned tried_matches = 96;

/// A byte, or a repetition of earlier bytes.
struct piece {
    std::uint16_t length = 0;    ///< 1 for a byte
    std::uint16_t distance = 0;  ///< 0 for a byte
    unsigned char byte = 0;
};

/// A number as deflate writes it: a symbol, and bits beside it.
struct coded {
    std::uint16_t symbol;
    std::uint16_t extra;
    std::uint8_t extra_bits;
};

coded code_of_length(unsigned length) {
    if (length == max_match) return {285, 0, 0};
    const unsigned value = length - 3;
    if (value < 8) return {static_cast<std::uint16_t>(257 + value), 0, 0};
    const unsigned bits = static_cast<unsigned>(std::bit_width(value)) - 3;
    return {static_cast<std::uint16_t>(257 + 4 * bits + (value >> bits)),
            static_cast<std::uint16_t>(value & ((1U << bits) - 1)), static_cast<std::uint8_t>(bits)};
}

coded code_of_distance(unsigned distance) {
    const unsigned value = distance - 1;
    if (value < 4) return {static_cast<std::uint16_t>(value), 0, 0};
    const unsigned bits = static_cast<unsigned>(std::bit_width(value)) - 2;
    return {static_cast<std::uint16_t>(2 * bits + (value >> bits)),
            static_cast<std::uint16_t>(value & ((1U << bits) - 1)), static_cast<std::uint8_t>(bits)};
}

class bit_writer {
public:
    void add(std::uint32_t bits, unsigned count) {
        held_ |= std::uint64_t{bits} << count_;
        for (count_ += count; count_ >= 8; count_ -= 8, held_ >>= 8) bytes_ += static_cast<char>(held_ & 0xff);
    }
    void add(prefix_code code) { add(code.bits, code.length); }
    [[nodiscard]] std::string finish() {
        if (count_ != 0) add(0, 8 - count_);
        return std::move(bytes_);
    }

private:
    std::string bytes_;
    std::uint64_t held_ = 0;
    unsigned count_ = 0;
};

/// Finds repetitions through chains of earlier places with the same three bytes.
class match_finder {
public:
    explicit match_finder(std::string_view bytes)
        : bytes_(bytes), latest_(1 << 15, none), earlier_(bytes.size(), none) {}

    /// The longest repetition at `at`, or the byte there.
    [[nodiscard]] piece find(std::size_t at) const {
        piece best{.length = 1, .distance = 0, .byte = static_cast<unsigned char>(bytes_[at])};
        const std::size_t most = std::min(max_match, bytes_.size() - at);
        if (most < min_match) return best;
        std::uint32_t place = latest_[hash(at)];
        for (unsigned tried = 0; place != none && at - place <= window - 1 && tried < tried_matches; ++tried) {
            if (best.length == 1 || bytes_[place + best.length] == bytes_[at + best.length]) {
                std::size_t length = 0;
                while (length < most && bytes_[place + length] == bytes_[at + length]) ++length;
                if (length >= min_match && length > best.length) {
                    best.length = static_cast<std::uint16_t>(length);
                    best.distance = static_cast<std::uint16_t>(at - place);
                    if (length == most) break;
                }
            }
            place = earlier_[place];
        }
        return best;
    }
    void remember(std::size_t at) {
        if (bytes_.size() - at < min_match) return;
        std::uint32_t& head = latest_[hash(at)];
        earlier_[at] = head;
        head = static_cast<std::uint32_t>(at);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    [[nodiscard]] std::size_t hash(std::size_t at) const {
        std::uint32_t three = 0;
        for (std::size_t byte = 0; byte < 3; ++byte) three = three << 8 | static_cast<unsigned char>(bytes_[at + byte]);
        return (three * 2654435761U) >> 17;
    }

    std::string_view bytes_;
    std::vector<std::uint32_t> latest_, earlier_;
};

std::vector<piece> pieces_of(std::string_view bytes) {
    match_finder matches(bytes);
    std::vector<piece> made;
    for (std::size_t at = 0; at < bytes.size();) {
        piece found = matches.find(at);
        matches.remember(at);
        // A longer repetition may begin at the next byte.
        if (found.distance != 0 && found.length < 64 && at + 1 < bytes.size() &&
            matches.find(at + 1).length > found.length)
            found = {.length = 1, .distance = 0, .byte = static_cast<unsigned char>(bytes[at])};
        for (std::size_t next = at + 1; next < at + found.length; ++next) matches.remember(next);
        made.push_back(found);
        at += found.length;
    }
    return made;
}

/// Lengths of codes, with repetitions of zeros and of lengths written short (RFC 1951, 3.2.7).
std::vector<coded> shorten(const std::vector<std::uint8_t>& lengths) {
    std::vector<coded> made;
    for (std::size_t at = 0; at < lengths.size();) {
        std::size_t run = 1;
        while (at + run < lengths.size() && lengths[at + run] == lengths[at]) ++run;
        const std::uint8_t length = lengths[at];
        at += run;
        if (length != 0) {
            made.push_back({length, 0, 0});
            --run;
        }
        while (run != 0) {
            const std::size_t part = std::min<std::size_t>(run, length != 0 ? 6 : 138);
            if (part < 3)
                made.insert(made.end(), part, coded{length, 0, 0});
            else if (length != 0)
                made.push_back({16, static_cast<std::uint16_t>(part - 3), 2});
            else if (part < 11)
                made.push_back({17, static_cast<std::uint16_t>(part - 3), 3});
            else
                made.push_back({18, static_cast<std::uint16_t>(part - 11), 7});
            run -= part;
        }
    }
    return made;
}

void write_codes(bit_writer& to, const std::vector<prefix_code>& literals, const std::vector<prefix_code>& distances) {
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::vector<std::uint8_t> lengths;
    for (const auto* codes : {&literals, &distances})
        for (const prefix_code& code : *codes) lengths.push_back(code.length);
    const std::vector<coded> shortened = shorten(lengths);
    std::array<std::uint32_t, 19> counts{};
    for (const coded& each : shortened) ++counts[each.symbol];
    const std::vector<prefix_code> codes = prefix_codes(counts, 7);
    to.add(static_cast<std::uint32_t>(literals.size() - 257), 5);
    to.add(static_cast<std::uint32_t>(distances.size() - 1), 5);
    to.add(19 - 4, 4);
    for (const std::uint8_t symbol : order) to.add(codes[symbol].length, 3);
    for (const coded& each : shortened) {
        to.add(codes[each.symbol]);
        to.add(each.extra, each.extra_bits);
    }
}

void write_block(bit_writer& to, const piece* begin, const piece* end, bool is_last) {
    std::array<std::uint32_t, 286> literal_counts{};
    std::array<std::uint32_t, 30> distance_counts{};
    for (const piece* at = begin; at != end; ++at) {
        ++literal_counts[at->distance == 0 ? at->byte : code_of_length(at->length).symbol];
        if (at->distance != 0) ++distance_counts[code_of_distance(at->distance).symbol];
    }
    literal_counts[end_of_block] = 1;
    const std::vector<prefix_code> literals = prefix_codes(literal_counts, 15);
    const std::vector<prefix_code> distances = prefix_codes(distance_counts, 15);
    to.add(is_last ? 1 : 0, 1);
    to.add(2, 2);
    write_codes(to, literals, distances);
    for (const piece* at = begin; at != end; ++at) {
        if (at->distance == 0) {
            to.add(literals[at->byte]);
            continue;
        }
        const coded length = code_of_length(at->length);
        to.add(literals[length.symbol]);
        to.add(length.extra, length.extra_bits);
        const coded distance = code_of_distance(at->distance);
        to.add(distances[distance.symbol]);
        to.add(distance.extra, distance.extra_bits);
    }
    to.add(literals[end_of_block]);
}

}  // namespace

std::string deflated(std::string_view bytes) {
    const std::vector<piece> pieces = pieces_of(bytes);
    bit_writer to;
    std::size_t at = 0;
    do {
        const std::size_t count = std::min(symbols_a_block, pieces.size() - at);
        write_block(to, pieces.data() + at, pieces.data() + at + count, at + count == pieces.size());
        at += count;
    } while (at < pieces.size());
    return to.finish();
}

}  // namespace hbm::compare
