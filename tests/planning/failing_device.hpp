#pragma once

#include <hbm/device/host_device.hpp>
#include <hbm/testing/random.hpp>

namespace hbm::test {

/// Real bytes whose copies fail when told to. A copy that fails leaves anything at its target. It fails the test, by
/// `overlaps`, to ask for ranges that overlap.
class failing_device : public host_device {
public:
    static constexpr fixed_string name{"failing_device"};
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t copies_until_failure = never;
    std::uint64_t overlaps = 0;
    std::uint64_t copied = 0;

    failing_device() = default;
    explicit failing_device(std::uint64_t capacity) : host_device(capacity) {}
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        if (to < from ? to + bytes > from : from + bytes > to) ++overlaps;
        if (copies_until_failure == 0) {
            for (std::byte& garbled : this->bytes(to, bytes)) garbled = static_cast<std::byte>(garbage_.next());
            return false;
        }
        if (copies_until_failure != never) --copies_until_failure;
        ++copied;
        return host_device::copy(to, from, bytes);
    }
    friend bool operator==(const failing_device& a, const failing_device& b) {
        return static_cast<const host_device&>(a) == static_cast<const host_device&>(b);
    }

private:
    testing::random_numbers garbage_{7};
};
static_assert(device<failing_device> && copies<failing_device>);

/// What is written to a buffer: no two bytes near each other are alike, nor are two buffers.
[[nodiscard]] constexpr std::byte written(std::uint64_t seed, std::uint64_t at) {
    return static_cast<std::byte>(testing::random_numbers(seed * 0x100001 + at).next() >> 40);
}

/// Writes to all of a buffer.
template <class Memory>
void write(Memory& memory, buffer held, std::uint64_t seed) {
    std::uint64_t at = 0;
    for (const extent& piece : memory.pieces(held))
        for (std::byte& byte : memory.device().bytes(piece.offset, piece.size)) byte = written(seed, at++);
}

/// Returns true if each byte of a buffer is what was written, wherever it is, and no byte is missing.
template <class Memory>
[[nodiscard]] bool reads_back(const Memory& memory, buffer held, std::uint64_t seed) {
    std::uint64_t at = 0;
    bool good = true;
    for (const extent& piece : memory.pieces(held))
        for (const std::byte byte : memory.device().bytes(piece.offset, piece.size))
            good &= byte == written(seed, at++);
    return good && at >= memory.granted(held) && at != 0;
}

}  // namespace hbm::test
