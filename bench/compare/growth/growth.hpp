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
#include <vector>

#include "compare/growth/summary.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/workload.hpp"

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
