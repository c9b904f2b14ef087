#pragma once

/// Manager of the comparison: its names, its abilities, and functions that make a memory under it. Entries are values,
/// so that shipped managers and those of users are in the same list. entry.hpp makes an entry of a manager type.

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
    bool has_footprint = false;    ///< false if it places from the top, and is compared by its minimum capacity
    bool shipped = false;          ///< true for a shipped manager, whose names and abilities determine its figures
    bool is_model = false;         ///< true if it stands for the allocator of another program, and is not recommended
    std::uint64_t max_quanta = 0;  ///< largest capacity
    policy_choices choices = {};   ///< policies of a shipped manager; a user's manager has them in its type
    memory_spec (*unlimited)(std::uint64_t quantum) = nullptr;
    std::unique_ptr<trace::replayed_memory> (*make)(const memory_spec&, const policy_choices&) = nullptr;
    /// Explains a failed row in a memory that `make` made; null for a model.
    void (*explain)(const trace::replayed_memory&, const failed_row&, failure_report& into) = nullptr;

    [[nodiscard]] std::unique_ptr<trace::replayed_memory> memory(const memory_spec& spec) const {
        return make(spec, choices);
    }
};

}  // namespace hbm::compare
