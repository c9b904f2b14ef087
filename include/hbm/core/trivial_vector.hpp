#pragma once

/// A vector of items that can be copied byte by byte.

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace hbm {

namespace detail {

// What all vectors do at run time, compiled once. Places and numbers are those of items of `size` bytes.

/// Room for `capacity` items that holds the first `used` of `old`, which is given back.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* regrown(void* old, std::size_t used, std::size_t capacity,
                                                             std::size_t size) {
    void* const fresh = ::operator new(capacity* size);
    if (used != 0) __builtin_memcpy(fresh, old, used * size);
    ::operator delete(old);
    return fresh;
}
/// `data`, or what takes its place, with room for `count` more items after the first `used`.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* with_room(void* data, std::size_t used, std::size_t& capacity,
                                                               std::size_t count, std::size_t size) {
    if (count <= capacity - used) return data;
    const std::size_t more = used + (count > used ? count : used);
    void* const fresh = regrown(data, used, more, size);
    capacity = more;
    return fresh;
}
/// The same with `count` items of `first` in that room.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* appended(void* data, std::size_t used, std::size_t& capacity,
                                                              const void* first, std::size_t count, std::size_t size) {
    void* const held = with_room(data, used, capacity, count, size);
    if (count != 0) __builtin_memcpy(static_cast<char*>(held) + used * size, first, count * size);
    return held;
}
/// Moves the items from one place on to another.
[[gnu::cold, gnu::noinline]] inline void shifted(void* data, std::size_t from, std::size_t to, std::size_t count,
                                                 std::size_t size) noexcept {
    char* const held = static_cast<char*>(data);
    if (count != 0) __builtin_memmove(held + to * size, held + from * size, count * size);
}

}  // namespace detail

/// As `std::vector<T>`, for items that can be copied byte by byte. All vectors share the code that gets memory and
/// moves items: a program that uses twenty of them is a third smaller, and compiles sooner, than with `std::vector`.
/// Memory grows by doubling. Iterators are pointers.
template <class T>
class trivial_vector {
public:
    using value_type = T;

    constexpr trivial_vector() noexcept = default;
    constexpr explicit trivial_vector(std::size_t count) : trivial_vector(count, T{}) {}
    constexpr trivial_vector(std::size_t count, const T& item) { resize(count, item); }
    constexpr trivial_vector(const T* first, const T* last) { append(first, last); }
    constexpr trivial_vector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
    constexpr trivial_vector(const trivial_vector& other) { append(other.begin(), other.end()); }
    constexpr trivial_vector(trivial_vector&& other) noexcept { swap(other); }
    constexpr trivial_vector& operator=(const trivial_vector& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    constexpr trivial_vector& operator=(trivial_vector&& other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~trivial_vector() {
        if (std::is_constant_evaluated())
            delete[] data_;
        else
            ::operator delete(static_cast<void*>(data_));
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
    [[nodiscard]] constexpr const T& front() const noexcept { return data_[0]; }
    [[nodiscard]] constexpr T& back() noexcept { return data_[size_ - 1]; }
    [[nodiscard]] constexpr const T& back() const noexcept { return data_[size_ - 1]; }

    /// Room for `count` items without asking the host again.
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

    // What is added may not be among the items that are there.

    constexpr void push_back(const T& item) {
        make_room(1);
        data_[size_++] = item;
    }
    constexpr T& emplace_back() {
        make_room(1);
        data_[size_] = T{};
        return data_[size_++];
    }
    constexpr void resize(std::size_t count, const T& item = T{}) {
        if (count > size_) make_room(count - size_);
        for (std::size_t at = size_; at < count; ++at) data_[at] = item;
        size_ = count;
    }
    constexpr void assign(std::size_t count, const T& item) {
        clear();
        resize(count, item);
    }
    constexpr void assign(const T* first, const T* last) {
        clear();
        append(first, last);
    }
    constexpr void append(const T* first, const T* last) {
        const auto count = static_cast<std::size_t>(last - first);
        if (std::is_constant_evaluated()) {
            make_room(count);
            for (std::size_t at = 0; at < count; ++at) data_[size_ + at] = first[at];
        } else {
            data_ = static_cast<T*>(detail::appended(data_, size_, capacity_, first, count, sizeof(T)));
        }
        size_ += count;
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

    friend constexpr bool operator==(const trivial_vector& a, const trivial_vector& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t at = 0; at < a.size_; ++at)
            if (!(a.data_[at] == b.data_[at])) return false;
        return true;
    }

private:
    /// The items from one place on stand from another place on, where there is room for them.
    constexpr void shift(std::size_t from, std::size_t to) noexcept {
        const std::size_t count = size_ - from;
        size_ = to + count;
        if (!std::is_constant_evaluated()) return detail::shifted(data_, from, to, count, sizeof(T));
        if (from < to)
            for (std::size_t at = count; at-- > 0;) data_[to + at] = data_[from + at];
        else
            for (std::size_t at = 0; at < count; ++at) data_[to + at] = data_[from + at];
    }
    constexpr void make_room(std::size_t more) {
        if (more > capacity_ - size_) [[unlikely]]
            grow_to(size_ + (more > size_ ? more : size_));
    }
    constexpr void grow_to(std::size_t capacity) {
        static_assert(std::is_trivially_copyable_v<T>, "items of a trivial_vector are copied byte by byte");
        if (std::is_constant_evaluated()) {
            T* const fresh = new T[capacity]{};
            for (std::size_t at = 0; at < size_; ++at) fresh[at] = data_[at];
            delete[] data_;
            data_ = fresh;
        } else {
            data_ = static_cast<T*>(detail::regrown(data_, size_, capacity, sizeof(T)));
        }
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace hbm
