#pragma once

/// What hbm_compare knows of a manager: its names, what it can do, and how to replay a workload with it. A value, so
/// that shipped managers and a user's own stand in one list. How to make one of a manager type: entry.hpp.

#include <hbm/core/memory_spec.hpp>
#include <hbm/trace/figures.hpp>
#include <hbm/trace/workload.hpp>

#include <cstdint>
#include <string_view>

namespace hbm::compare {

struct account;

/// How to replay with one manager type. Empty pointers: there is no such type.
struct driver {
    memory_spec (*unlimited)(std::uint64_t quantum) = nullptr;
    trace::figures (*measure)(const trace::workload&, const memory_spec&, bool is_unlimited) = nullptr;
    bool (*completes)(const trace::workload&, const memory_spec&) = nullptr;
    double (*time)(const trace::workload&, const memory_spec&) = nullptr;
    /// Replays until a row fails and gives an account of that; null where the other width does.
    void (*explain)(const trace::workload&, const memory_spec&, account& into) = nullptr;
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
    bool reserves = false;  ///< places from the top: no footprint, compared by its minimum capacity
    bool shipped = false;   ///< differs from another shipped manager only by what its policies say
    driver narrow;          ///< over 32-bit quanta
    driver wide;            ///< over 64-bit quanta; may be empty
};

}  // namespace hbm::compare
