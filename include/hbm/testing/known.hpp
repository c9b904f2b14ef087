#pragma once

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::testing {

struct known_buffer {
    buffer handle;
    extent where;
    std::uint64_t granted;
    std::uint64_t alignment;
    tag label;
    std::uint32_t pins;
    std::byte pattern;  ///< content of every byte
};
struct known_program {
    program handle;
    std::uint64_t code;
    std::uint64_t scratch;
    bool resident;
    bool must_stay;  ///< must not be evicted in this step
};

}  // namespace hbm::inline v0::testing
