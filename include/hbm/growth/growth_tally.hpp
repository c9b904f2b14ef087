#pragma once

/// Live bytes by tag, step by step, and what grows in them. For observers and for traces alike.

#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// The live blocks of a tag, and the series of their bytes.
struct tallied_tag {
    std::uint64_t bytes = 0;       ///< live now
    std::uint64_t count = 0;       ///< live blocks
    std::uint64_t least = 0;       ///< the least bytes in this step so far
    std::uint64_t most = 0;        ///< the most
    std::uint64_t peaks_seen = 0;  ///< how many peaks of the tally there were when the next two were noted
    std::uint64_t peak_bytes = 0;  ///< bytes at that peak
    std::uint64_t peak_count = 0;  ///< live blocks at that peak
    growth_series series;          ///< the least and the most of each step before

    friend constexpr bool operator==(const tallied_tag&, const tallied_tag&) = default;
};

/// How a tally is kept.
struct growth_options {
    std::uint32_t window = growth_series::usual_window;  ///< see `growth_series`
    std::size_t most_tags = 256;                         ///< tags from this number on are counted together

    friend constexpr bool operator==(const growth_options&, const growth_options&) = default;
};

/// Counts live bytes by tag and in all. Tags are numbers, dense from 0; all numbers from `most_tags` on share an entry.
/// Host memory: an entry for each tag that was seen, of some 900 bytes for each doubling of the number of steps.
class growth_tally {
public:
    constexpr growth_tally() : growth_tally(growth_options{}) {}
    constexpr explicit growth_tally(const growth_options& how)
        : blank_{.series = growth_series{how.window}}, total_(blank_), most_tags_(how.most_tags) {}

    /// `blocks` blocks of `bytes` bytes together, with tag `which`, are live from now on. No blocks: a block that is
    /// live has become so much larger. O(1).
    constexpr void begin(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        tallied_tag& its = entry(which);
        note_peak(its);
        its.bytes += bytes;
        its.count += blocks;
        its.most = std::max(its.most, its.bytes);
        total_.bytes += bytes;
        total_.count += blocks;
        total_.most = std::max(total_.most, total_.bytes);
        if (total_.bytes <= total_.peak_bytes) return;
        total_.peak_bytes = total_.bytes;
        ++peaks_;
        peak_step_ = steps() + 1;
    }
    /// Such blocks, for which `begin` was called, are live no longer. O(1).
    constexpr void end(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        tallied_tag& its = entry(which);
        note_peak(its);
        its.bytes -= bytes;
        its.count -= blocks;
        its.least = std::min(its.least, its.bytes);
        total_.bytes -= bytes;
        total_.count -= blocks;
        total_.least = std::min(total_.least, total_.bytes);
    }
    /// A step is over. O(tags).
    constexpr void step() {
        blank_.series.add(0, 0);
        finish(total_);
        for (tallied_tag& each : tags_) finish(each);
    }
    /// No block is live; the series stay. For a memory that is counted anew.
    constexpr void forget_blocks() noexcept {
        for (tallied_tag& each : tags_) {
            note_peak(each);
            each.bytes = each.count = 0;
        }
        total_.bytes = total_.count = 0;
    }
    /// What is live now was live since the step began. Before the first step, for blocks that are older than the tally.
    constexpr void settle() noexcept {
        total_.least = total_.bytes;
        for (tallied_tag& each : tags_) each.least = each.bytes;
    }

    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return blank_.series.steps(); }
    [[nodiscard]] constexpr const tallied_tag& total() const noexcept { return total_; }
    /// How many entries there are; the numbers of tags are below, and the last may stand for several.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return tags_.size(); }
    /// The entry of a tag; that of a tag without blocks so far is empty. O(1).
    [[nodiscard]] constexpr const tallied_tag& operator[](std::size_t which) const noexcept {
        const std::size_t at = std::min(which, most_tags_);
        return at < tags_.size() ? tags_[at] : blank_;
    }
    /// The most bytes that were ever live in all, and the step in which they were; 0 before the first block.
    [[nodiscard]] constexpr std::uint64_t peak_bytes() const noexcept { return total_.peak_bytes; }
    [[nodiscard]] constexpr std::uint64_t peak_step() const noexcept { return peak_step_; }
    /// The live bytes and blocks of an entry when the most was live in all. O(1).
    [[nodiscard]] constexpr std::uint64_t bytes_at_peak(const tallied_tag& of) const noexcept {
        return of.peaks_seen == peaks_ ? of.peak_bytes : of.bytes;
    }
    [[nodiscard]] constexpr std::uint64_t count_at_peak(const tallied_tag& of) const noexcept {
        return of.peaks_seen == peaks_ ? of.peak_count : of.count;
    }
    /// Tags from this number on share an entry, of this number.
    [[nodiscard]] constexpr std::size_t most_tags() const noexcept { return most_tags_; }

    friend constexpr bool operator==(const growth_tally&, const growth_tally&) = default;

private:
    /// A tag that is new had no bytes in all steps before.
    [[nodiscard]] constexpr tallied_tag& entry(std::size_t which) {
        const std::size_t at = std::min(which, most_tags_);
        if (at >= tags_.size()) tags_.resize(at + 1, blank_);
        return tags_[at];
    }
    /// What an entry had at the latest peak is known as long as it has not changed since: it is noted before it does.
    constexpr void note_peak(tallied_tag& of) const noexcept {
        if (of.peaks_seen == peaks_) return;
        of.peaks_seen = peaks_;
        of.peak_bytes = of.bytes;
        of.peak_count = of.count;
    }
    static constexpr void finish(tallied_tag& of) {
        of.series.add(of.least, of.most);
        of.least = of.most = of.bytes;
    }

    tallied_tag blank_;  // nothing in all steps
    tallied_tag total_;
    std::vector<tallied_tag> tags_;
    std::size_t most_tags_;
    std::uint64_t peaks_ = 0;  // how often the most that was live in all has risen
    std::uint64_t peak_step_ = 0;
};

}  // namespace hbm
