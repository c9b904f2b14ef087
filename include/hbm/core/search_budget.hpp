#pragma once

/// A bound on how long searches may take, in numbers that are the same on every machine.

#include <cstdint>

namespace hbm {

/// How many looks searches may still take together. A look is what it costs to look at a block once, some nanoseconds.
/// Who looks spends first, so the number that was allowed is never exceeded; what can no longer be afforded is left
/// out.
class search_budget {
public:
    /// No looks.
    constexpr search_budget() = default;
    constexpr explicit search_budget(std::uint64_t looks) noexcept : left_(looks) {}

    /// False where fewer looks are left: then none are left afterwards. O(1).
    [[gnu::cold, gnu::noinline]] constexpr bool spend(std::uint64_t looks) noexcept {
        const bool enough = looks <= left_;
        left_ = enough ? left_ - looks : 0;
        fell_short_ = fell_short_ || !enough;
        return enough;
    }
    [[nodiscard]] constexpr std::uint64_t left() const noexcept { return left_; }
    /// True when something was left out for want of looks.
    [[nodiscard]] constexpr bool fell_short() const noexcept { return fell_short_; }

    /// Lets what follows have no more than `looks` of what is left. Returns the rest, for `give_back`.
    [[nodiscard]] constexpr std::uint64_t set_aside_all_but(std::uint64_t looks) noexcept {
        const std::uint64_t aside = looks < left_ ? left_ - looks : 0;
        left_ -= aside;
        return aside;
    }
    constexpr void give_back(std::uint64_t looks) noexcept { left_ += looks; }

private:
    std::uint64_t left_ = 0;
    bool fell_short_ = false;
};

/// While it lives, searches have no more than a part of what is left of a budget: a quarter where `parts` is 4.
class budget_share {
public:
    constexpr budget_share(search_budget& whole, std::uint64_t parts) noexcept
        : whole_(whole), aside_(whole.set_aside_all_but(whole.left() / parts)) {}
    constexpr ~budget_share() { whole_.give_back(aside_); }
    budget_share(const budget_share&) = delete;
    budget_share& operator=(const budget_share&) = delete;

private:
    search_budget& whole_;
    std::uint64_t aside_;
};

}  // namespace hbm
