#pragma once
// Growth in a trace, by tag: without a manager, from the live blocks of the rows.

#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/growth/growth_series.hpp>
#include <hbm/growth/growth_tally.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/growth/forecast.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/workload.hpp"

namespace hbm {

/// Live blocks of a tag at a moment.
struct tag_moment {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< age of the oldest block in steps; empty: none, or unknown

    friend bool operator==(const tag_moment&, const tag_moment&) = default;
};

/// Growth of a tag.
struct tag_growth {
    std::string name = {};     ///< name; empty: blocks without a tag
    bool is_programs = false;  ///< true for programs, which stand for a tag
    bool is_several = false;   ///< true for tags that were counted together, because there are very many
    tag_moment at_peak = {};   ///< live blocks at the peak of all memory
    tag_moment at_end = {};    ///< live blocks at the end, or when a row failed
    std::uint64_t most = 0;    ///< peak of its bytes
    std::optional<growth_forecast> growth = {};  ///< growth; empty: it does not grow
    std::uint64_t risen_bytes = 0;               ///< rise of its floor since the headline's growth began

    friend bool operator==(const tag_growth&, const tag_growth&) = default;
};

/// Steps without data between two with data: memory rose in between.
struct growth_gap {
    std::uint64_t begin = 0;  ///< last step before the gap
    std::uint64_t end = 0;    ///< first step after the gap
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_gap&, const growth_gap&) = default;
};

/// Judgement of a series of steps.
struct growth_summary {
    std::string source = {};         ///< file or workload
    std::string step_name = "step";  ///< word for a step: "step", "run"
    std::uint64_t rows_a_step = 0;   ///< rows of each step, in a trace with steps of equal length; else 0
    growth_unit unit = growth_unit::steps;
    std::vector<std::uint64_t> positions = {};  ///< number or time of each step; empty for plain steps
    std::uint64_t steps = 0;
    std::uint64_t samples = 0;  ///< number of samples that lie unevenly, with `steps` equal parts; else 0
    std::optional<std::uint64_t> capacity = {};  ///< capacity; empty: unknown
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_step = 0;
    std::uint64_t end_bytes = 0;
    std::uint64_t granted_bytes = 0;  ///< `end_bytes` with each block in whole quanta, of an instant; else 0
    std::optional<growth_forecast> growth = {};    ///< growth of all together
    std::optional<growth_forecast> evicting = {};  ///< growth of blocks that cannot be evicted: buffers and the running
                                                   ///< program; empty without programs, or if unknown
    std::optional<growth_spike> spike = {};        ///< spike of all together
    std::vector<tag_growth> tags = {};             ///< tags: growing ones first, then by bytes at the end
    bool has_tags = false;                         ///< true if blocks are given, false for their sum alone
    bool marks_no_steps = false;     ///< true if the trace marks no steps, and none were found: no verdict is reliable
    bool finds_steps = false;        ///< true if rows repeat in a trace without marks: after a step, or a layer of one
    bool is_instant = false;         ///< true if nothing is ever freed or run: a snapshot of a moment, not a history
    std::uint64_t varied_bytes = 0;  ///< range of the floors of all together since the headline's growth began
    std::optional<std::uint64_t> passed_step = {};  ///< first step above the capacity
    bool has_limit = false;                         ///< true if the capacity is the `bytes_limit` of samples
    std::optional<growth_jump> jump = {};           ///< jump of all together; growth is judged before and after it
    std::optional<growth_rise> rise = {};  ///< rise of all together, without the jump: the end is above the beginning,
                                           ///< but steady growth is not proven
    std::optional<growth_gap> gap = {};    ///< gap that alone accounts for the apparent growth, which is not reported

    /// Returns the number of steps or samples.
    [[nodiscard]] std::uint64_t seen() const noexcept { return samples != 0 ? samples : steps; }

    /// Returns the tag of the growth: the one that grows most, or else the one whose floor has risen most; null if
    /// there is none.
    /// Cost: O(tags).
    [[nodiscard]] const tag_growth* culprit() const noexcept;
    /// Returns the growth for the sentence: that of all together, or, if other changes hide it, that of the fastest
    /// tag. Empty if nothing grows.
    /// Cost: O(tags).
    [[nodiscard]] std::optional<growth_forecast> headline() const;

    /// Returns the number or time of a step. Steps beyond the last have the average distance of all steps.
    [[nodiscard]] std::uint64_t position(std::uint64_t step) const noexcept;
    /// Returns the slope of `of` in millionths of a byte for each step, or number, or hour. Saturates on overflow.
    [[nodiscard]] std::uint64_t micro_rate(const steady_growth& of) const noexcept;

    friend bool operator==(const growth_summary&, const growth_summary&) = default;

    /// Returns true if no growth is proven, but all together ends above its beginning. Cost: O(tags).
    [[nodiscard]] bool is_unproven() const { return rise && !headline(); }
};

/// Orders the tags: the fastest first, then by bytes at the end, by the peak, by name. Cost: O(tags log tags).
void rank(growth_summary& summary);

}  // namespace hbm

namespace hbm::trace {

/// Quantum for sizes as the trace has them. Blocks without bytes then do not count.
inline constexpr std::uint64_t exact_sizes = 0;

/// Replay of the rows of a trace without a manager, which reports the beginnings and ends of blocks. Sizes are granted
/// sizes; donated inputs end before the outputs of their run begin, and nothing is evicted. Programs have the number 0,
/// a tag one more than its own. Programs share their scratch, as only a single program runs at a time: it is the
/// largest of those loaded.
class liveness {
public:
    liveness(const workload& trace, std::uint64_t quantum)
        : trace_(&trace), quantum_(quantum), blocks_(trace.ids.size()), loaded_(trace.ids.size()) {}

    /// Live block.
    struct block {
        std::uint64_t bytes = 0;  ///< size; 0: it is not live
        std::uint64_t born = 0;   ///< number of steps that were over when it began
        std::uint32_t which = 0;
    };

    /// Applies the row `at`, with `step` steps over. Calls `begin` and `end` with a number, bytes, and a count of
    /// blocks: 0 for scratch, which belongs to the programs.
    /// Cost: O(arguments + log programs).
    template <class Begin, class End>
    void apply(std::size_t at, std::uint64_t step, Begin begin, End end) {
        const row& next = trace_->rows[at];
        const auto start = [&](id subject, std::uint64_t bytes, std::uint32_t which) {
            // Sums saturate at 64 bits, for any trace.
            bytes = std::min(bytes, ~std::uint64_t{0} - live_);
            if (bytes == 0) return;
            live_ += bytes;
            blocks_[subject] = {bytes, step, which};
            begin(std::size_t{which}, bytes, 1);
        };
        const auto stop = [&](id subject) {
            if (blocks_[subject].bytes == 0) return;
            live_ -= blocks_[subject].bytes;
            end(std::size_t{blocks_[subject].which}, blocks_[subject].bytes, 1);
            blocks_[subject] = {};
        };
        if (next.what == op::alloc || next.what == op::import) start(next.subject, bytes_of(next.bytes), next.tag + 1);
        // The reservation for the loaded programs changes with them.
        const auto reserve = [&] {
            const std::uint64_t wanted = scratches_.empty() ? 0 : *scratches_.rbegin();
            if (wanted < scratch_) {
                live_ -= scratch_ - wanted;
                end(std::size_t{0}, scratch_ - wanted, 0);
                scratch_ = wanted;
            }
            const std::uint64_t more = std::min(wanted - scratch_, ~std::uint64_t{0} - live_);
            if (more == 0) return;
            live_ += more;
            scratch_ += more;
            begin(std::size_t{0}, more, 0);
        };
        const auto load = [&](id subject) {
            if (blocks_[subject].bytes != 0) return;
            start(subject, loaded_[subject].code, 0);
            if (blocks_[subject].bytes != 0) scratches_.insert(loaded_[subject].scratch);
            reserve();
        };
        if (next.what == op::free) stop(next.subject);
        if (next.what == op::unload && blocks_[next.subject].bytes != 0) {
            scratches_.erase(scratches_.find(loaded_[next.subject].scratch));
            stop(next.subject);
            reserve();
        }
        if (next.what == op::load && blocks_[next.subject].bytes == 0) {
            const std::uint64_t scratch = trace_->details[next.detail].scratch;
            loaded_[next.subject] = {bytes_of(next.bytes), scratch == 0 ? 0 : bytes_of(scratch)};
            load(next.subject);
        }
        if (next.what != op::run) return;
        load(next.subject);  // loads a program that was unloaded
        const detail& more = trace_->details[next.detail];
        for (std::uint32_t i = 0; i < more.donated.count; ++i) stop(trace_->operands[more.donated.first + i]);
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            const sized_id& made = trace_->outputs[more.outputs.first + i];
            start(made.name, bytes_of(made.bytes), next.tag + 1);
        }
    }

    [[nodiscard]] const std::vector<block>& blocks() const noexcept { return blocks_; }
    /// Returns the bytes for a run of a program: its code and scratch. Cost: O(1).
    [[nodiscard]] std::uint64_t bytes_to_run(id program) const noexcept {
        return saturating_add(loaded_[program].code, loaded_[program].scratch);
    }
    /// Returns the bytes reserved for the scratch of all programs.
    [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return scratch_; }

private:
    [[nodiscard]] std::uint64_t bytes_of(std::uint64_t bytes) const noexcept {
        return quantum_ == exact_sizes ? bytes : granted(bytes, quantum_);
    }

    /// Sizes of a program.
    struct program_bytes {
        std::uint64_t code = 0, scratch = 0;
    };

    const workload* trace_;
    std::uint64_t quantum_;
    std::uint64_t live_ = 0;                  // bytes of all blocks, and scratch
    std::uint64_t scratch_ = 0;               // bytes reserved for scratch
    std::vector<block> blocks_;               // blocks by id
    std::vector<program_bytes> loaded_;       // programs by id
    std::multiset<std::uint64_t> scratches_;  // scratch of the programs that are loaded now
};

/// Returns the growth in the first `rows` rows of `trace`: all of it, or up to a row that failed. Sizes are granted in
/// quanta of `quantum` bytes, or exact for `exact_sizes`. `capacity`, if given, allows a forecast of the end of memory.
/// Cost: O(rows + steps x tags).
[[nodiscard]] growth_summary growth_of(const workload& trace, std::uint64_t quantum,
                                       std::optional<std::uint64_t> capacity = std::nullopt,
                                       std::size_t rows = ~std::size_t{0});

}  // namespace hbm::trace
