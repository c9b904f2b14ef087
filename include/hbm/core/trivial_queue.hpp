#pragma once

#include <hbm/core/trivial_vector.hpp>

#include <cstddef>

namespace hbm::inline v0 {

/// A `trivial_vector<T>` whose first items are removed at an amortised cost of O(1) each. Removed items stay in front
/// of the others until they are as many; `==` ignores them.
template <class T>
class trivial_queue {
public:
    using value_type = T;

    constexpr trivial_queue() noexcept = default;
    constexpr trivial_queue(const trivial_queue&) = default;
    constexpr trivial_queue(trivial_queue&& other) noexcept { *this = static_cast<trivial_queue&&>(other); }
    constexpr trivial_queue& operator=(const trivial_queue&) = default;
    constexpr trivial_queue& operator=(trivial_queue&& other) noexcept {
        items_ = static_cast<trivial_vector<T>&&>(other.items_);
        removed_ = other.removed_;
        other.removed_ = 0;
        return *this;
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return items_.size() - removed_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] constexpr T* begin() noexcept { return items_.begin() + removed_; }
    [[nodiscard]] constexpr T* end() noexcept { return items_.end(); }
    [[nodiscard]] constexpr const T* begin() const noexcept { return items_.begin() + removed_; }
    [[nodiscard]] constexpr const T* end() const noexcept { return items_.end(); }
    [[nodiscard]] constexpr T& operator[](std::size_t at) noexcept { return begin()[at]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t at) const noexcept { return begin()[at]; }

    /// Reserves host memory for `count` items and as many removed ones.
    constexpr void reserve(std::size_t count) { items_.reserve(2 * count); }
    constexpr void push_back(const T& item) { items_.push_back(item); }
    constexpr void resize(std::size_t count) {
        items_.resize(removed_ + count);
        drop_removed();
    }
    /// Moves the last `count` items to `to` and shifts the items between. Grows if there is no room for `count` more.
    /// Cost: O(items from `to` on).
    constexpr void move_last(std::size_t count, std::size_t to) { items_.move_last(count, removed_ + to); }
    /// Removes the first `count` items.
    /// Cost: amortised O(count).
    constexpr void pop_front(std::size_t count) noexcept {
        removed_ += count;
        drop_removed();
    }

    friend constexpr bool operator==(const trivial_queue& a, const trivial_queue& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t at = 0; at < a.size(); ++at)
            if (!(a[at] == b[at])) return false;
        return true;
    }

private:
    constexpr void drop_removed() noexcept {
        if (removed_ < size()) return;
        items_.erase(items_.begin(), begin());
        removed_ = 0;
    }

    trivial_vector<T> items_;
    std::size_t removed_ = 0;  // less than the items that are left, or 0
};

}  // namespace hbm::inline v0
