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
    std::uint64_t bytes = 0;  ///< live now
    std::uint64_t count = 0;  ///< live blocks
    std::uint64_t least = 0;  ///< the least bytes in this step so far
    std::uint64_t most = 0;   ///< the most
    growth_series series;     ///< the least and the most of each step before

    friend bool operator==(const tallied_tag&, const tallied_tag&) = default;
};

/// Options of a tally.
struct growth_options {
    std::uint32_t window = growth_series::usual_window;  ///< see `growth_series`
    std::size_t most_tags = 256;                         ///< tags from this number on are counted together

    friend constexpr bool operator==(const growth_options&, const growth_options&) = default;
};

/// Counts live bytes by tag and in total. Tags are numbers, dense from 0; all numbers from `most_tags` on share an
/// entry. Host memory: an entry for each tag, of 900 bytes and as many for each doubling of the number of steps.
class growth_tally {
public:
    growth_tally() : growth_tally(growth_options{}) {}
    explicit growth_tally(const growth_options& options)
        : blank_{.series = growth_series{options.window}}, total_(blank_), most_tags_(options.most_tags) {}

    /// Adds `blocks` live blocks of `bytes` bytes in total, with tag `which`. No blocks: a live block becomes this much
    /// larger. Cost: O(1).
    void begin(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        for (tallied_tag* const tag : {&entry(which), &total_}) {
            tag->bytes += bytes;
            tag->count += blocks;
            tag->most = std::max(tag->most, tag->bytes);
        }
    }
    /// Removes such blocks. Cost: O(1).
    void end(std::size_t which, std::uint64_t bytes, std::uint64_t blocks = 1) {
        for (tallied_tag* const tag : {&entry(which), &total_}) {
            tag->bytes -= bytes;
            tag->count -= blocks;
            tag->least = std::min(tag->least, tag->bytes);
        }
    }
    /// Ends a step. Cost: O(tags).
    void step() {
        blank_.series.add(0, 0);
        finish(total_);
        for (tallied_tag& tag : tags_) finish(tag);
    }
    /// Removes all blocks and keeps the series, for a memory that is counted again.
    void forget_blocks() noexcept {
        for (tallied_tag& tag : tags_) tag.bytes = tag.count = 0;
        total_.bytes = total_.count = 0;
    }
    /// Counts the live blocks as live since the step began. For blocks that are older than the tally.
    void settle() noexcept {
        total_.least = total_.bytes;
        for (tallied_tag& tag : tags_) tag.least = tag.bytes;
    }

    [[nodiscard]] std::uint64_t steps() const noexcept { return blank_.series.steps(); }
    [[nodiscard]] const tallied_tag& total() const noexcept { return total_; }
    /// Returns the number of entries. Numbers of tags are below, and the last entry may be shared.
    [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
    /// Returns the entry of a tag; that of a tag without blocks so far is empty. Cost: O(1).
    [[nodiscard]] const tallied_tag& operator[](std::size_t which) const noexcept {
        const std::size_t at = std::min(which, most_tags_);
        return at < tags_.size() ? tags_[at] : blank_;
    }
    /// Returns the number of the shared entry: that of all tags from this number on.
    [[nodiscard]] std::size_t most_tags() const noexcept { return most_tags_; }

    friend bool operator==(const growth_tally&, const growth_tally&) = default;

private:
    /// Returns the entry of a tag; a new tag had no bytes in all steps before.
    [[nodiscard]] tallied_tag& entry(std::size_t which) {
        const std::size_t at = std::min(which, most_tags_);
        if (at >= tags_.size()) tags_.resize(at + 1, blank_);
        return tags_[at];
    }
    static void finish(tallied_tag& tag) {
        tag.series.add(tag.least, tag.most);
        tag.least = tag.most = tag.bytes;
    }

    tallied_tag blank_;  // nothing in all steps
    tallied_tag total_;
    std::vector<tallied_tag> tags_;
    std::size_t most_tags_;
};

}  // namespace hbm
