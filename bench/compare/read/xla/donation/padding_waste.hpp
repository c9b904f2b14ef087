#pragma once
// Which arguments and outputs of a program take more memory than their elements: tiles round dimensions up.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/read/xla/donation/donation_advice.hpp"

namespace hbm::imported {

/// Arrays of the same shape that are padded.
struct padded_group {
    std::string shape;
    std::size_t count = 0;
    std::uint64_t bytes = 0;           ///< of one of them on the device
    std::uint64_t unpadded_bytes = 0;  ///< of its elements alone

    /// The padding of all of them, in bytes.
    [[nodiscard]] std::uint64_t waste() const noexcept { return (bytes - unpadded_bytes) * count; }
};

/// What padding costs a program.
struct padding_waste {
    std::vector<padded_group> groups;  ///< the largest waste first
    std::uint64_t bytes = 0;           ///< of padding in all
};

/// The padding of arguments and of outputs that do not take over an argument, in device memory. Arrays whose sizes
/// without padding are unknown count as not padded. O(n log n).
[[nodiscard]] padding_waste find_padding(const donation_question& in);

}  // namespace hbm::imported
