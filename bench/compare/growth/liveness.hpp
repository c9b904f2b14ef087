#pragma once
// The live blocks of a trace, row by row.

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "compare/replay/capacity.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Replay of the rows of a trace without a manager, which reports the beginnings and ends of blocks. Sizes are granted
/// sizes. Outputs take over donated inputs of their size; other donated inputs end after all outputs have begun.
/// Nothing is evicted. Programs have the number 0, a tag one more than its own. Programs share their scratch, as only a
/// single program runs at a time: it is the largest of those loaded.
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
    /// blocks: 0 for scratch, which belongs to the programs; `pass` with the numbers of a donated input and of the
    /// output that takes it over, and its bytes.
    /// Cost: O(arguments x log(arguments) + log programs).
    template <class Begin, class End, class Pass>
    void apply(std::size_t at, std::uint64_t step, Begin begin, End end, Pass pass) {
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
        donors_.clear();
        for (std::uint32_t i = 0; i < more.donated.count; ++i) {
            block& donor = blocks_[trace_->operands[more.donated.first + i]];
            if (donor.bytes != 0) donors_.emplace(donor.bytes, donor.which);
            donor = {};  // an output may have its name
        }
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            const sized_id& made = trace_->outputs[more.outputs.first + i];
            const std::uint64_t bytes = bytes_of(made.bytes);
            const auto donor = donors_.lower_bound(bytes);
            if (donor == donors_.end() || donor->first != bytes) {
                start(made.name, bytes, next.tag + 1);
                continue;
            }
            blocks_[made.name] = {bytes, step, next.tag + 1};
            pass(std::size_t{donor->second}, std::size_t{next.tag} + 1, bytes);
            donors_.erase(donor);
        }
        for (const auto& [bytes, which] : donors_) {
            live_ -= bytes;
            end(std::size_t{which}, bytes, 1);
        }
    }

    [[nodiscard]] const std::vector<block>& blocks() const noexcept { return blocks_; }
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
    std::uint64_t live_ = 0;                              // bytes of all blocks, and scratch
    std::uint64_t scratch_ = 0;                           // bytes reserved for scratch
    std::vector<block> blocks_;                           // blocks by id
    std::vector<program_bytes> loaded_;                   // programs by id
    std::multiset<std::uint64_t> scratches_;              // scratch of the programs that are loaded now
    std::multimap<std::uint64_t, std::uint32_t> donors_;  // numbers by bytes, within a run
};

}  // namespace hbm::trace
