#pragma once

/// A vector whose copies share what they have in common.

#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// A vector of items that can be copied byte by byte, in pieces of 1,024. A copy shares all pieces and takes O(items /
/// 1,024); a piece is copied when it is written to while another vector has it too. A regular value: copies may be used
/// in different threads.
template <class T>
class shared_vector {
public:
    constexpr shared_vector() noexcept {}
    constexpr shared_vector(const shared_vector& other) : pieces_(other.pieces_), size_(other.size_) {
        for (piece* const each : pieces_) add_user(*each);
    }
    constexpr shared_vector(shared_vector&& other) noexcept { swap(other); }
    constexpr shared_vector& operator=(const shared_vector& other) {
        shared_vector copy(other);
        swap(copy);
        return *this;
    }
    constexpr shared_vector& operator=(shared_vector&& other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~shared_vector() { clear(); }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr const T& operator[](std::size_t at) const noexcept {
        return pieces_[at / per_piece]->items[at % per_piece];
    }
    /// An item to write to. O(1), or the copy of a piece if another vector has it too.
    [[nodiscard]] constexpr T& change(std::size_t at) {
        piece*& held = pieces_[at / per_piece];
        if (users(*held) != 1) {
            piece* const fresh = new piece{1, {}};
            for (std::size_t item = 0; item < per_piece; ++item) fresh->items[item] = held->items[item];
            leave(held);
            held = fresh;
        }
        return held->items[at % per_piece];
    }
    /// O(1), or a piece.
    constexpr void push_back(const T& item) {
        const T added = item;  // which may be an item of this vector
        if (size_ % per_piece == 0) pieces_.push_back(new piece{1, {}});
        ++size_;
        change(size_ - 1) = added;
    }
    /// O(pieces).
    constexpr void clear() noexcept {
        for (piece* const each : pieces_) leave(each);
        pieces_.clear();
        size_ = 0;
    }
    constexpr void swap(shared_vector& other) noexcept {
        pieces_.swap(other.pieces_);
        const std::size_t size = size_;
        size_ = other.size_;
        other.size_ = size;
    }
    /// What it takes on the host, pieces that are shared included. O(1).
    [[nodiscard]] constexpr std::size_t bytes() const noexcept {
        return pieces_.size() * (sizeof(piece) + sizeof(piece*));
    }

    friend constexpr bool operator==(const shared_vector& a, const shared_vector& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t at = 0; at < a.size_; ++at) {
            if (at % per_piece == 0 && a.pieces_[at / per_piece] == b.pieces_[at / per_piece])
                at += per_piece - 1;
            else if (!(a[at] == b[at]))
                return false;
        }
        return true;
    }

private:
    static constexpr std::size_t per_piece = 1024;

    struct piece {
        std::uint32_t users;
        T items[per_piece];
    };

    // The count of users is all that threads share; its builtins are there in both compilers, without <atomic>.
    static constexpr void add_user(piece& held) noexcept {
        if (__builtin_is_constant_evaluated())
            ++held.users;
        else
            __atomic_add_fetch(&held.users, 1, __ATOMIC_RELAXED);
    }
    [[nodiscard]] static constexpr std::uint32_t users(const piece& held) noexcept {
        if (__builtin_is_constant_evaluated()) return held.users;
        return __atomic_load_n(&held.users, __ATOMIC_ACQUIRE);
    }
    static constexpr void leave(piece* held) noexcept {
        if (__builtin_is_constant_evaluated()) {
            if (--held->users == 0) delete held;
        } else if (__atomic_sub_fetch(&held->users, 1, __ATOMIC_ACQ_REL) == 0) {
            delete held;
        }
    }

    trivial_vector<piece*> pieces_;
    std::size_t size_ = 0;
};

}  // namespace hbm
