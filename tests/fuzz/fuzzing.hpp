#pragma once

/// The parts of all fuzz targets: numbers out of bytes, and the end of the program where a rule is broken.

#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hbm::test {

/// Ends the program with the name of a broken rule, which libFuzzer takes for a crash.
inline void expect(bool holds, const char* rule) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", rule);
    std::abort();
}

/// The bytes of a target as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Numbers out of the bytes of a target, or out of a seed without end. A number takes as few bytes as its bound needs,
/// so that a changed byte changes one decision. After the last byte all numbers are 0.
class numbers {
public:
    explicit numbers(std::uint64_t seed) : random_(seed) {}
    numbers(const std::uint8_t* data, std::size_t size) : random_(0), data_(data), left_(size), is_finite_(true) {}

    /// Returns true when all bytes are taken.
    [[nodiscard]] bool is_empty() const { return is_finite_ && left_ == 0; }

    std::uint64_t next() { return is_finite_ ? take(8) : random_.next(); }
    std::uint64_t below(std::uint64_t bound) {
        return (is_finite_ ? take(bound <= 256 ? 1 : bound <= 65536 ? 2 : 8) : random_.next()) % bound;
    }
    bool once_in(std::uint64_t rounds) { return below(rounds) == rounds - 1; }

private:
    std::uint64_t take(int count) {
        std::uint64_t value = 0;
        for (; count != 0 && left_ != 0; --count, --left_) value = value << 8 | *data_++;
        return value;
    }

    testing::random_numbers random_;
    const std::uint8_t* data_ = nullptr;
    std::size_t left_ = 0;
    bool is_finite_ = false;
};

}  // namespace hbm::test
