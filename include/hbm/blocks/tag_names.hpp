#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Registry of interned names. A regular value with copy-on-write: copying is O(1) and safe while another thread uses
/// the other copy. A name keeps its tag for the lifetime of the registry.
class tag_names {
public:
    constexpr tag_names() = default;
    constexpr tag_names(const tag_names& other) noexcept : shared_(other.shared_) {
        if (shared_ != nullptr) count(shared_->owners, 1);
    }
    constexpr tag_names(tag_names&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
    constexpr tag_names& operator=(tag_names other) noexcept {
        registry* const before = shared_;
        shared_ = other.shared_;
        other.shared_ = before;
        return *this;
    }
    constexpr ~tag_names() {
        if (shared_ != nullptr) [[unlikely]]
            give_up();
    }

    /// Returns the tag of `name`, a zero-terminated string, adding new names. Null and "" have the tag `tag::none`.
    /// Cost: O(length of the name) on average; O(names) for the first new name of a copy.
    [[gnu::cold, gnu::noinline]] constexpr tag intern(const char* name) noexcept {
        std::size_t length = 0;
        if (name != nullptr) {
            while (name[length] != '\0') ++length;
        }
        if (length == 0) return tag::none;
        if (shared_ == nullptr) {
            shared_ = new registry;
            grow();
        }
        std::size_t slot = find(name);
        if (shared_->table[slot] == no_index) {
            if (is_shared()) unshare();
            if (shared_->starts.size() * 2 >= shared_->table.size()) grow();
            slot = find(name);
            shared_->table[slot] = static_cast<std::uint32_t>(shared_->starts.size());
            const auto start = static_cast<std::uint32_t>(shared_->text.size());
            shared_->starts.append(&start, &start + 1);
            shared_->text.append(name, name + length + 1);
        }
        return static_cast<tag>(shared_->table[slot] + 1);
    }

    /// True when `name` has a tag.
    /// Cost: O(length of the name) on average.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr bool knows(const char* name) const noexcept {
        return shared_ != nullptr && shared_->table[find(name)] != no_index;
    }

    /// Returns the name of a tag, valid until the next `intern` or assignment; "" for `tag::none` and for foreign tags.
    [[nodiscard]] constexpr const char* name(tag label) const noexcept {
        const auto number = static_cast<std::uint32_t>(label);
        return number == 0 || number > size() ? "" : shared_->text.data() + shared_->starts[number - 1];
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return shared_ == nullptr ? 0 : shared_->starts.size();
    }

    friend constexpr bool operator==(const tag_names& a, const tag_names& b) noexcept {
        if (a.shared_ == b.shared_) return true;
        return a.size() == b.size() && a.size() != 0 && a.shared_->text == b.shared_->text;
    }

private:
    struct registry {
        trivial_vector<char> text;             // all names, zero-terminated
        trivial_vector<std::uint32_t> starts;  // start of each name
        trivial_vector<std::uint32_t> table;   // open addressing; a power of two, at most half full
        std::uint32_t owners = 1;
    };

    /// Adds to a reference count, which other threads may change, and returns it.
    static constexpr std::uint32_t count(std::uint32_t& owners, std::uint32_t more) noexcept {
        if (__builtin_is_constant_evaluated()) return owners += more;
        return __atomic_add_fetch(&owners, more, __ATOMIC_ACQ_REL);
    }
    [[nodiscard]] constexpr bool is_shared() const noexcept {
        if (__builtin_is_constant_evaluated()) return shared_->owners != 1;
        return __atomic_load_n(&shared_->owners, __ATOMIC_ACQUIRE) != 1;
    }
    [[gnu::cold, gnu::noinline]] constexpr void give_up() noexcept {
        if (count(shared_->owners, ~std::uint32_t{0}) == 0) delete shared_;
        shared_ = nullptr;
    }
    /// Copies the names that are shared.
    [[gnu::cold]] constexpr void unshare() noexcept {
        tag_names own;
        for (const std::uint32_t start : shared_->starts) own.intern(shared_->text.data() + start);
        registry* const before = shared_;
        shared_ = own.shared_;
        own.shared_ = before;
    }

    static constexpr std::uint32_t hash(const char* name) noexcept {
        std::uint32_t value = 2166136261u;  // FNV-1a
        for (; *name != '\0'; ++name) value = (value ^ static_cast<unsigned char>(*name)) * 16777619u;
        return value;
    }
    [[nodiscard]] constexpr bool same(std::uint32_t number, const char* name) const noexcept {
        const char* other = shared_->text.data() + shared_->starts[number];
        while (*other != '\0' && *other == *name) ++other, ++name;
        return *other == *name;
    }
    [[nodiscard]] constexpr std::size_t find(const char* name) const noexcept {
        const trivial_vector<std::uint32_t>& table = shared_->table;
        std::size_t slot = hash(name) & (table.size() - 1);
        while (table[slot] != no_index && !same(table[slot], name)) slot = (slot + 1) & (table.size() - 1);
        return slot;
    }
    [[gnu::cold]] constexpr void grow() {
        trivial_vector<std::uint32_t>& table = shared_->table;
        table.assign(table.empty() ? 16 : table.size() * 2, no_index);
        for (std::uint32_t number = 0; number < shared_->starts.size(); ++number)
            table[find(shared_->text.data() + shared_->starts[number])] = number;
    }

    registry* shared_ = nullptr;
};

}  // namespace hbm
