#pragma once
// Replays a workload in a manager.

#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/explain/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/figures.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Names of blocks in the memory of a replay.
enum class naming : std::uint8_t {
    tags,  ///< tags of the rows; the fastest, because the manager's tags have the numbers of the workload's tags
    ids,   ///< id of the buffer or program and the tag of its row
};

/// Replay of a workload, row by row. Each row is a call of the manager, with two exceptions. The load of an unloaded
/// program first ends the unloaded program, and donated buffers that are pinned are freed after the run.
class replay {
public:
    /// Starts a replay. Requires: `memory` is new. Both arguments must outlive the replay, and `trace` must not change.
    replay(const workload& trace, replayed_memory& memory, naming names = naming::tags);

    /// Applies the next row; returns false at a row that fails, and at the end.
    bool step();
    /// Applies the next row like `step()`, and reads ahead what rows free, so that their cache misses overlap. In long
    /// traces these take half of the time. Not for measured times, since a program does not read ahead.
    bool step_ahead();
    /// Returns the index of the next row, or of the row that failed.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Returns the failure of the last row.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    /// Returns the message of the runtime for that failure.
    [[nodiscard]] std::string words() const { return message(trouble_, trace_->ids[trace_->rows[at_].subject]); }

    /// Returns the handle of a buffer of the workload; stale or empty if the buffer is not in memory.
    [[nodiscard]] buffer buffer_of(id subject) const noexcept { return buffers_[subject]; }
    /// Returns the handle of a program of the workload; stale or empty if the program is not in memory. Requires: a row
    /// loads it.
    [[nodiscard]] program program_of(id subject) const noexcept { return programs_[subject]; }

    /// Returns the buffers that the last row allocated: its allocation, or its outputs that took over no input, in
    /// order.
    [[nodiscard]] const std::vector<buffer>& fresh() const noexcept { return fresh_; }

    /// Returns the free bytes that the next row needs in total: a new buffer; a program to load; outputs of a run that
    /// take over no donated buffer. Saturates on overflow.
    /// Cost: O(arguments).
    [[nodiscard]] std::uint64_t bytes_needed(std::uint64_t quantum);

private:
    static constexpr std::size_t rows_ahead = 16;

    bool apply(const row& next);

    /// Reads the buffers that the next rows free. Those that are not allocated yet have an empty range.
    void read_ahead();

    /// Loads a new program, or an evicted program again. An unloaded program counts as new: it may have another size.
    bool load(id subject);

    /// Returns the arguments of a run; members hold the lists.
    run_spec gather_arguments(const row& next);

    /// Runs a program, which the manager loads again if it was evicted or unloaded.
    bool run(const row& next);

    tag label_of(id subject, const row& where);

    bool failed(const failure& why);
    bool good(const result<done>& outcome) { return outcome ? true : failed(outcome.error()); }

    const workload* trace_;
    replayed_memory* memory_;
    std::vector<buffer> buffers_;       // buffers by id
    std::vector<program> programs_;     // programs by id; this and the next are empty without details
    std::vector<std::uint32_t> loads_;  // row of the latest load of each id
    std::vector<buffer> inputs_, donated_, fresh_;
    std::vector<output> outputs_;
    std::vector<std::uint32_t> kept_;
    std::size_t at_ = 0;
    naming names_;
    failure trouble_;
};

/// Replays `trace` in `memory`. Returns all figures except the minimum capacity. `is_unlimited`: the
/// capacity counts as unlimited. Requires: `memory` is new and has quanta of `quantum` bytes.
[[nodiscard]] figures measure(const workload& trace, replayed_memory& memory, std::uint64_t quantum, bool is_unlimited);

/// Returns true if `trace` completes in `memory`, which must be new.
[[nodiscard]] bool completes(const workload& trace, replayed_memory& memory);

}  // namespace hbm::trace
