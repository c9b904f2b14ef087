#pragma once

/// A part of the past that is expected to come again, as a packing problem: what is live stays where it is.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/greedy.hpp>
#include <hbm/pack/learned_past.hpp>
#include <hbm/pack/near_optimal.hpp>
#include <hbm/pack/priority.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

/// What comes after the event `from` of the past, up to and with the event `to`, is taken for what comes now. Times are
/// events after `from`; heights are quanta from the end of memory that blocks come from.
class learned_step {
public:
    constexpr learned_step(const learned_past& past, std::uint32_t from, std::uint32_t to)
        : past_(past), from_(from), length_(to - from), comes_from_(length_ + std::size_t{1}, no_event) {}

    /// Adds a block that is live, of which so much was granted, and the request that it came from, or `no_event`: then
    /// it is taken for a block that was live at `from`. Call it in address order. O(1).
    constexpr void add_live(std::uint32_t number, std::uint32_t request, std::uint64_t height, std::uint64_t size,
                            std::uint64_t granted) {
        std::uint64_t end = length_ + std::uint64_t{1};
        if (request == no_event || request <= from_) {
            known_ += granted;
        } else {
            const std::uint32_t before = like_before(request);
            if (before != no_event)
                known_ += past_[before].size;
            else
                unknown_ += granted;
            const std::uint32_t freed = before == no_event ? no_event : past_[before].partner;
            if (freed != no_event && freed > from_ && freed - from_ <= length_) {
                end = freed - from_;
                comes_from_[end] = number;
            }
        }
        if (!joins_last(height, size, end)) {
            blocks_.push_back({.begin = 0, .end = end, .bytes = size, .alignment = 1, .offset = height});
            ++given_;
        }
    }
    /// The blocks that will be asked for. Call it when all live blocks are there. O(length).
    constexpr void add_requests() {
        for (std::uint32_t at = 1; at <= length_; ++at) {
            const past_event& event = past_[from_ + at];
            if (!event.is_request()) continue;
            const bool ends = event.partner != no_event && event.partner - from_ <= length_;
            blocks_.push_back(
                {.begin = at, .end = ends ? event.partner - from_ : length_ + std::uint64_t{1}, .bytes = event.size});
        }
    }
    /// Whether what is live is what was live then: but for a fiftieth of `height`, every block of each has its like
    /// in the other. Otherwise nobody knows when blocks will go.
    [[nodiscard]] constexpr bool is_like_then(std::uint64_t height) const noexcept {
        const auto gone = static_cast<std::int32_t>(past_[from_].live - static_cast<std::uint32_t>(known_));
        const std::uint64_t missing = gone > 0 ? static_cast<std::uint64_t>(gone) : 0;
        return unknown_ * 50 <= height && missing * 50 <= height;
    }

    [[nodiscard]] constexpr std::uint32_t length() const noexcept { return length_; }
    [[nodiscard]] constexpr const past_event& event(std::uint32_t at) const noexcept { return past_[from_ + at]; }
    /// The number of the live block that is freed by an event, or `no_event`.
    [[nodiscard]] constexpr std::uint32_t freed_at(std::uint32_t at) const noexcept { return comes_from_[at]; }
    /// Where the request of an event is freed, or asked for, counted from `from`; 0 if that was before.
    [[nodiscard]] constexpr std::uint32_t partner_of(std::uint32_t at) const noexcept {
        const std::uint32_t partner = event(at).partner;
        return partner == no_event || partner <= from_ ? 0 : partner - from_;
    }

    /// A packing: by its events the heights at which requests go, and what it reaches.
    struct layout {
        trivial_vector<std::uint64_t> heights;  ///< by event, without the live blocks; empty if there is none
        std::uint64_t top = 0;                  ///< the highest end of a block
    };
    /// Lays what outlives the step lowest and the rest around it, largest first; where that ends above `enough`, the
    /// rest in other orders too. O(n^2) at worst.
    [[nodiscard]] constexpr layout pack(std::uint64_t enough) {
        trivial_vector<pack::priority> priorities;
        for (const pack::block& each : blocks_)
            priorities.push_back(pack::priority_of(each.bytes, outlives(each) ? most_priority : 1));
        const pack::sections cut = pack::sections_of(span());
        std::uint64_t looks = 0;
        pack::packing found = pack::pack_by_priority(span(), cut, priorities, looks);
        if (!found.offsets.empty() && found.bytes > enough) {
            for (std::size_t at = 0; at < blocks_.size(); ++at)
                if (outlives(blocks_[at])) blocks_[at].offset = found.offsets[at];
            const pack::packing better = pack::best_greedy(span(), cut, enough, looks);
            if (!better.offsets.empty() && better.bytes < found.bytes) found = better;
        }
        layout made;
        if (found.offsets.empty()) return made;
        made.top = found.bytes;
        made.heights.resize(length_ + std::size_t{1}, 0);
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            if (at >= given_) made.heights[blocks_[at].begin] = found.offsets[at];
        }
        return made;
    }

private:
    static constexpr std::uint64_t most_priority = ~std::uint64_t{0} >> 1U;

    /// The request before `from` that a live block's request is like, if its block lived beyond `from`.
    [[nodiscard]] constexpr std::uint32_t like_before(std::uint32_t request) const noexcept {
        if (request <= from_) return no_event;
        std::uint32_t like = past_[request].like;
        if (like == no_event) {
            const std::uint32_t distance = past_.count() - 1 - from_;
            if (request < distance) return no_event;
            like = request - distance;
            if (!past_[like].is_request() || past_[like].size != past_[request].size) return no_event;
        }
        return like <= from_ && past_[like].partner > from_ ? like : no_event;
    }
    /// Blocks side by side that outlive the step are as a single block.
    constexpr bool joins_last(std::uint64_t height, std::uint64_t size, std::uint64_t end) noexcept {
        if (given_ == 0 || end <= length_ || !outlives(blocks_.back())) return false;
        pack::block& last = blocks_.back();
        if (height != last.offset + last.bytes && last.offset != height + size) return false;
        last.offset = height < last.offset ? height : last.offset;
        last.bytes += size;
        return true;
    }
    [[nodiscard]] constexpr bool outlives(const pack::block& each) const noexcept { return each.end > length_; }
    [[nodiscard]] constexpr std::span<const pack::block> span() const noexcept {
        return {blocks_.data(), blocks_.size()};
    }

    const learned_past& past_;
    std::uint32_t from_;
    std::uint32_t length_;
    trivial_vector<std::uint32_t> comes_from_;  // by event: the live block that it frees
    trivial_vector<pack::block> blocks_;        // those that are live come first
    std::size_t given_ = 0;
    std::uint64_t known_ = 0;
    std::uint64_t unknown_ = 0;
};

}  // namespace hbm
