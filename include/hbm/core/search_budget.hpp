#pragma once

#include <cstdint>

namespace hbm::inline v0 {

/// The number of looks that searches may still take. A look is the cost of visiting a block once, a few nanoseconds.
/// Callers spend before they search, so the limit is never exceeded; work that does not fit is skipped.
class search_budget {
public:
    /// Constructs an empty budget.
    constexpr search_budget() = default;
    constexpr explicit search_budget(std::uint64_t looks) noexcept : left_(looks) {}

    /// Takes `looks` from the budget. Returns false, and empties the budget, if fewer are left.
    [[gnu::cold, gnu::noinline]] constexpr bool spend(std::uint64_t looks) noexcept {
        // A search that does not fit empties the budget: later, cheaper ones are skipped as well, and `fell_short` says
        // so.
        const bool enough = looks <= left_;
        left_ = enough ? left_ - looks : 0;
        fell_short_ = fell_short_ || !enough;
        return enough;
    }
    [[nodiscard]] constexpr std::uint64_t left() const noexcept { return left_; }
    /// Returns true if work was skipped because the budget was exhausted.
    [[nodiscard]] constexpr bool fell_short() const noexcept { return fell_short_; }

private:
    friend class budget_share;

    std::uint64_t left_ = 0;
    bool fell_short_ = false;
};

/// Limits a budget to one part in `parts` of what is left, for the lifetime of the object.
class budget_share {
public:
    constexpr budget_share(search_budget& whole, std::uint64_t parts) noexcept
        : whole_(whole), aside_(whole.left_ - whole.left_ / parts) {
        whole_.left_ -= aside_;
    }
    constexpr ~budget_share() { whole_.left_ += aside_; }
    budget_share(const budget_share&) = delete;
    budget_share& operator=(const budget_share&) = delete;

private:
    search_budget& whole_;
    std::uint64_t aside_;
};

}  // namespace hbm::inline v0
