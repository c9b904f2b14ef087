#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/memory_set/specs.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::detail {

/// A buffer that is freed, but in use until a fence that its memory does not know; pinned meanwhile.
struct late_free {
    set_buffer freed;
    fence until;

    friend constexpr bool operator==(const late_free&, const late_free&) = default;
};

/// All late frees of a set of `Count` memories, in the order of the calls.
template <std::size_t Count>
class late_frees {
public:
    /// Returns true if a buffer is among them.
    /// Cost: O(1).
    [[nodiscard]] constexpr bool contains(set_buffer held) const noexcept {
        const trivial_vector<std::uint32_t>& marks = marks_[held.memory];
        return held.held.index < marks.size() && marks[held.held.index] == held.held.generation;
    }
    constexpr void add(const late_free& begun) {
        trivial_vector<std::uint32_t>& marks = marks_[begun.freed.memory];
        if (begun.freed.held.index >= marks.size()) marks.resize(begun.freed.held.index + 1);
        marks[begun.freed.held.index] = begun.freed.held.generation;
        frees_.push_back(begun);
    }
    /// Calls `release(buffer)` for those whose fence is reached, and removes them.
    /// Cost: O(late frees).
    template <class Release>
    constexpr void retire(fence reached, Release release) {
        std::size_t left = 0;
        for (const late_free& entry : frees_) {
            if (entry.until > reached) {
                frees_[left++] = entry;
                continue;
            }
            std::uint32_t& mark = marks_[entry.freed.memory][entry.freed.held.index];
            if (mark == entry.freed.held.generation) mark = no_mark;
            release(entry.freed);
        }
        frees_.resize(left);
    }

    /// Marks do not take part in comparison: they follow from the frees.
    friend constexpr bool operator==(const late_frees& a, const late_frees& b) noexcept { return a.frees_ == b.frees_; }

private:
    static constexpr std::uint32_t no_mark = 0;  // no handle of a block has this generation

    trivial_vector<late_free> frees_;
    std::array<trivial_vector<std::uint32_t>, Count> marks_;  // by memory and block: the generation freed, or `no_mark`
};

}  // namespace hbm::inline v0::detail
