#pragma once
// What grows in a trace, by tag: without a manager, from what the rows say is live.

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

#include "compare/growth/change.hpp"
#include "compare/growth/ended_series.hpp"
#include "compare/growth/forecast.hpp"
#include "compare/read/samples/sample_series.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/workload.hpp"

namespace hbm {

/// The live blocks of a tag at a moment.
struct tag_moment {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> oldest_steps = {};  ///< how many steps ended since the oldest block was allocated;
                                                     ///< empty without blocks, or where that is not known

    friend bool operator==(const tag_moment&, const tag_moment&) = default;
};

/// What is known of a tag.
struct tag_growth {
    std::string name = {};                       ///< empty: blocks without a tag
    bool is_programs = false;                    ///< programs, which stand for a tag
    bool is_several = false;                     ///< tags that were counted together, because there are very many
    tag_moment at_peak = {};                     ///< when the most was live in all
    tag_moment at_end = {};                      ///< at the end, or when a row failed
    std::uint64_t most = 0;                      ///< the most bytes that it ever had
    std::optional<growth_forecast> growth = {};  ///< empty: it does not grow
    std::uint64_t risen_bytes = 0;               ///< by how much its floor rose since the headline's growth began

    friend bool operator==(const tag_growth&, const tag_growth&) = default;
};

/// Steps of which nothing is known, between two that are known: by as much memory rose from the one to the other.
struct growth_gap {
    std::uint64_t begin = 0;  ///< the last step before
    std::uint64_t end = 0;    ///< the first step after
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_gap&, const growth_gap&) = default;
};

/// A series of steps, judged.
struct growth_summary {
    std::string source = {};         ///< a file or a workload
    std::string step_name = "step";  ///< what a step is called: "step", "run"
    std::uint64_t rows_a_step = 0;   ///< of a trace whose steps are so many rows each; else 0
    growth_unit unit = growth_unit::steps;
    std::vector<std::uint64_t> positions = {};  ///< for each step its number or its time; empty for plain steps
    std::uint64_t steps = 0;
    std::uint64_t samples = 0;  ///< of samples that lie unevenly how many they are: `steps` are equal parts; else 0
    std::optional<std::uint64_t> capacity = {};  ///< empty: unknown
    std::uint64_t peak_bytes = 0;
    std::uint64_t peak_step = 0;
    std::uint64_t end_bytes = 0;
    std::optional<growth_forecast> growth = {};    ///< of all together
    std::optional<growth_forecast> evicting = {};  ///< of what cannot be evicted: buffers and the program that runs;
                                                   ///< empty without programs, and where that is not known
    std::optional<growth_spike> spike = {};        ///< of all together
    std::vector<tag_growth> tags = {};             ///< those that grow first, then by bytes at the end
    bool has_tags = false;                         ///< whether blocks are known, not only their sum
    bool marks_no_steps = false;  ///< the trace marks no steps, and none were found in it: no verdict can be believed
    bool finds_steps = false;     ///< the trace marks no steps, but its rows repeat: after a step, or a layer of a step
    bool is_instant = false;      ///< nothing is ever freed or run: a picture of a moment, not a history
    std::uint64_t varied_bytes = 0;  ///< how far the floors of all together lie apart since the headline's growth began
    std::optional<std::uint64_t> passed_step = {};  ///< the first step that had more than the capacity
    bool has_limit = false;                         ///< the capacity is the `bytes_limit` of samples
    std::optional<growth_jump> jump = {};  ///< of all together: what grows, or does not, does so before and after it
    std::optional<growth_rise> rise = {};  ///< of all together, without the jump: no steady growth is proven, but the
                                           ///< end is above the beginning
    std::optional<growth_gap> gap = {};    ///< without samples, where alone memory seems to grow: that is not believed

    /// How many steps or samples were seen.
    [[nodiscard]] std::uint64_t seen() const noexcept { return samples != 0 ? samples : steps; }

    /// The tag that the growth is about: the one that grows most, or else the one whose floor has risen most; null if
    /// there is none. O(tags).
    [[nodiscard]] const tag_growth* culprit() const noexcept;
    /// The growth that the sentence is about: of all together, or, if that is lost in what else happens, of the tag
    /// that grows most; empty if nothing grows. O(tags).
    [[nodiscard]] std::optional<growth_forecast> headline() const;

    /// Where a step is: its number or time. Steps beyond the last are as far apart as all of them are on average.
    [[nodiscard]] std::uint64_t position(std::uint64_t step) const noexcept;
    /// The slope of `of` in millionths of a byte for each step, or number, or hour. The largest number on overflow.
    [[nodiscard]] std::uint64_t micro_rate(const steady_growth& of) const noexcept;

    friend bool operator==(const growth_summary&, const growth_summary&) = default;

    /// Whether nothing is known to grow, but all together ends above where it began. O(tags).
    [[nodiscard]] bool is_unproven() const { return rise && !headline(); }
};

/// Orders the tags: the fastest first, then by bytes at the end, by the most, by name. O(tags log tags).
void rank(growth_summary& summary);

}  // namespace hbm

namespace hbm::trace {

/// Plays the rows of a trace and says which blocks begin and end. Sizes are granted sizes; donated inputs end before
/// the outputs of their run begin, and nothing is evicted. Programs have the number 0, a tag one more than its own.
/// They share their scratch, as only a single program runs at a time: it is the largest of those that are loaded.
class liveness {
public:
    liveness(const workload& trace, std::uint64_t quantum)
        : trace_(&trace), quantum_(quantum), blocks_(trace.ids.size()), loaded_(trace.ids.size()) {}

    /// A block that is live.
    struct block {
        std::uint64_t bytes = 0;  ///< 0: it is not live
        std::uint64_t born = 0;   ///< the number of steps that were over when it began
        std::uint32_t which = 0;
    };

    /// Applies the row `at`, with `step` steps over. Calls `begin` and `end` with a number, bytes, and how many blocks
    /// they are: none for scratch, which is the programs' as well. O(arguments + log programs).
    template <class Begin, class End>
    void apply(std::size_t at, std::uint64_t step, Begin begin, End end) {
        const row& next = trace_->rows[at];
        const auto start = [&](id subject, std::uint64_t bytes, std::uint32_t which) {
            // No sum exceeds 64 bits, whatever a trace says.
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
        if (next.what == op::alloc || next.what == op::import)
            start(next.subject, granted(next.bytes, quantum_), next.tag + 1);
        // What is reserved for the loaded programs changes with them.
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
            loaded_[next.subject] = {granted(next.bytes, quantum_), scratch == 0 ? 0 : granted(scratch, quantum_)};
            load(next.subject);
        }
        if (next.what != op::run) return;
        load(next.subject);  // which was unloaded
        const detail& more = trace_->details[next.detail];
        for (std::uint32_t i = 0; i < more.donated.count; ++i) stop(trace_->operands[more.donated.first + i]);
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            const sized_id& made = trace_->outputs[more.outputs.first + i];
            start(made.name, granted(made.bytes, quantum_), next.tag + 1);
        }
    }

    [[nodiscard]] const std::vector<block>& blocks() const noexcept { return blocks_; }
    /// What is needed while a program runs, its code and scratch. O(1).
    [[nodiscard]] std::uint64_t bytes_to_run(id program) const noexcept {
        return saturating_add(loaded_[program].code, loaded_[program].scratch);
    }
    /// What is reserved for the scratch of all programs.
    [[nodiscard]] std::uint64_t scratch_bytes() const noexcept { return scratch_; }

private:
    /// What a program takes.
    struct program_bytes {
        std::uint64_t code = 0, scratch = 0;
    };

    const workload* trace_;
    std::uint64_t quantum_;
    std::uint64_t live_ = 0;                  // bytes of all blocks, and scratch
    std::uint64_t scratch_ = 0;               // bytes reserved for it
    std::vector<block> blocks_;               // by id
    std::vector<program_bytes> loaded_;       // by id
    std::multiset<std::uint64_t> scratches_;  // of the programs that are loaded now
};

/// What grows in the first `rows` rows of `trace`: all of it, or up to a row that failed. Sizes are granted in quanta
/// of `quantum` bytes. `capacity`, if it is known, says when memory ends. O(rows + steps x tags).
[[nodiscard]] growth_summary growth_of(const workload& trace, std::uint64_t quantum,
                                       std::optional<std::uint64_t> capacity = std::nullopt,
                                       std::size_t rows = ~std::size_t{0});

}  // namespace hbm::trace
