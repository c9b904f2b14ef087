#pragma once

/// Damage for readers of files: a few random changes to good bytes.

#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hbm::test {

/// Returns the bytes with one to four changes: a byte changed, one of `pieces` put in, a part left out or doubled,
/// rarely the end cut off.
inline std::string damaged(std::string bytes, std::span<const std::string_view> pieces,
                           testing::random_numbers& random) {
    const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size() + 1)); };
    for (std::uint64_t change = 1 + random.below(4); change != 0; --change) {
        const std::size_t at = place();
        const std::size_t length = 1 + static_cast<std::size_t>(random.below(random.once_in(2) ? 4 : 40));
        const std::uint64_t kind = random.below(6);
        if (kind == 0 && at < bytes.size())
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        else if (kind == 1 && at < bytes.size())
            bytes[at] = static_cast<char>(random.below(256));
        else if (kind == 2)
            bytes.insert(at, pieces[static_cast<std::size_t>(random.below(pieces.size()))]);
        else if (kind == 3)
            bytes.insert(at, bytes.substr(place(), 5 * length));
        else if (kind == 4)
            bytes.erase(at, length);
        else if (random.once_in(4))
            bytes.resize(at);
    }
    return bytes;
}

}  // namespace hbm::test
