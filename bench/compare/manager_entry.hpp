#pragma once

/// What hbm_compare knows of a manager: its names, what it can do, and how to make one. A value, so that shipped
/// managers and a user's own stand in one list. How to make one of a manager type: entry.hpp.

#include <hbm/core/memory_spec.hpp>
#include <hbm/trace/replayed_memory.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace hbm::compare {

struct failed_row;
struct failure_report;

/// What depends on a manager type. Empty pointers: there is no such type.
struct driver {
    memory_spec (*unlimited)(std::uint64_t quantum) = nullptr;
    std::unique_ptr<trace::replayed_memory> (*make)(const memory_spec&) = nullptr;
    /// Explains why a row failed, in a memory that `make` of the same driver made; null where the other width does.
    void (*explain)(const trace::replayed_memory&, const failed_row&, failure_report& into) = nullptr;
};

/// A manager of the comparison. Names live as long as the program.
struct manager_entry {
    std::string_view name;  ///< `placement/eviction/donation`, and `/relief` where that is not the default, without
                            ///< trailing null policies
    std::string_view full_name;  ///< the same with them
    std::string_view placement;
    std::string_view eviction;
    std::string_view donation;
    std::string_view relief;
    bool evicts = false;
    bool donates = false;
    bool moves = false;
    bool has_footprint = false;     ///< else it places from the top, and is compared by its minimum capacity
    bool learns_from_tags = false;  ///< where it places a block depends on the tag
    bool shipped = false;           ///< differs from another shipped manager only by what its policies say
    driver narrow;                  ///< over 32-bit quanta
    driver wide;                    ///< over 64-bit quanta; may be empty
};

}  // namespace hbm::compare
