#pragma once
/// Managers that people know by a name of their own, from <hbm/tpu/managers.hpp>. They are shipped managers under a
/// second name: entries with the same drivers, so nothing is compiled or replayed for them.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "compare/managers/manager_entry.hpp"
#include "compare/managers/selection.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// A name that people know.
struct named_manager {
    std::string_view name;
    std::string_view stands_for;  ///< the name of the shipped manager that it is
    std::string_view models;      ///< what it models, for the report
};

/// The model of the TPU runtime, which is what people have who run programs on a TPU.
inline constexpr named_manager runtime_manager{
    "tpu::runtime_memory", "bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size",
    "what is publicly known of the XLA:TPU runtime, with stated assumptions for the rest"};

/// All of them, in the order of the list.
inline constexpr std::array named_managers{
    runtime_manager, named_manager{"xla_bfc", "bfc/never_evict/donate_same_size", "XLA's allocator on GPUs"}};

/// Puts the named managers in front of the shipped managers, which must contain what they stand for. O(managers).
void add_named(manager_entries& shipped);

/// The named manager of that name, or null. O(named managers).
[[nodiscard]] const named_manager* find_named(std::string_view name);

/// Whether both are shipped managers with the same policies, under one name or two. O(length of the names).
[[nodiscard]] bool same_manager(const manager_entry& a, const manager_entry& b);

/// Whether a manager of the selection is an earlier manager of it under a second name. O(managers).
[[nodiscard]] bool is_second_name(const selection& who, std::size_t at);

/// How many managers take part: a manager under two names is a single manager. O(managers^2).
[[nodiscard]] std::size_t count_managers(const selection& who);

/// What a manager and `others` beside it that share its figures are called: `best_fit`, or `best_fit (and 11 more)`.
[[nodiscard]] std::string group_name(std::string_view first, std::size_t others);

/// What the names stand for that take part: a sentence for each.
[[nodiscard]] std::vector<std::string> names_explained(const selection& who);

/// The type of a shipped manager as it is written after `#include <hbm/hbm.hpp>`: `hbm::tpu::runtime_memory` for a
/// named manager, else `hbm::manager<...>`; the name alone for a manager of a user. `is_wide`: over 64-bit quanta, for
/// memories of more than 2^32 - 1 quanta. O(length of the name).
[[nodiscard]] std::string type_text(const manager_entry& of, bool is_wide);

/// How many choices make up the manager: policies and adaptors that are not the null or default choice, beside the
/// placement itself. The fewer, the simpler. O(length of the name).
[[nodiscard]] std::size_t choices_of(const manager_entry& of);

}  // namespace hbm::compare
