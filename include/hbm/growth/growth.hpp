#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>
#include <hbm/growth/growth_tally.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// An observer that counts the live bytes of each tag at every step and detects steady growth. Not part of `hbm.hpp`.
///
///     memory.events().total().series.growing()                     // in total, and the step at which it was detected
///     memory.events()[label].series.growing()                      // of a tag
///     memory.events().total().series.growing()->steps_left(memory.events().room_in(memory))
///
/// Code of programs counts as a tag of its own, `programs()`; scratch does not count (see `room_in`). Blocks older than
/// the observer count with the observer's age. Host memory: 24 bytes per block and 8 per program, up to twice that
/// while growing, and per tag 900 bytes for each doubling of the number of steps. Tags beyond
/// `growth_options::most_tags` share an entry.
class growth_by_tag {
public:
    static constexpr fixed_string name{"growth_by_tag"};

    growth_by_tag() = default;
    explicit growth_by_tag(const growth_options& options) : tally_(options) {}

    /// Ends a step, as each run of a program does; for memory without programs.
    /// Cost: O(tags); a few microseconds for a growing tag.
    void step() { tally_.step(); }

    [[nodiscard]] std::uint64_t steps() const noexcept { return tally_.steps(); }
    /// Returns the totals of all tags and programs.
    [[nodiscard]] const tallied_tag& total() const noexcept { return tally_.total(); }
    /// Returns the counts of the buffers of a tag, or of all tags that share its entry.
    [[nodiscard]] const tallied_tag& operator[](tag label) const noexcept { return tally_[number_of(label)]; }
    /// Returns the counts of the code of all programs.
    [[nodiscard]] const tallied_tag& programs() const noexcept { return tally_[0]; }
    /// Returns the tag that grows fastest, or `nullopt` if that is `programs()`, the shared entry or none.
    /// Cost: O(tags).
    [[nodiscard]] std::optional<tag> fastest() const {
        // Entry 0 are the programs, and the last may be shared by many tags: neither is a tag that could be blamed.
        std::size_t fastest = 0;
        std::uint64_t most = 0;
        for (std::size_t at = 0; at < tally_.size(); ++at) {
            const std::optional<steady_growth>& growth = tally_[at].series.growing();
            if (!growth || growth->micro_bytes_a_step() <= most) continue;
            most = growth->micro_bytes_a_step();
            fastest = at;
        }
        if (fastest == 0 || fastest == tally_.most_tags()) return std::nullopt;
        return static_cast<tag>(fastest - 1);
    }
    /// Returns the bytes that the counted blocks of `memory` can reach: its capacity without the scratch of programs.
    /// Requires: this is the observer of `memory`.
    template <class Memory>
    [[nodiscard]] std::uint64_t room_in(const Memory& memory) const noexcept {
        const std::uint64_t taken = memory.capacity_bytes() - memory.free_bytes();
        return memory.capacity_bytes() - (taken - std::min(taken, total().bytes));
    }
    /// Returns all counts. Number 0 is `programs()`; a tag has its number plus 1.
    [[nodiscard]] const growth_tally& tally() const noexcept { return tally_; }
    /// Returns the number of steps since a buffer was allocated, or `nullopt` if the block is not a buffer.
    [[nodiscard]] std::optional<std::uint64_t> age(block_index block) const noexcept {
        const std::uint32_t at = block_map<std::uint32_t>::number_of(block);
        if (at >= notes_.size() || notes_[at].bytes == 0) return std::nullopt;
        return steps() - notes_[at].born;
    }

    /// Receives an event.
    /// Cost: O(1) amortised, O(tags) at the end of a step; may allocate host memory.
    template <class Memory>
    void on(const event& e, const Memory& memory) noexcept {
        (void)memory;
        switch (e.what) {
        case event_kind::allocated: return begin(e.subject, number_of(e.label), e.where.size);
        case event_kind::donated: return hand_over(e.subject, number_of(e.label), e.from);
        case event_kind::trimmed: return shorten(e.subject, e.from);
        case event_kind::freed:
        case event_kind::retired: return end(e.subject);
        case event_kind::loaded:
        case event_kind::reloaded: return begin_code(e.subject, e.where.size);
        case event_kind::evicted:
        case event_kind::unloaded: return end_code(e.subject);
        case event_kind::ran: return step();
        default: return;
        }
    }

    /// Recounts the blocks of `memory`; those that were counted keep their numbers.
    /// Cost: O(blocks).
    template <class Memory>
    void look_at(const Memory& memory) noexcept {
        // What is counted is made to agree with what is there, as after `under` or when a manager was in use before.
        // Blocks that were known keep their age and their entry, and one that waits for its free the bytes that it had.
        tally_.forget_blocks();
        code_.clear();
        trivial_vector<note> before;
        before.swap(notes_);
        notes_.reserve(before.size());
        const auto& map = memory.map();
        for (block_index block = map.first(); block != no_block; block = map.next(block)) {
            const block_kind kind = map.kind(block);
            const bool is_parted = memory.moving().block == block;  // it has two places
            const std::uint64_t bytes = is_parted ? memory.moving().bytes : memory.where(block).size;
            if (kind == block_kind::code) begin_code(map.owner(block), bytes);
            if (kind != block_kind::data && kind != block_kind::deferred) continue;
            const std::uint32_t at = map.number_of(block);
            const bool is_noted = at < before.size() && before[at].bytes != 0;
            // A block that was freed in the middle of a move keeps both places until its memory returns.
            const bool keeps_bytes = is_noted && kind == block_kind::deferred;
            const std::uint32_t which = is_noted ? before[at].which : number_of(static_cast<tag>(map.owner(block)));
            begin(block, which, keeps_bytes ? before[at].bytes : bytes);
            if (is_noted) notes_[at].born = before[at].born;
        }
        if (steps() == 0) tally_.settle();
    }

    friend bool operator==(const growth_by_tag&, const growth_by_tag&) = default;

private:
    /// A block; 0 bytes if it is not a live buffer.
    struct note {
        std::uint64_t bytes = 0;
        std::uint64_t born = 0;
        std::uint32_t which = 0;

        friend constexpr bool operator==(const note&, const note&) = default;
    };

    /// Returns the number of a tag in the tally.
    [[nodiscard]] static constexpr std::uint32_t number_of(tag label) noexcept {
        return static_cast<std::uint32_t>(label) == ~std::uint32_t{0} ? ~std::uint32_t{0}
                                                                      : static_cast<std::uint32_t>(label) + 1;
    }
    void begin(block_index block, std::uint32_t which, std::uint64_t bytes) {
        const std::uint32_t at = block_map<std::uint32_t>::number_of(block);
        if (at >= notes_.size()) notes_.resize(at + std::size_t{1});
        notes_[at] = {bytes, steps(), which};
        tally_.begin(which, bytes);
    }
    void end(block_index block) {
        const std::uint32_t at = block_map<std::uint32_t>::number_of(block);
        if (at >= notes_.size() || notes_[at].bytes == 0) return;
        tally_.end(notes_[at].which, notes_[at].bytes);
        notes_[at] = {};
    }
    /// Passes a block, less `bytes`, to another tag. It counts as live all the time, since its memory is never free.
    void hand_over(block_index block, std::uint32_t which, std::uint64_t bytes) {
        shorten(block, bytes);
        const std::uint32_t at = block_map<std::uint32_t>::number_of(block);
        if (at >= notes_.size() || notes_[at].bytes == 0) return;
        tally_.pass(notes_[at].which, which, notes_[at].bytes);
        notes_[at] = {notes_[at].bytes, steps(), which};
    }
    void shorten(block_index block, std::uint64_t bytes) {
        const std::uint32_t at = block_map<std::uint32_t>::number_of(block);
        if (at >= notes_.size() || notes_[at].bytes < bytes) return;
        tally_.end(notes_[at].which, bytes, 0);
        notes_[at].bytes -= bytes;
    }
    /// Notes the bytes of a program's code for `end_code`: the event of a program that leaves in the middle of a move
    /// has the range of both places.
    void begin_code(std::uint32_t slot, std::uint64_t bytes) {
        if (bytes == 0) return;
        if (slot >= code_.size()) code_.resize(slot + std::size_t{1});
        code_[slot] = bytes;
        tally_.begin(0, bytes);
    }
    void end_code(std::uint32_t slot) {
        if (slot >= code_.size() || code_[slot] == 0) return;
        tally_.end(0, code_[slot]);
        code_[slot] = 0;
    }

    growth_tally tally_;
    trivial_vector<note> notes_;          // indexed by the number of the block
    trivial_vector<std::uint64_t> code_;  // bytes of the code of each program in memory, by slot
};

static_assert(observer<growth_by_tag>);

}  // namespace hbm::inline v0
