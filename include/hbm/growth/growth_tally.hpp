#pragma once

#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    std::size_t most_tags = 256;                         ///< tags from this number on share an entry

    friend constexpr bool operator==(const growth_options&, const growth_options&) = default;
};

/// Live bytes by tag and in total, step by step, for observers and traces. Tags are numbers, dense from 0; all from
/// `most_tags` on share an entry. Host memory: 900 bytes per tag for each doubling of the number of steps.
class growth_tally {
public:
    growth_tally() : growth_tally(growth_options{}) {}
    explicit growth_tally(const growth_options& options)
        : blank_{.series = growth_series{options.window}}, total_(blank_), most_tags_(options.most_tags) {}

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
        // The blank entry ages along: a tag that appears later begins with a series of as many empty steps.
        blank_.series.add(0, 0);
        finish(total_);
        for (tallied_tag& tag : tags_) finish(tag);
    }
    /// Removes all blocks but keeps the series, for a recount.
    void forget_blocks() noexcept {
        for (tallied_tag& tag : tags_) tag.bytes = tag.count = 0;
        total_.bytes = total_.count = 0;
    }
    /// Counts the live blocks as live since the step began, for blocks older than the tally.
    void settle() noexcept {
        total_.least = total_.bytes;
        for (tallied_tag& tag : tags_) tag.least = tag.bytes;
    }

    [[nodiscard]] std::uint64_t steps() const noexcept { return blank_.series.steps(); }
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
    static void finish(tallied_tag& tag) {
        tag.series.add(tag.least, tag.most);
        tag.least = tag.most = tag.bytes;
    }

    tallied_tag blank_;  // empty in all steps
    tallied_tag total_;
    std::vector<tallied_tag> tags_;
    std::size_t most_tags_;
};

}  // namespace hbm::inline v0
