#pragma once
/// Recorded replay of a cell of the comparison, for files of viewers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/grid/result.hpp"
#include "compare/replay/history.hpp"

namespace hbm::compare {

/// Replay of a cell. Rows count from 0; row `n` is the time after row `n` was applied.
struct recorded_cell {
    const scenario* in = nullptr;
    const cell* of = nullptr;
    std::vector<std::string_view> managers;  ///< managers of the cell, which cannot differ on its workload
    trace::history what;

    /// Returns the number of rows that were applied.
    [[nodiscard]] std::size_t rows() const noexcept { return what.readings.size(); }
    /// Returns true if memory has a capacity; without one, free bytes are meaningless.
    [[nodiscard]] bool is_limited() const noexcept { return of->found.capacity_bytes.has_value(); }
    /// Returns true if the rows of the trace have times.
    [[nodiscard]] bool is_timed() const noexcept { return !in->load.times.empty(); }
    /// Returns the microseconds of a row if the trace has times, else its number. For `rows()`, returns the end of the
    /// replay.
    [[nodiscard]] std::uint64_t time(std::size_t row) const noexcept;

    /// `best_fit, t.csv`: the first manager and the title of the workload.
    [[nodiscard]] std::string name() const;
    /// Returns the other managers: `and 2 more that cannot differ here: ...`; empty if there are none.
    [[nodiscard]] std::string others() const;
    /// Returns the id of the buffer or program that a block belongs to; `reservation` for the reservation.
    [[nodiscard]] std::string_view id_of(const trace::recorded_block& block) const noexcept;
    /// Returns the tag of the row that began a block; empty if it has none.
    [[nodiscard]] std::string_view tag_of(const trace::recorded_block& block) const noexcept;
    /// `buffer`, `code`, `scratch` or `reservation`.
    [[nodiscard]] static std::string_view kind_of(const trace::recorded_block& block) noexcept;
};

/// Replays a cell again and records it. `managers` are indexes into the selection.
[[nodiscard]] recorded_cell record_cell(const comparison& of, std::size_t cell_index, const selection& who);

/// `(free - largest free) / free`; 0 if nothing is free.
[[nodiscard]] constexpr trace::fraction fragmentation_of(const trace::recorded_reading& now) noexcept {
    return now.free == 0 ? trace::fraction{} : trace::fraction::of(now.free - now.largest_free, now.free);
}

}  // namespace hbm::compare
