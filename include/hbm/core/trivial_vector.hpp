#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace hbm::inline v0 {

template <class Quanta>
class block_map;

namespace detail {

/// The type-erased layout of a vector, for the functions below.
///
/// A `trivial_vector` of any type is read and written through this view: pointer, size, capacity. So growing, appending
/// and shifting exist once in a program, with the size of an item as an argument, and not once for each type.
struct [[gnu::may_alias]] untyped_vector {
    void* data;
    std::size_t used;
    std::size_t capacity;
};

struct item_shape {
    std::uint16_t size;
    std::uint16_t alignment;
};

/// Allocates host memory. Over-aligned items begin at a cache line.
[[nodiscard]] inline void* host_memory(std::size_t bytes, std::size_t alignment) noexcept {
    return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? ::operator new(bytes)
                                                         : ::operator new (bytes, std::align_val_t{64});
}
inline void return_to_host(void* data, std::size_t alignment) noexcept {
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__)
        ::operator delete(data);
    else
        ::operator delete (data, std::align_val_t{64});
}

/// Reallocates to hold `capacity` items. Aborts if the host is out of memory: recovery would make the code 5 % larger.
[[gnu::cold, gnu::noinline]] inline void reserve(untyped_vector& items, std::size_t capacity,
                                                 item_shape item) noexcept {
    // Not `realloc`: memory from `operator new` must not be given to it, and programs that replace `operator new` to
    // count allocations are to see all of them.
    void* const fresh = host_memory(capacity * item.size, item.alignment);
    if (items.used != 0) copy_bytes(fresh, items.data, items.used * item.size);
    return_to_host(items.data, item.alignment);
    items.data = fresh;
    items.capacity = capacity;
}
/// Makes room for `more` more items, at least doubling the capacity.
[[gnu::cold, gnu::noinline]] inline void make_room(untyped_vector& items, std::size_t more, item_shape item) noexcept {
    if (more > items.capacity - items.used) reserve(items, items.used + (more > items.used ? more : items.used), item);
}
[[gnu::cold, gnu::noinline]] inline void append(untyped_vector& items, const void* first, std::size_t count,
                                                item_shape item) noexcept {
    make_room(items, count, item);
    if (count != 0) move_bytes(static_cast<char*>(items.data) + items.used * item.size, first, count * item.size);
    items.used += count;
}
[[gnu::cold, gnu::noinline]] inline void assign(untyped_vector& items, const void* first, std::size_t count,
                                                item_shape item) noexcept {
    items.used = 0;
    append(items, first, count, item);
}
/// Resizes to `count` items; new ones are copies of `copied`. Each memcpy doubles the copied part.
[[gnu::cold, gnu::noinline]] inline void resize(untyped_vector& items, std::size_t count, const void* copied,
                                                item_shape item) noexcept {
    if (count > items.used) {
        make_room(items, count - items.used, item);
        char* const first = static_cast<char*>(items.data) + items.used * item.size;
        const std::size_t bytes = (count - items.used) * item.size;
        copy_bytes(first, copied, item.size);
        for (std::size_t copied_bytes = item.size; copied_bytes < bytes;) {
            const std::size_t more = copied_bytes < bytes - copied_bytes ? copied_bytes : bytes - copied_bytes;
            copy_bytes(first + copied_bytes, first, more);
            copied_bytes += more;
        }
    }
    items.used = count;
}
/// Moves the items of `others` to `items`, and the memory of `items` to `others`, which becomes empty.
[[gnu::cold, gnu::noinline]] inline void take(untyped_vector& items, untyped_vector& others) noexcept {
    // The vector that is moved from keeps memory to use again: that of the target.
    const untyped_vector before = items;
    items = others;
    others = before;
    others.used = 0;
}
/// Moves the items from index `from` on to index `to`.
/// Requires: enough capacity.
[[gnu::cold, gnu::noinline]] inline void shift(untyped_vector& items, std::size_t from, std::size_t to,
                                               std::size_t size) noexcept {
    char* const data = static_cast<char*>(items.data);
    const std::size_t count = items.used - from;
    if (count != 0) move_bytes(data + to * size, data + from * size, count * size);
    items.used = to + count;
}
/// Shifts the items between `from` and `to` by one, over the item at `from`, to free position `to`.
[[gnu::cold, gnu::noinline]] inline void close_up(untyped_vector& items, std::size_t from, std::size_t to,
                                                  std::size_t size) noexcept {
    char* const data = static_cast<char*>(items.data);
    if (from < to)
        move_bytes(data + from * size, data + (from + 1) * size, (to - from) * size);
    else
        move_bytes(data + (to + 1) * size, data + to * size, (from - to) * size);
}

/// clang 19 drops the destructor of a member that began empty, unless the destructor has a condition: a leak. g++ does
/// not need the condition, and its code is smaller without.
#ifdef __clang__
inline constexpr bool asks_before_destruction = true;
#else
inline constexpr bool asks_before_destruction = false;
#endif

}  // namespace detail

/// Like `std::vector<T>`, for trivially copyable items. All vectors share type-erased code to allocate and move items,
/// so another item type adds little to an executable. Iterators are pointers. A vector that was moved from is empty.
/// Requires: an added item is not an element of this vector.
///
/// The code tests `__builtin_is_constant_evaluated()`, never its negation: g++ 12 then discards the branch for constant
/// evaluation early, which saves compile time for each item type.
template <class T>
class trivial_vector {
public:
    using value_type = T;

    constexpr trivial_vector() noexcept {}
    constexpr explicit trivial_vector(std::size_t count, const T& item = T{}) { resize(count, item); }
    constexpr trivial_vector(const T* first, const T* last) { append(first, last); }
    constexpr trivial_vector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
    constexpr trivial_vector(const trivial_vector& other) { append_items(other.data_, other.size_); }
    constexpr trivial_vector(trivial_vector&& other) noexcept { swap(other); }
    constexpr trivial_vector& operator=(const trivial_vector& other) {
        if (this == &other) return *this;
        clear();
        append_items(other.data_, other.size_);
        return *this;
    }
    constexpr trivial_vector& operator=(trivial_vector&& other) noexcept {
        if (__builtin_is_constant_evaluated()) {
            swap(other);
            other.clear();
        } else {
            detail::take(untyped(), other.untyped());
        }
        return *this;
    }
    constexpr ~trivial_vector() {
        if (!detail::asks_before_destruction || data_ != nullptr) give_back();
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr T* data() noexcept { return data_; }
    [[nodiscard]] constexpr const T* data() const noexcept { return data_; }
    [[nodiscard]] constexpr T* begin() noexcept { return data_; }
    [[nodiscard]] constexpr T* end() noexcept { return data_ + size_; }
    [[nodiscard]] constexpr const T* begin() const noexcept { return data_; }
    [[nodiscard]] constexpr const T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] constexpr T& operator[](std::size_t at) noexcept { return data_[at]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t at) const noexcept { return data_[at]; }
    [[nodiscard]] constexpr T& front() noexcept { return data_[0]; }
    [[nodiscard]] constexpr T& back() noexcept { return data_[size_ - 1]; }
    [[nodiscard]] constexpr const T& back() const noexcept { return data_[size_ - 1]; }

    constexpr void reserve(std::size_t count) {
        if (count > capacity_) grow_to(count);
    }
    constexpr void clear() noexcept { size_ = 0; }
    constexpr void pop_back() noexcept { --size_; }
    constexpr void swap(trivial_vector& other) noexcept {
        T* const data = data_;
        const std::size_t size = size_;
        const std::size_t capacity = capacity_;
        data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
        other.data_ = data, other.size_ = size, other.capacity_ = capacity;
    }

    constexpr void push_back(const T& item) {
        if (size_ == capacity_) [[unlikely]]
            return append_items(&item, 1);
        data_[size_++] = item;
    }
    constexpr T& emplace_back() {
        make_room(1);
        data_[size_] = T{};
        return data_[size_++];
    }
    constexpr void resize(std::size_t count, const T& item = T{}) {
        if (__builtin_is_constant_evaluated()) {
            if (count > size_) make_room(count - size_);
            for (std::size_t at = size_; at < count; ++at) data_[at] = item;
            size_ = count;
        } else {
            detail::resize(untyped(), count, &item, shape);
        }
    }
    /// Resizes to `count` items, leaving new ones unspecified.
    constexpr void resize_for_overwrite(std::size_t count) {
        if (count > size_) make_room(count - size_);
        size_ = count;
    }
    constexpr void assign(std::size_t count, const T& item) {
        clear();
        resize(count, item);
    }
    /// Replaces all items. The new ones may be a part of the present ones.
    constexpr void assign(const T* first, const T* last) {
        const auto count = static_cast<std::size_t>(last - first);
        if (__builtin_is_constant_evaluated()) {
            clear();
            append_items(first, count);
        } else {
            detail::assign(untyped(), first, count, shape);
        }
    }
    constexpr void append(const T* first, const T* last) {
        append_items(first, static_cast<std::size_t>(last - first));
    }
    [[gnu::cold]] constexpr void insert(const T* place, const T& item) {
        const auto at = static_cast<std::size_t>(place - data_);
        make_room(1);
        shift(at, at + 1);
        data_[at] = item;
    }
    [[gnu::cold]] constexpr void erase(const T* place) noexcept { erase(place, place + 1); }
    [[gnu::cold]] constexpr void erase(const T* first, const T* last) noexcept {
        shift(static_cast<std::size_t>(last - data_), static_cast<std::size_t>(first - data_));
    }
    /// Moves the item at `from` to `to` and shifts the items between by one.
    /// Cost: O(items between).
    [[gnu::cold]] constexpr void reposition(std::size_t from, std::size_t to) noexcept {
        const T item = data_[from];
        if (__builtin_is_constant_evaluated()) {
            for (std::size_t at = from; at < to; ++at) data_[at] = data_[at + 1];
            for (std::size_t at = from; at > to; --at) data_[at] = data_[at - 1];
        } else {
            detail::close_up(untyped(), from, to, sizeof(T));
        }
        data_[to] = item;
    }

    friend constexpr bool operator==(const trivial_vector& a, const trivial_vector& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t at = 0; at < a.size_; ++at)
            if (!(a.data_[at] == b.data_[at])) return false;
        return true;
    }

private:
    template <class>
    friend class block_map;  // without a call to read an item, it takes a tenth fewer steps of constant evaluation

    static constexpr detail::item_shape shape{sizeof(T), alignof(T)};  // fits into a register

    constexpr void give_back() noexcept {
        if (__builtin_is_constant_evaluated())
            delete[] data_;
        else
            detail::return_to_host(data_, alignof(T));
    }
    [[nodiscard]] detail::untyped_vector& untyped() noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "items of a trivial_vector are copied byte by byte");
        return reinterpret_cast<detail::untyped_vector&>(*this);
    }
    constexpr void append_items(const T* first, std::size_t count) {
        if (__builtin_is_constant_evaluated()) {
            make_room(count);
            for (std::size_t at = 0; at < count; ++at) data_[size_++] = first[at];
        } else {
            detail::append(untyped(), first, count, shape);
        }
    }
    constexpr void shift(std::size_t from, std::size_t to) noexcept {
        if (__builtin_is_constant_evaluated()) {
            const std::size_t count = size_ - from;
            if (from < to)
                for (std::size_t at = count; at-- > 0;) data_[to + at] = data_[from + at];
            else
                for (std::size_t at = 0; at < count; ++at) data_[to + at] = data_[from + at];
            size_ = to + count;
        } else {
            detail::shift(untyped(), from, to, sizeof(T));
        }
    }
    constexpr void make_room(std::size_t more) {
        // The usual case is a comparison that is inlined; growing is a call to code that all item types share. In
        // constant evaluation there are no raw bytes, so items are copied one by one there.
        if (more <= capacity_ - size_) [[likely]]
            return;
        if (__builtin_is_constant_evaluated())
            grow_to(size_ + (more > size_ ? more : size_));
        else
            detail::make_room(untyped(), more, shape);
    }
    constexpr void grow_to(std::size_t capacity) {
        if (__builtin_is_constant_evaluated()) {
            T* const fresh = new T[capacity]{};
            for (std::size_t at = 0; at < size_; ++at) fresh[at] = data_[at];
            delete[] data_;
            data_ = fresh;
            capacity_ = capacity;
        } else {
            detail::reserve(untyped(), capacity, shape);
        }
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

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
        // The vector of `other` is empty now, so its count of removed items has to be 0, or its size would be negative.
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
    /// Removes the first `count` items.
    /// Cost: amortised O(count).
    constexpr void pop_front(std::size_t count) noexcept {
        // Removed items stay until they are half of the list. Then the rest is moved once, over at least as many
        // removed ones, which pays for it.
        removed_ += count;
        if (removed_ < size()) return;
        items_.erase(items_.begin(), begin());
        removed_ = 0;
    }

    friend constexpr bool operator==(const trivial_queue& a, const trivial_queue& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t at = 0; at < a.size(); ++at)
            if (!(a[at] == b[at])) return false;
        return true;
    }

private:
    trivial_vector<T> items_;
    std::size_t removed_ = 0;  // less than the items that are left, or 0
};

}  // namespace hbm::inline v0
