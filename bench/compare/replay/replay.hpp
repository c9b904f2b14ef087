#pragma once
// Replays a workload in a manager.

#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/explain/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/figures.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// The names of blocks in the memory of a replay.
enum class naming : std::uint8_t {
    tags,  ///< the tag of the row; the fastest, because the manager's tags have the numbers of the workload's tags
    ids,   ///< the id of the buffer or program and the tag of its row
};

/// Replays a workload row by row. Each row is a call of the manager, with two exceptions: the load of an unloaded
/// program first ends the unloaded program, and donated buffers that are pinned are freed after the run.
class replay {
public:
    /// `memory` must be new. Both arguments must outlive the replay, and `trace` must not change.
    replay(const workload& trace, replayed_memory& memory, naming names = naming::tags);

    /// Applies the next row; false at a row that fails, and at the end.
    bool step();
    /// The index of the next row, or of the row that failed.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Why the last row failed.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    /// The message of the runtime for that failure.
    [[nodiscard]] std::string words() const { return message(trouble_, trace_->ids[trace_->rows[at_].subject]); }

    /// The handle of a buffer of the workload; stale or empty if the buffer is not in memory.
    [[nodiscard]] buffer buffer_of(id subject) const noexcept { return buffers_[subject]; }
    /// The same for a program.
    [[nodiscard]] program program_of(id subject) const noexcept { return programs_[subject]; }

    /// The buffers that the last row allocated: its allocation, or its outputs that took over no input, in order.
    [[nodiscard]] const std::vector<buffer>& fresh() const noexcept { return fresh_; }

    /// The free bytes that the next row needs in total: a new buffer; a program that has to be loaded; outputs of a run
    /// that take over no donated buffer. The largest number on overflow. O(arguments).
    [[nodiscard]] std::uint64_t bytes_needed(std::uint64_t quantum);

private:
    bool apply(const row& next);

    /// Loads a new program, or an evicted program again. An unloaded program counts as new: it may have another size.
    bool load(id subject);

    /// The arguments of a run; the lists are kept in members.
    run_spec gather_arguments(const row& next);

    /// Runs a program, which the manager loads again if it was evicted or unloaded.
    bool run(const row& next);

    tag label_of(id subject, const row& where);

    bool failed(const failure& why);
    bool good(const result<done>& outcome) { return outcome ? true : failed(outcome.error()); }

    const workload* trace_;
    replayed_memory* memory_;
    std::vector<buffer> buffers_;       // by id
    std::vector<program> programs_;     // by id
    std::vector<std::uint32_t> loads_;  // by id: the row of the latest load
    std::vector<buffer> inputs_, donated_, fresh_;
    std::vector<output> outputs_;
    std::vector<std::uint32_t> kept_;
    std::size_t at_ = 0;
    naming names_;
    failure trouble_;
};

/// Replays `trace` in `memory`, which must be new and has quanta of `quantum` bytes. Returns all figures but the
/// minimum capacity and the time. `is_unlimited`: the capacity counts as unlimited.
[[nodiscard]] figures measure(const workload& trace, replayed_memory& memory, std::uint64_t quantum, bool is_unlimited);

/// Whether `trace` completes in `memory`, which must be new.
[[nodiscard]] bool completes(const workload& trace, replayed_memory& memory);

/// Nanoseconds per row of a replay in `memory`, which must be new, on the host, including a virtual call per row; 0 for
/// an empty workload. If the workload does not complete, only the rows before the failure count.
[[nodiscard]] double time(const workload& trace, replayed_memory& memory);

}  // namespace hbm::trace
