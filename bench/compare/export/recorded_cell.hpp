#pragma once
/// Recorded replay of a cell of the comparison, for files of viewers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"
#include "compare/replay/figures.hpp"
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
    /// Returns the bytes that the picture of the memory spans: the capacity; without a limit, the highest end of a
    /// block.
    [[nodiscard]] std::uint64_t span() const noexcept;
    /// Returns true if the rows of the trace have times.
    [[nodiscard]] bool is_timed() const noexcept { return !in->load.times.empty(); }
    /// Returns the microseconds of a row if the trace has times, else its number. For `rows()`, returns the end of the
    /// replay.
    [[nodiscard]] std::uint64_t time(std::size_t row) const noexcept;

    /// `best_fit, t.csv`: the first manager and the title of the workload. Of a sweep: `best_fit, t.csv, capacity
    /// 4GiB`.
    [[nodiscard]] std::string name() const;
    /// Returns the other managers: `and 2 more that cannot differ here: ...`; empty if there are none.
    [[nodiscard]] std::string others() const;
    /// Returns the id of the buffer or program that a block belongs to; `reservation` for the reservation.
    [[nodiscard]] std::string_view id_of(const trace::recorded_block& block) const noexcept;
    /// Returns the tag of the row that began a block; empty if it has none.
    [[nodiscard]] std::string_view tag_of(const trace::recorded_block& block) const noexcept;
    /// `buffer`, `code`, `scratch` or `reservation`.
    [[nodiscard]] static std::string_view kind_of(const trace::recorded_block& block) noexcept;
    /// Returns the bytes that the trace requests, or the granted bytes if it does not state them.
    /// Cost: O(outputs of the row).
    [[nodiscard]] std::uint64_t requested(const trace::recorded_block& block) const noexcept;
};

/// Replays a cell again and records it. `managers` are indexes into the selection.
[[nodiscard]] recorded_cell record_cell(const comparison& of, std::size_t cell_index, const selection& who);

/// Items by the row at which they ended; an item has a member `end`.
class ends_by_row {
public:
    /// Groups the items. Cost: O(items + rows).
    template <class Item>
    ends_by_row(const std::vector<Item>& all, std::size_t rows) : first_(rows + 2, 0), items_(all.size()) {
        for (const Item& each : all) ++first_[each.end + 1];
        for (std::size_t row = 1; row < first_.size(); ++row) first_[row] += first_[row - 1];
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t at = 0; at < all.size(); ++at) items_[next[all[at].end]++] = static_cast<std::uint32_t>(at);
    }

    /// Returns the indexes of items that ended at `row`, in order. For the number of rows, returns those that still
    /// existed at the end.
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t row) const noexcept {
        return std::span(items_).subspan(first_[row], first_[row + 1] - first_[row]);
    }

private:
    std::vector<std::uint32_t> first_;  // first item of each row
    std::vector<std::uint32_t> items_;
};

/// `(free - largest free) / free`; 0 if nothing is free.
[[nodiscard]] constexpr trace::fraction fragmentation_of(const trace::recorded_reading& now) noexcept {
    return now.free == 0 ? trace::fraction{} : trace::fraction::of(now.free - now.largest_free, now.free);
}

}  // namespace hbm::compare
