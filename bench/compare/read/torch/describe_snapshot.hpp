#pragma once
// Describes a memory snapshot of PyTorch for --describe.

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/torch/memory_snapshot.hpp"

namespace hbm::imported {

/// Describes a snapshot, each device separately. It has no arguments, outputs or temporaries, so those are null.
[[nodiscard]] reading<description> describe_snapshot(std::string_view text, const std::string& file);

/// Mobility of the buffers of a layout.
enum class layout_pins : std::uint8_t {
    lifted,  ///< each import is followed by an unpin, so that a manager that compacts may move the buffer
    kept,    ///< all stay in place, as in PyTorch
};

/// Returns the active blocks of a device as imported ranges. Segments lie far apart in the address space. Here they
/// follow one another from offset 0 in the order of their addresses, and blocks keep their place in their segment. Free
/// space on both sides of the border of two segments becomes one hole, which PyTorch would not use as one.
/// Cost: O(n log(n)) of segments, O(blocks).
[[nodiscard]] trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file,
                                           std::string_view device_name = {}, layout_pins pins = layout_pins::lifted);

}  // namespace hbm::imported
