#pragma once

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace hbm::inline v0::testing {

/// A rule that events break.
struct broken_rule {
    const char* rule = nullptr;       ///< a sentence without its full stop; null: none
    std::uint64_t event = 0;          ///< count of events up to the one that breaks it
    std::vector<hbm::event> history;  ///< the latest events about that place in order, at most `max_history`

    friend bool operator==(const broken_rule&, const broken_rule&) = default;
};

/// An observer that recomputes memory from the events alone and keeps the first rule that they break.
/// Events do not name the range of scratch that is a block of its own; that is read from the memory.
/// Requires: a manager that is empty at first: not one from `under`.
/// Cost: O(log(blocks)) an event; on the host a node a block and program, and the latest `remembered` events.
class event_audit {
public:
    static constexpr fixed_string name{"event_audit"};
    static constexpr std::size_t remembered = 1024;
    static constexpr std::size_t max_history = 8;

    /// Returns the first broken rule; its `rule` is null if there is none.
    [[nodiscard]] const broken_rule& broken() const noexcept { return broken_; }
    /// Returns the number of events checked, up to the first that breaks a rule.
    [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

    template <class Memory>
    void look_at(const Memory& memory) {
        capacity_ = memory.capacity_bytes();
        quantum_ = memory.spec().quantum;
        flies_ = memory.spec().runs_in_flight != 0;
    }
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        if (broken_.rule != nullptr) return;
        extent scratch;
        const bool loads = e.what == event_kind::loaded || e.what == event_kind::reloaded;
        if (loads && e.from != 0 && !memory.reserves_scratch()) {
            const block_index block = memory.programs()[e.subject].scratch_block;
            if (block != no_block) scratch = memory.where(block);
        }
        check(e, scratch);
    }

    /// Checks one event; `scratch` is the range of a loaded program's own scratch block.
    void check(const event& e, extent scratch = {}) {
        if (broken_.rule != nullptr) return;
        if (ring_.size() < remembered)
            ring_.push_back(e);
        else
            ring_[events_ % remembered] = e;
        ++events_;
        apply(e, scratch);
    }

    /// Compares the sums of a memory with those of its events. Returns true if no rule is broken.
    /// Requires: no call is in progress.
    template <class Memory>
    bool check_sums(const Memory& memory) {
        if (memory.free_bytes() != capacity_ - taken_) breaks("free bytes are not those that the blocks leave", {});
        return broken_.rule == nullptr;
    }
    /// Compares all blocks of a memory with those of its events. Returns true if no rule is broken.
    /// Requires: no call is in progress.
    /// Cost: O(blocks log(blocks)).
    template <class Memory>
    bool check_blocks(const Memory& memory) {
        std::size_t count = 0;
        for (const block_view& block : memory.blocks()) {
            ++count;
            const auto at = blocks_.find(block.where.offset);
            const bool same = at != blocks_.end() && at->second.where == block.where && at->second.kind == block.kind;
            if (!same) breaks("a block is not one of those that the events leave", block.where);
        }
        if (count != blocks_.size()) breaks("blocks of the events are not in memory", {});
        return check_sums(memory);
    }

    friend bool operator==(const event_audit&, const event_audit&) = default;

private:
    struct placed_block {
        extent where;
        std::uint64_t size = 0;  // of one of the two places of a block that is parted
        block_kind kind = block_kind::data;
        std::uint32_t subject = no_index;  // index of a buffer, slot of a program

        friend bool operator==(const placed_block&, const placed_block&) = default;
    };
    struct resident {
        extent code;
        extent scratch;  // empty if it is reserved at the bottom
        std::uint64_t fence = 0;

        friend bool operator==(const resident&, const resident&) = default;
    };
    using blocks = std::map<std::uint64_t, placed_block>;  // by offset

    void apply(const event& e, extent scratch) {
        switch (e.what) {
        case event_kind::allocated: return place({e.where, e.where.size, block_kind::data, e.subject});
        case event_kind::freed: return end(e, block_kind::data);
        case event_kind::retired: return end(e, block_kind::deferred);
        case event_kind::deferred:
            if (const auto at = find(e, block_kind::data); at != blocks_.end()) at->second.kind = block_kind::deferred;
            return;
        case event_kind::donated:
        case event_kind::trimmed: return shorten(e);
        case event_kind::moved:
        case event_kind::parted: return move(e);
        case event_kind::reserved: return reserve(e);
        case event_kind::loaded:
        case event_kind::reloaded: return load(e, scratch);
        case event_kind::evicted:
        case event_kind::unloaded: return unload(e);
        case event_kind::ran: return run(e);
        case event_kind::reached:
            // A fence beyond the last run's is that of other work, which is issued without an event.
            if (e.from <= reached_) return breaks("a fence is reached that is not in flight", {});
            reached_ = e.from;
            if (issued_ < reached_) issued_ = reached_;
            return;
        case event_kind::thrashing:
        case event_kind::failed: return;
        }
    }

    void place(const placed_block& placed, const char* overlaps = "a block lies on another") {
        const extent where = placed.where;
        if (where.size == 0 || (where.offset | where.size) % quantum_ != 0)
            return breaks("a block is empty or not made of whole quanta", where);
        if (where.offset > capacity_ || where.size > capacity_ - where.offset)
            return breaks("a block lies outside of memory", where);
        const auto above = blocks_.upper_bound(where.offset);
        const bool meets_above = above != blocks_.end() && above->first < where.end();
        const bool meets_below = above != blocks_.begin() && std::prev(above)->second.where.end() > where.offset;
        if (meets_above || meets_below) return breaks(overlaps, where);
        blocks_.emplace(where.offset, placed);
        taken_ += where.size;
    }
    void remove(blocks::iterator at) {
        taken_ -= at->second.where.size;
        blocks_.erase(at);
    }

    /// Returns the block of an event, which is of a kind, or the end of blocks if a rule is broken.
    blocks::iterator find(const event& e, block_kind kind) {
        const auto at = blocks_.find(e.where.offset);
        if (at == blocks_.end())
            breaks("a block ends or changes that is not in memory", e.where);
        else if (at->second.subject != e.subject)
            breaks("an event names another block than the one in its place", e.where);
        else if (at->second.kind != kind)
            breaks(kind == block_kind::data ? "a block is freed twice" : "a block ends that was not freed", e.where);
        else
            return at;
        return blocks_.end();
    }
    void end(const event& e, block_kind kind) {
        const auto at = find(e, kind);
        if (at == blocks_.end()) return;
        if (at->second.where != e.where) return breaks("a block ends with another range than it had", e.where);
        remove(at);
    }
    void shorten(const event& e) {
        const auto at = find(e, block_kind::data);
        if (at == blocks_.end()) return;
        if (e.where.size == 0 || e.where.size + e.from != at->second.where.size)
            return breaks("a donated block neither keeps nor returns its tail", at->second.where);
        taken_ -= e.from;
        at->second.where.size = at->second.size = e.where.size;
    }

    void move(const event& e) {
        auto at = blocks_.upper_bound(e.from);
        if (at == blocks_.begin() || (--at)->second.where.end() <= e.from)
            return breaks("a block moves that is not in memory", {e.from, e.where.size});
        placed_block moved = at->second;
        if (moved.kind != e.kind || (moved.kind == block_kind::data && moved.subject != e.subject))
            return breaks("an event names another block than the one in its place", moved.where);
        if (e.what == event_kind::moved && e.where.size != moved.size)
            return breaks("a block arrives with another size than it had", moved.where);
        if (moved.kind != block_kind::data) {
            resident& program = programs_[moved.subject];
            if (program.fence > reached_) return breaks("a program moves while a run of it is in flight", e.where);
            (moved.kind == block_kind::code ? program.code : program.scratch) = e.where;
        }
        remove(at);
        moved.where = e.where;
        place(moved, "a block moves to a range that is taken");
    }

    void reserve(const event& e) {
        const auto at = blocks_.find(0);
        const bool there = at != blocks_.end() && at->second.kind == block_kind::reservation;
        if (e.from != (there ? at->second.where.size : 0))
            return breaks("the reservation had another size than the event names", e.where);
        if (there) remove(at);
        if (e.where.size != 0)
            place({e.where, e.where.size, block_kind::reservation, no_index}, "the reservation lies on a block");
    }
    void load(const event& e, extent scratch) {
        if (!programs_.emplace(e.subject, resident{e.where, scratch, 0}).second)
            return breaks("a program is loaded that is in memory", e.where);
        if (e.where.size != 0) place({e.where, e.where.size, block_kind::code, e.subject});
        if (scratch.size != 0) place({scratch, scratch.size, block_kind::scratch, e.subject});
    }
    void unload(const event& e) {
        const auto at = programs_.find(e.subject);
        if (at == programs_.end()) {
            if (e.what != event_kind::unloaded || e.where.size != 0)
                breaks("a program leaves that is not in memory", e.where);
            return;
        }
        if (at->second.fence > reached_) return breaks("a program leaves while a run of it is in flight", e.where);
        if (at->second.code != e.where) return breaks("a program leaves another range than it had", e.where);
        for (const extent left : {at->second.code, at->second.scratch})
            if (left.size != 0) remove(blocks_.find(left.offset));
        programs_.erase(at);
    }
    void run(const event& e) {
        const auto at = programs_.find(e.subject);
        if (at == programs_.end()) return breaks("a program runs that is not in memory", {});
        if (e.from <= issued_) return breaks("a fence is issued twice", {});
        issued_ = e.from;
        if (flies_)
            at->second.fence = issued_;
        else
            reached_ = issued_;
    }

    /// Records `rule` as broken, unless one was before, with the latest events in the bytes of `where`; all if it is
    /// empty.
    void breaks(const char* rule, extent where) {
        if (broken_.rule != nullptr) return;
        broken_ = {rule, events_, {}};
        for (std::size_t age = 0; age < ring_.size() && broken_.history.size() < max_history; ++age) {
            const event& e = ring_[(events_ - 1 - age) % remembered];
            const bool moves = e.what == event_kind::moved || e.what == event_kind::parted;
            const bool touches = e.where.overlaps(where) || (moves && extent{e.from, e.where.size}.overlaps(where));
            if (age == 0 || where.size == 0 || touches) broken_.history.insert(broken_.history.begin(), e);
        }
    }

    std::uint64_t capacity_ = 0;
    std::uint64_t quantum_ = 1;
    bool flies_ = false;
    std::uint64_t taken_ = 0;
    std::uint64_t issued_ = 0;
    std::uint64_t reached_ = 0;
    std::uint64_t events_ = 0;
    blocks blocks_;
    std::map<std::uint32_t, resident> programs_;  // by slot
    std::vector<event> ring_;                     // number n at n % remembered
    broken_rule broken_;
};

static_assert(observer<event_audit>);

}  // namespace hbm::inline v0::testing
