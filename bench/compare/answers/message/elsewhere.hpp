#pragma once
/// Figures of a message in the memory of another device.

#include <hbm/core/memory_spec.hpp>

#include <optional>
#include <string>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Verdict on a message in the memory of another device. At most one of `left` and `missing` is set; neither if the
/// message does not suffice.
struct other_device {
    std::optional<byte_range> left = {};     ///< bytes that the device would have left
    std::optional<byte_range> missing = {};  ///< bytes that it would lack
    std::string text = {};                   ///< sentences about it
};

/// Returns `TPU v5e (15.75G)`, or `a device of 12.00G` without a name. Cost: O(1).
[[nodiscard]] std::string device_in_words(const memory_spec& device);

/// Returns the verdict on the memory of `device` by the message's sizes alone: no program is compiled again, and arrays
/// in use count as they are. Cost: O(1).
[[nodiscard]] other_device on_device(const memory_message& from, const diagnosis& shortage, const memory_spec& device);

}  // namespace hbm::imported
