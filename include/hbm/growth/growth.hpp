#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>
#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// The live blocks of a tag, and the series of their bytes.
struct tallied_tag {
    std::uint64_t bytes = 0;  ///< live now
    std::uint64_t count = 0;  ///< live blocks
    std::uint64_t least = 0;  ///< minimum of bytes in this step so far
    std::uint64_t most = 0;   ///< maximum of bytes in this step so far
    growth_series series;     ///< minimum and maximum of each earlier step

    friend bool operator==(const tallied_tag&, const tallied_tag&) = default;
};

struct growth_options {
    std::uint32_t window = growth_series::usual_window;  ///< steps in the narrowest window, see `growth_series`
    std::size_t first = growth_series::kept;             ///< windows before the first conclusion
    std::size_t most_tags = 256;                         ///< tags from this number on share an entry

    friend constexpr bool operator==(const growth_options&, const growth_options&) = default;
};

/// Live bytes by tag and in total, step by step, for observers and traces. Tags are numbers, dense from 0; all from
/// `most_tags` on share an entry. Host memory: 900 bytes per tag for each doubling of the number of steps.
class growth_tally {
public:
    growth_tally() : growth_tally(growth_options{}) {}
    explicit growth_tally(const growth_options& options)
        : blank_{.series = growth_series{options.window, options.first}}, total_(blank_),
          most_tags_(options.most_tags) {}

    /// Adds `blocks` live blocks of `bytes` bytes in total with tag `which`; with `blocks == 0`, enlarges a live block.
    void begin(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        for (tallied_tag* const tag : {&entry(which), &total_}) add(*tag, bytes, blocks);
    }
    /// Removes `blocks` live blocks of `bytes` bytes in total.
    void end(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        for (tallied_tag* const tag : {&entry(which), &total_}) remove(*tag, bytes, blocks);
    }
    /// Passes a live block of `bytes` bytes from one tag to another, at no time live twice or not at all.
    void pass(std::size_t from, std::size_t to, std::uint64_t bytes) {
        if (std::min(from, most_tags_) == std::min(to, most_tags_)) return;
        remove(entry(from), bytes, 1);
        add(entry(to), bytes, 1);
    }
    /// Ends a step.
    void step() {
        ++steps_;
        // The blank entry ages along: a tag that appears later begins with a series of as many empty steps.
        finish(blank_);
        finish(total_);
        for (tallied_tag& tag : tags_) finish(tag);
    }
    /// Removes all blocks but keeps the series, for a recount.
    void forget_blocks() noexcept {
        for (tallied_tag& tag : tags_) tag.bytes = tag.count = 0;
        total_.bytes = total_.count = 0;
    }
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] const tallied_tag& total() const noexcept { return total_; }
    [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
    /// Returns the entry of a tag, which is empty if the tag had no blocks so far.
    [[nodiscard]] const tallied_tag& operator[](std::size_t which) const noexcept {
        const std::size_t at = std::min(which, most_tags_);
        return at < tags_.size() ? tags_[at] : blank_;
    }
    [[nodiscard]] std::size_t most_tags() const noexcept { return most_tags_; }

    friend bool operator==(const growth_tally&, const growth_tally&) = default;

private:
    /// Returns the entry of a tag. A new tag had no bytes in earlier steps.
    [[nodiscard]] tallied_tag& entry(std::size_t which) {
        const std::size_t at = std::min(which, most_tags_);
        if (at >= tags_.size()) tags_.resize(at + 1, blank_);
        return tags_[at];
    }
    static void add(tallied_tag& tag, std::uint64_t bytes, std::uint64_t blocks) noexcept {
        tag.bytes += bytes;
        tag.count += blocks;
        tag.most = std::max(tag.most, tag.bytes);
    }
    static void remove(tallied_tag& tag, std::uint64_t bytes, std::uint64_t blocks) noexcept {
        tag.bytes -= bytes;
        tag.count -= blocks;
        tag.least = std::min(tag.least, tag.bytes);
    }
    void finish(tallied_tag& tag) const {
        // The first step begins before there is anything: its minimum is not known before that of the second.
        if (steps_ > 1) tag.series.add(tag.least, tag.most);
        if (steps_ == 2) tag.series.add(tag.least, tag.most);
        tag.least = tag.bytes;
        if (steps_ > 1) tag.most = tag.bytes;
    }

    std::uint64_t steps_ = 0;
    tallied_tag blank_;  // empty in all steps
    tallied_tag total_;
    std::vector<tallied_tag> tags_;
    std::size_t most_tags_;
};

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
