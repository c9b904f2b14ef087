#pragma once

/// Proofs that nothing makes room.

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm {

/// Why there is no plan, as far as it is proven.
enum class infeasibility : std::uint8_t {
    unknown,         ///< none was found; there may be one
    too_few_bytes,   ///< what is free and what programs could give back is not enough
    walls,           ///< no stretch between two walls is long enough
    no_arrangement,  ///< all arrangements that moves and evictions lead to were looked at
    wrong_call,      ///< what is asked for can never be had: an alignment that is none, a size that cannot be counted
};

}  // namespace hbm
