#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// Proofs that no plan makes room.
enum class infeasibility : std::uint8_t {
    unknown,         ///< no plan was found; one may exist
    too_few_bytes,   ///< the free bytes and those that programs can give back do not suffice
    walls,           ///< no range between two walls is long enough
    no_arrangement,  ///< the exhaustive search of moves and evictions is complete
    wrong_call,      ///< the request is invalid: a bad alignment, or a size that is not representable
};

}  // namespace hbm::inline v0
