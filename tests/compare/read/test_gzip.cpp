#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/read_file.hpp"
#include "compare/text/gzip.hpp"

namespace {

using hbm::trace::gunzip;
using hbm::trace::unpacking;

// Written by Python's zlib: a stored block, a fixed code, a dynamic code, and a header with all optional fields.
constexpr std::string_view stored = "1f8b0800000000000203010600f9ff68656c6c6f0a20303a3606000000";
constexpr std::string_view fixed = "1f8b08000000000002034bccc9c94fd649d43131b034e34a047392201c003f25010e1a000000";
constexpr std::string_view dynamic =
    "1f8b080000000000020345d03b0ec2500c44d19eb54ce1eff87939813612fbef08a0f875be927564f938cff70b4f813c8effa848b53b0"
    "22a167735349db34898c4bad312961cc60997da50c3738dc440480fb5144119cabf278c6481a46fa9408d91ca40e64886526e48515c23"
    "d1b0b447eac42a19c91d6d3a5209ba6c28b5df2bc64abfba726384aa71b4b85ea7557c7c004a6fd72362010000";
constexpr std::string_view with_header =
    "1f8b081e00000000020303006162636e616d652e74787400636f6d6d656e740069e8cbc8e402007a7a6fed03000000";

std::string bytes_of(std::string_view hexadecimal) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hexadecimal.size(); at += 2)
        bytes += static_cast<char>(digits.find(hexadecimal[at]) << 4 | digits.find(hexadecimal[at + 1]));
    return bytes;
}

constexpr std::size_t no_limit = 1000000;

/// Returns the text; `damaged` or `too large` if it cannot be unpacked.
std::string text_of(const std::string& packed, std::size_t most = no_limit) {
    std::string text;
    const unpacking ended = gunzip(packed, text, most);
    if (ended == unpacking::done) return text;
    return ended == unpacking::damaged ? "damaged" : "too large";
}

}  // namespace

TEST_CASE("gunzip: reads every kind of block and every field of a header") {
    CHECK(text_of(bytes_of(stored)) == "hello\n");
    CHECK(text_of(bytes_of(fixed)) == "alloc,a,4096\nalloc,b,4096\n");
    CHECK(text_of(bytes_of(with_header)) == "hi\n");
    std::string lines;
    for (int count = 0; count < 24; ++count)
        lines += "alloc,b" + std::to_string(count * count % 97) + "," + std::to_string(512 * count) + "\n";
    CHECK(text_of(bytes_of(dynamic)) == lines);
}

TEST_CASE("gunzip: joins members, passes over zeros behind the last one, and fails for anything else") {
    const std::string two = bytes_of(stored) + bytes_of(with_header);
    CHECK(text_of(two) == "hello\nhi\n");
    CHECK(text_of(two + std::string(1000, '\0')) == "hello\nhi\n");
    CHECK(text_of(two + '\0' + bytes_of(stored)) == "damaged");
    CHECK(text_of(std::string(20, '\0')) == "damaged");
    CHECK(text_of(two + "\x1f\x8b") == "damaged");
    CHECK(text_of({}) == "damaged");
}

TEST_CASE("gunzip: fails for every cut and every changed bit of data and sums") {
    for (const std::string_view sample : {stored, fixed, dynamic, with_header}) {
        const std::string packed = bytes_of(sample);
        const std::string text = text_of(packed);
        for (std::size_t length = 0; length < packed.size(); ++length)
            CHECK(text_of(packed.substr(0, length)) == "damaged");
        constexpr std::size_t header = 10;  // time and system may be anything
        for (std::size_t bit = header * 8; bit < packed.size() * 8; ++bit) {
            std::string changed = packed;
            changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
            // A padding bit has no meaning.
            const std::string result = text_of(changed);
            CHECK((result == "damaged" || result == text));
        }
    }
}

TEST_CASE("gunzip: stops at the limit") {
    CHECK(text_of(bytes_of(stored), 6) == "hello\n");
    for (const std::string_view sample : {stored, fixed, dynamic}) CHECK(text_of(bytes_of(sample), 5) == "too large");
    CHECK(text_of(bytes_of(stored) + bytes_of(with_header), 8) == "too large");
}

TEST_CASE("read_text: unpacks gzip, and names what is damaged") {
    const std::string path = "test_gzip.tmp";
    const auto write = [&](const std::string& bytes) {
        std::FILE* const file = std::fopen(path.c_str(), "wb");
        REQUIRE(file != nullptr);
        CHECK(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
        std::fclose(file);
    };
    write(bytes_of(fixed));
    CHECK(hbm::compare::read_text(path) == "alloc,a,4096\nalloc,b,4096\n");
    write(bytes_of(fixed).substr(0, 20));
    const std::string expected = path + ": found damaged gzip data, expected a whole gzip file: check it with gzip -t";
    CHECK_THROWS_WITH((void)hbm::compare::read_text(path), expected.c_str());
    std::remove(path.c_str());
}
