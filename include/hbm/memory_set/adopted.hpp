#pragma once

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/mesh/table.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace hbm::inline v0 {

/// The owner of memory that a `memory_set` adopts: `released(context, where)` is called exactly once, when the set no
/// longer uses the memory. A null function is not called.
/// Requires: `released` does not call the set.
struct memory_owner {
    void (*released)(void* context, extent where) noexcept = nullptr;
    void* context = nullptr;
};

namespace detail {

/// Adopted memory, its owner, and the fence of its last use. Owners do not take part in comparison.
struct adopted_part {
    extent where;
    memory_owner owner;
    fence until;
    bool marked = false;  // within a check of arguments only

    constexpr void release() const noexcept {
        if (owner.released != nullptr) owner.released(owner.context, where);
    }
    friend constexpr bool operator==(const adopted_part& a, const adopted_part& b) noexcept {
        return a.where == b.where && a.until == b.until;
    }
};

/// All adopted memory of a set. Copies have no owners to call. Destruction and assignment call the owners of all that
/// is left.
class adopted_memory {
public:
    constexpr adopted_memory() = default;
    constexpr adopted_memory(const adopted_memory& other) : held_(other.held_), leaving_(other.leaving_) { disown(); }
    constexpr adopted_memory(adopted_memory&& other) noexcept { swap(std::move(other)); }
    constexpr adopted_memory& operator=(const adopted_memory& other) {
        if (this != &other) swap(adopted_memory(other));
        return *this;
    }
    constexpr adopted_memory& operator=(adopted_memory&& other) noexcept {
        if (this != &other) swap(adopted_memory(std::move(other)));
        return *this;
    }
    constexpr ~adopted_memory() {
        for (std::uint32_t slot = 0; slot < held_.generations.size(); ++slot)
            if (held_.generations[slot] % 2 == 1) held_.parts[slot].release();
        for (const adopted_part& part : leaving_) part.release();
    }

    constexpr buffer begin(extent where, const memory_owner& owner, std::uint32_t salt) {
        const adopted_part part{where, owner, {}};
        return held_.begin(std::span(&part, 1), salt);
    }
    [[nodiscard]] constexpr error check(buffer held, std::uint32_t salt) const noexcept {
        return held_.check(held, salt);
    }
    /// Requires: a valid handle, here and below.
    [[nodiscard]] constexpr extent where(buffer held) const noexcept { return held_.part(held, 0, 1).where; }
    /// Returns the mark of a buffer, which is false between calls.
    [[nodiscard]] constexpr bool& mark(buffer held) noexcept { return held_.part(held, 0, 1).marked; }
    /// Keeps the memory until a fence.
    constexpr void use(buffer held, fence until) noexcept {
        fence& last = held_.part(held, 0, 1).until;
        if (last < until) last = until;
    }
    /// Ends a handle. The owner is called at once if a fence and all uses are reached, else by `retire`.
    /// Cost: O(1).
    constexpr void end(buffer held, fence until, fence reached) {
        use(held, until);
        const adopted_part part = held_.part(held, 0, 1);
        held_.end(held);
        part.until > reached ? leaving_.push_back(part) : part.release();
    }
    /// Calls the owners of ended memory whose fence is reached.
    /// Cost: O(ended memory).
    constexpr void retire(fence reached) {
        std::size_t left = 0;
        for (const adopted_part& part : leaving_) {
            if (part.until > reached)
                leaving_[left++] = part;
            else
                part.release();
        }
        leaving_.resize(left);
    }

    friend constexpr bool operator==(const adopted_memory&, const adopted_memory&) = default;

private:
    constexpr void swap(adopted_memory&& other) noexcept {
        std::swap(held_, other.held_);
        leaving_.swap(other.leaving_);
    }
    constexpr void disown() noexcept {
        for (adopted_part& part : held_.parts) part.owner = {};
        for (adopted_part& part : leaving_) part.owner = {};
    }

    mesh_table<buffer, adopted_part> held_;
    trivial_vector<adopted_part> leaving_;  // ended, but in use by runs in flight
};

}  // namespace detail

}  // namespace hbm::inline v0
