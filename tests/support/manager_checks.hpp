#pragma once

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/testing/audit.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/tested_manager.hpp"

namespace hbm::inline v0::testing {

struct known_buffer {
    buffer handle;
    extent where;
    std::uint64_t granted;
    std::uint64_t alignment;
    tag label;
    std::uint32_t pins;
    std::byte pattern;  ///< content of every byte
};
struct known_program {
    program handle;
    std::uint64_t code;
    std::uint64_t scratch;
    bool resident;
    bool must_stay;  ///< must not be evicted in this step
};

/// The expected state of a manager during a story, and the rules that must hold after every step.
class manager_checks {
public:
    /// Returns null, or the broken rule.
    const char* look() {
        now_.clear();
        subject_.look(now_);
        const manager_sums sums = subject_.sums();
        if (const char* broken = audit_blocks(now_, sums.blocks, spec_.quantum, subject_.merges_neighbours))
            return broken;
        if (sums.peak_live < sums.blocks.live || sums.peak_live < sums_.peak_live)
            return "the peak of the live bytes is wrong";
        if (const char* broken = look_at_buffers()) return broken;
        if (const char* broken = look_at_programs(sums)) return broken;
        if (const char* broken = look_at_deferred()) return broken;
        if (const char* broken = count_blocks()) return broken;
        if (const char* broken = look_at_moves(sums)) return broken;
        for (const buffer gone : dead_buffers_)
            if (subject_.check(gone) == error::none) return "a dead buffer's handle is good";
        for (const program gone : dead_programs_)
            if (subject_.check(gone) == error::none) return "a dead program's handle is good";
        sums_ = sums;
        return nullptr;
    }

protected:
    manager_checks(tested_manager& subject, const memory_spec& spec) : subject_(subject), spec_(spec) {}
    ~manager_checks() = default;

    void begin() {
        before_ = now_;
        deferred_before_ = deferred_.size();
        subject_.remember();
        may_evict_now_ = false;
        for (known_program& known : programs_) known.must_stay = false;
    }

    known_buffer* find(buffer handle) {
        for (known_buffer& known : buffers_)
            if (known.handle == handle) return &known;
        return nullptr;
    }
    /// Returns a size rounded to quanta; 0 if it has more quanta than can be counted.
    std::uint64_t rounded(std::uint64_t bytes) const {
        if (bytes == 0) return spec_.quantum;
        const std::uint64_t count = (bytes - 1) / spec_.quantum + 1;
        return count > subject_.max_quanta || count > ~std::uint64_t{0} / spec_.quantum ? 0 : count * spec_.quantum;
    }

    tested_manager& subject_;
    memory_spec spec_;
    std::vector<known_buffer> buffers_;
    std::vector<known_program> programs_;
    std::vector<extent> deferred_;
    std::size_t deferred_before_ = 0;
    std::vector<buffer> dead_buffers_;
    std::vector<program> dead_programs_;
    snapshot before_;
    snapshot now_;
    manager_sums sums_;
    bool may_evict_now_ = false;

private:
    const char* look_at_buffers() {
        moved_ = false;
        for (known_buffer& known : buffers_) {
            if (subject_.check(known.handle) != error::none) return "a live buffer's handle is not good";
            const extent where = subject_.where(known.handle);
            const block_view* seen = nullptr;
            for (const block_view& block : now_)
                if (block.kind == block_kind::data && block.handle == known.handle) seen = &block;
            if (seen == nullptr || seen->where != where) return "a live buffer is not among the blocks";
            if (seen->granted != known.granted) return "a live buffer's granted size changed";
            if (seen->owner != static_cast<std::uint32_t>(known.label)) return "a live buffer's tag changed";
            if (seen->pins != known.pins) return "a live buffer's pins changed";
            if (where.offset % known.alignment != 0) return "a live buffer lost its alignment";
            if (where.offset != known.where.offset) {
                if (known.pins != 0) return "a pinned buffer moved";
                moved_ = true;
            }
            known.where = where;
            if (subject_.has_bytes && subject_.bytes({where.offset, known.granted}).size() != known.granted)
                return "the device does not show the bytes of a buffer";
            for (const std::byte byte : subject_.bytes({where.offset, known.granted}))
                if (byte != known.pattern) return "a live buffer's bytes changed";
        }
        if (++looks_ % 8 != 0) return nullptr;
        return subject_.forks_well(buffers_.empty() ? buffer{} : buffers_[looks_ % buffers_.size()].handle)
                   ? nullptr
                   : "a fork is not equal, or changed the manager";
    }

    const char* look_at_programs(const manager_sums& sums) {
        std::uint64_t level = 0;
        std::uint64_t evicted = 0;
        for (known_program& known : programs_) {
            if (subject_.check(known.handle) != error::none) return "a loaded program's handle is not good";
            const program_record& record = subject_.about(known.handle);
            if (record.code != known.code || record.scratch != known.scratch) return "a program's sizes changed";
            if (record.resident && !known.resident) return "a program came back by itself";
            if (known.resident && !record.resident) {
                if (!may_evict_now_ || !subject_.may_evict) return "a program was evicted without permission";
                if (known.must_stay) return "the program that memory was wanted for was evicted";
                ++evicted;
            }
            known.resident = record.resident;
            if (!known.resident) continue;
            level = subject_.per_program ? level + known.scratch : known.scratch > level ? known.scratch : level;
            std::uint64_t code = 0;
            std::uint64_t scratch = 0;
            for (const block_view& block : now_) {
                if (block.owner != known.handle.index) continue;
                if (block.kind == block_kind::code) code += block.granted;
                if (block.kind == block_kind::scratch) scratch += block.granted;
            }
            if (code != known.code) return "a program's code is not in memory as it should be";
            if (scratch != (subject_.reserves ? 0 : known.scratch))
                return "a program's scratch is not in memory as it should be";
        }
        if (sums.done.evictions != sums_.done.evictions + evicted) return "evictions are not counted";
        return sums.reserved == (subject_.reserves ? level : 0)
                   ? nullptr
                   : "the reservation is not what the programs in memory need";
    }

    /// Checks frees of pinned buffers: those of this step wait; those before it all wait or all have taken effect.
    const char* look_at_deferred() {
        std::size_t there = 0;
        for (std::size_t i = 0; i < deferred_.size(); ++i) {
            bool present = false;
            for (const block_view& block : now_)
                present = present || (block.where == deferred_[i] && block.kind == block_kind::deferred);
            if (i >= deferred_before_ && !present) return "a deferred free took effect at once, or moved";
            if (i < deferred_before_ && present) ++there;
        }
        if (there == deferred_before_) return nullptr;
        if (there != 0 || !may_evict_now_) return "a deferred free took effect by itself, or moved";
        deferred_.erase(deferred_.begin(), deferred_.begin() + static_cast<std::ptrdiff_t>(deferred_before_));
        return nullptr;
    }

    const char* count_blocks() const {
        std::size_t expected = buffers_.size() + deferred_.size();
        for (const known_program& known : programs_) {
            if (!known.resident) continue;
            expected += 1;
            if (!subject_.reserves && known.scratch != 0) expected += 1;
        }
        std::size_t seen = 0;
        for (const block_view& block : now_)
            if (block.kind != block_kind::hole && block.kind != block_kind::reservation) ++seen;
        return seen == expected ? nullptr : "there are more or fewer blocks than there should be";
    }

    const char* look_at_moves(const manager_sums& sums) const {
        const bool counted = sums.done.moves != sums_.done.moves;
        if (counted && !subject_.may_move) return "blocks moved without permission";
        if (moved_ && !counted) return "moves are not counted";
        return nullptr;
    }

    bool moved_ = false;
    std::uint64_t looks_ = 0;
};

}  // namespace hbm::inline v0::testing
