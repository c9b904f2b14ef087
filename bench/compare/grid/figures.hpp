#pragma once
/// The list of figures: what tables, CSV, JSON and the page print of each manager on each workload.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "compare/grid/offline.hpp"
#include "compare/managers/manager_entry.hpp"
#include "compare/replay/figures.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// A manager on a workload.
struct figure_source {
    const scenario& in;
    const manager_entry& who;
    const trace::figures& found;
    const std::optional<offline_figures>& offline;
};

/// Value of a figure; `monostate` if it does not apply or is unknown.
using figure_value = std::variant<std::monostate, bool, std::uint64_t, trace::fraction, std::string>;

enum class unit : std::uint8_t { text, bytes, microseconds, count, event, share, ratio };
enum class better : std::uint8_t { neither, less, more };

/// A figure. To add one, add a row to the list in figures.cpp.
struct cell_figure {
    std::string_view key;    ///< name in CSV and JSON
    std::string_view title;  ///< head of a column in tables; empty: in CSV and JSON only
    unit in = unit::text;
    better which = better::neither;
    unsigned rank = 0;  ///< columns of the highest rank are left out first if a table is too wide; 0: never
    figure_value (*of)(const figure_source& source) = nullptr;
};

/// Returns all figures in the order of CSV and JSON.
[[nodiscard]] std::span<const cell_figure> all_figures() noexcept;

/// Returns a value for people; `-` for nothing and for none.
[[nodiscard]] std::string in_words(unit in, const figure_value& value);

}  // namespace hbm::compare
