#pragma once

/// What a random story remembers, to compare a manager with.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::testing {

/// What a story knows of a buffer that lives.
struct known_buffer {
    buffer handle;
    extent where;
    std::uint64_t granted;
    std::uint64_t alignment;
    tag label;
    std::uint32_t pins;
    std::byte pattern;  ///< what every byte of it holds
};
/// What a story knows of a program that is not unloaded.
struct known_program {
    program handle;
    std::uint64_t code;
    std::uint64_t scratch;
    bool resident;
    bool must_stay;  ///< in this step: memory is wanted for it
};

}  // namespace hbm::testing
