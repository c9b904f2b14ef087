#pragma once

/// An observer that tells steady growth from everything else, by tag. It is not in `hbm.hpp`: include it by its name.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>
#include <hbm/growth/growth_tally.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm {

/// What ends a step of `growth_by_tag`.
enum class growth_steps : std::uint8_t {
    runs,     ///< every run of a program
    by_hand,  ///< a call of `growth_by_tag::step`: for steps of several runs, or memory without programs
};

/// The live blocks of a tag.
struct tag_use {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    std::uint64_t oldest_steps = 0;  ///< how many steps ended since the oldest of them was allocated

    friend constexpr bool operator==(const tag_use&, const tag_use&) = default;
};

/// An observer that counts the live bytes of each tag at every step and finds which of them grow steadily:
///
///     memory.events().total().series.growing()                     // in all, and when it was noticed
///     memory.events()[label].series.growing()                      // a tag
///     memory.events().total().series.growing()->steps_left(memory.events().room_in(memory))
///
/// Code of programs counts as a tag of its own, `programs()`; scratch is not counted, so that less than the capacity is
/// left for what is: `room_in`. Blocks that are older than the
/// observer are counted, and are as old as it is. Host memory: 24 bytes a block, and for each tag some 900 bytes for
/// each doubling of the number of steps; tags beyond `growth_options::most_tags` count together.
class growth_by_tag {
public:
    static constexpr fixed_string name{"growth_by_tag"};

    constexpr growth_by_tag() : growth_by_tag(growth_steps::runs) {}
    constexpr explicit growth_by_tag(growth_steps ended_by, const growth_options& how = {})
        : tally_(how), ended_by_(ended_by) {}

    /// A step is over. O(tags); some microseconds for a tag that rises.
    constexpr void step() { tally_.step(); }

    /// How many steps are over.
    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return tally_.steps(); }
    /// All tags and programs together.
    [[nodiscard]] constexpr const tallied_tag& total() const noexcept { return tally_.total(); }
    /// The buffers of a tag. O(1).
    [[nodiscard]] constexpr const tallied_tag& operator[](tag label) const noexcept { return tally_[number_of(label)]; }
    /// The code of all programs. O(1).
    [[nodiscard]] constexpr const tallied_tag& programs() const noexcept { return tally_[0]; }
    /// The tag that grows most a step; empty if none does, or if it is that of the programs, or one of those that count
    /// together. O(tags).
    [[nodiscard]] constexpr std::optional<tag> fastest() const {
        std::size_t found = 0;
        std::uint64_t most = 0;
        for (std::size_t at = 0; at < tally_.size(); ++at) {
            const std::optional<steady_growth>& growth = tally_[at].series.growing();
            if (!growth || growth->micro_bytes_a_step() <= most) continue;
            most = growth->micro_bytes_a_step();
            found = at;
        }
        if (found == 0 || found == tally_.most_tags()) return std::nullopt;
        return static_cast<tag>(found - 1);
    }
    /// What the blocks that are counted may come to in `memory`, whose observer this is: its capacity, less what is
    /// live and not counted, the scratch of programs. When that is full memory ends. Bytes; O(1).
    template <class Memory>
    [[nodiscard]] constexpr std::uint64_t room_in(const Memory& memory) const noexcept {
        const std::uint64_t live = memory.live_bytes();
        return memory.capacity_bytes() - (live - std::min(live, total().bytes));
    }
    /// All of it: number 0 is that of the programs, a tag has one more than its own.
    [[nodiscard]] constexpr const growth_tally& tally() const noexcept { return tally_; }
    /// The live buffers of a tag. O(blocks).
    [[nodiscard]] constexpr tag_use use_of(tag label) const noexcept {
        tag_use found;
        for (const note& each : notes_) {
            if (each.bytes == 0 || each.which != number_of(label)) continue;
            found.bytes += each.bytes;
            ++found.count;
            found.oldest_steps = std::max(found.oldest_steps, steps() - each.born);
        }
        return found;
    }
    /// How many steps ended since a buffer was allocated; empty for a block that is none. O(1).
    [[nodiscard]] constexpr std::optional<std::uint64_t> age(block_index block) const noexcept {
        if (block >= notes_.size() || notes_[block].bytes == 0) return std::nullopt;
        return steps() - notes_[block].born;
    }

    /// Hears an event. O(1) amortised, at the end of a step O(tags); may allocate on the host.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        (void)memory;
        switch (e.what) {
        case event_kind::allocated:
        case event_kind::donated:
            end(e.subject);
            return begin(e.subject, number_of(e.label), e.where.size);
        case event_kind::freed:
        case event_kind::retired:
            return end(e.subject);
        case event_kind::loaded:
        case event_kind::reloaded:
            if (e.where.size != 0) tally_.begin(0, e.where.size);
            return;
        case event_kind::evicted:
        case event_kind::unloaded:
            if (e.where.size != 0) tally_.end(0, e.where.size);
            return;
        case event_kind::ran:
            if (ended_by_ == growth_steps::runs) step();
            return;
        default:
            return;
        }
    }

    /// Counts the blocks of `memory` anew. O(blocks).
    template <class Memory>
    constexpr void look_at(const Memory& memory) {
        tally_.forget_blocks();
        const trivial_vector<note> before = notes_;
        notes_.clear();
        const auto& map = memory.map();
        for (block_index block = map.first(); block != no_block; block = map.next(block)) {
            const block_kind kind = map.kind(block);
            if (kind == block_kind::code) tally_.begin(0, memory.where(block).size);
            if (kind != block_kind::data && kind != block_kind::deferred) continue;
            begin(block, number_of(static_cast<tag>(map.owner(block))), memory.where(block).size);
            if (block < before.size() && before[block].bytes != 0) notes_[block].born = before[block].born;
        }
        if (steps() == 0) tally_.settle();
    }

    friend constexpr bool operator==(const growth_by_tag&, const growth_by_tag&) = default;

private:
    /// What is known of a block; 0 bytes: it is no live buffer.
    struct note {
        std::uint64_t bytes = 0;
        std::uint64_t born = 0;
        std::uint32_t which = 0;

        friend constexpr bool operator==(const note&, const note&) = default;
    };

    /// The number of a tag in the tally; 0 is that of the programs.
    [[nodiscard]] static constexpr std::uint32_t number_of(tag label) noexcept {
        return static_cast<std::uint32_t>(label) == ~std::uint32_t{0} ? ~std::uint32_t{0}
                                                                      : static_cast<std::uint32_t>(label) + 1;
    }
    constexpr void begin(block_index block, std::uint32_t which, std::uint64_t bytes) {
        if (block >= notes_.size()) notes_.resize(block + std::size_t{1});
        notes_[block] = {bytes, steps(), which};
        tally_.begin(which, bytes);
    }
    constexpr void end(block_index block) {
        if (block >= notes_.size() || notes_[block].bytes == 0) return;
        tally_.end(notes_[block].which, notes_[block].bytes);
        notes_[block] = {};
    }

    growth_tally tally_;
    trivial_vector<note> notes_;  // by block
    growth_steps ended_by_;
};

static_assert(observer<growth_by_tag>);

}  // namespace hbm
