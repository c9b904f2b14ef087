#pragma once
/// Managers with a well-known name, from <hbm/tpu/managers.hpp>. They are managers under a second name, so nothing is
/// replayed for them.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "compare/managers/manager_entry.hpp"
#include "compare/managers/selection.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// Well-known name of a manager.
struct named_manager {
    std::string_view name;
    std::string_view stands_for;  ///< name of the shipped manager that it stands for
    std::string_view models;      ///< modelled system, for the report
};

/// Model of the TPU runtime, the manager of every program on a TPU.
inline constexpr named_manager runtime_manager{
    "tpu::runtime_memory", "bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size",
    "the XLA:TPU runtime: placement as measured, the rest as published or assumed"};

/// All named managers, in the order of the list.
inline constexpr std::array named_managers{
    runtime_manager, named_manager{"xla_bfc", "bfc/never_evict/donate_same_size", "XLA's allocator on GPUs"}};

/// Returns the named manager of that name, or null. Cost: O(named managers).
[[nodiscard]] const named_manager* find_named(std::string_view name);

/// Returns true if both are shipped managers with the same policies, under one name or two.
/// Cost: O(length of the names).
[[nodiscard]] bool same_manager(const manager_entry& a, const manager_entry& b);

/// Returns true if a manager of the selection is an earlier manager of it under a second name. Cost: O(managers).
[[nodiscard]] bool is_second_name(const selection& who, std::size_t at);

/// Returns the number of selected managers: a manager under two names counts once. Cost: O(managers^2).
[[nodiscard]] std::size_t count_managers(const selection& who);

/// Returns the name of a manager and of `others` that share its figures: `best_fit`, or `best_fit (and 11 more)`.
[[nodiscard]] std::string group_name(std::string_view first, std::size_t others);

/// Returns the types of the selected managers with an alias or a well-known name: a line for each.
[[nodiscard]] std::vector<std::string> names_explained(const selection& who);

/// Returns the type of a shipped manager as it is written after `#include <hbm/hbm.hpp>`: `hbm::tpu::runtime_memory`
/// for a named manager, else `hbm::manager<...>`. For a manager of a user, returns the name alone. `is_wide`: over
/// 64-bit quanta, for memories of more than 2^32 - 1 quanta.
/// Cost: O(length of the name).
[[nodiscard]] std::string type_text(const manager_entry& of, bool is_wide);

/// Returns the number of choices in the manager: policies and adaptors other than the null or default choice, in
/// addition to the placement. The fewer, the simpler.
/// Cost: O(length of the name).
[[nodiscard]] std::size_t choices_of(const manager_entry& of);

}  // namespace hbm::compare
