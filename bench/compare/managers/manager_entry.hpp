#pragma once

/// Manager of the comparison: its names, its abilities, and functions that construct one. Entries are values, so that
/// shipped managers and those of users are in the same list. entry.hpp makes an entry of a manager type.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

#include "compare/managers/policy_choices.hpp"
#include "compare/replay/replayed_memory.hpp"

namespace hbm::trace {
struct workload;
}

namespace hbm::compare {

struct failed_row;
struct failure_report;

/// Functions that depend on a manager type; null if there is no such type. A type with fixed policies ignores the
/// passed choices.
struct driver {
    memory_spec (*unlimited)(std::uint64_t quantum) = nullptr;
    std::unique_ptr<trace::replayed_memory> (*make)(const memory_spec&, const policy_choices&) = nullptr;
    /// Function that explains a failed row, in a memory that `make` of this driver made; null if the other width
    /// explains.
    void (*explain)(const trace::replayed_memory&, const failed_row&, failure_report& into) = nullptr;
    bool is_typed = true;         ///< true if it has the manager's own type, so that its times are meaningful
    policy_choices choices = {};  ///< choices passed to `make`

    [[nodiscard]] std::unique_ptr<trace::replayed_memory> memory(const memory_spec& spec) const {
        return make(spec, choices);
    }
};

/// Manager of the comparison. The texts of its names are never freed.
struct manager_entry {
    std::string_view name;  ///< `placement/eviction/donation`, and `/relief` if it is not the default, without trailing
                            ///< null policies
    std::string_view full_name;  ///< name with trailing null policies
    std::string_view placement;
    std::string_view eviction;
    std::string_view donation;
    std::string_view relief;
    bool evicts = false;
    bool donates = false;
    bool moves = false;
    bool has_footprint = false;     ///< false if it places from the top, and is compared by its minimum capacity
    bool shipped = false;           ///< true for a shipped manager, whose names and abilities determine its figures
    bool is_model = false;          ///< true if it stands for the allocator of another program, and is not recommended
    driver narrow;  ///< driver over 32-bit quanta; empty for most shipped managers that are not in the default list
    driver wide;    ///< driver over 64-bit quanta; empty if a user gives none

    /// Returns true if it has a type of its own with meaningful times.
    [[nodiscard]] constexpr bool is_timed() const noexcept { return narrow.make != nullptr && narrow.is_typed; }
};

}  // namespace hbm::compare
