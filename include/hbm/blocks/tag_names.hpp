#pragma once

/// The registry of the names that tags stand for.

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Names and their tags. A regular value. A name keeps its tag for the lifetime of the registry.
class tag_names {
public:
    /// The tag of `name`, a zero-terminated string; a new tag if the name is new. Null and "" have the tag `tag::none`.
    /// O(length of the name) on average.
    [[gnu::cold, gnu::noinline]] constexpr tag intern(const char* name) {
        std::size_t length = 0;
        if (name != nullptr) {
            while (name[length] != '\0') ++length;
        }
        if (length == 0) return tag::none;
        if (starts_.size() * 2 >= table_.size()) grow();
        const std::size_t slot = find(name);
        if (table_[slot] == no_index) {
            table_[slot] = static_cast<std::uint32_t>(starts_.size());
            starts_.push_back(static_cast<std::uint32_t>(text_.size()));
            text_.append(name, name + length + 1);
        }
        return static_cast<tag>(table_[slot] + 1);
    }

    /// True when `name`, a zero-terminated string, has a tag. O(length of the name) on average.
    [[nodiscard, gnu::cold]] constexpr bool knows(const char* name) const noexcept {
        return !table_.empty() && table_[find(name)] != no_index;
    }

    /// The name of a tag, valid until the next `intern`; "" for `tag::none` and for tags that are not of this registry.
    /// O(1).
    [[nodiscard]] constexpr const char* name(tag label) const noexcept {
        const auto number = static_cast<std::uint32_t>(label);
        return number == 0 || number > starts_.size() ? "" : text_.data() + starts_[number - 1];
    }

    /// How many names are known.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return starts_.size(); }

    friend constexpr bool operator==(const tag_names&, const tag_names&) = default;

private:
    static constexpr std::uint32_t hash(const char* name) noexcept {
        std::uint32_t value = 2166136261u;  // FNV-1a
        for (; *name != '\0'; ++name) value = (value ^ static_cast<unsigned char>(*name)) * 16777619u;
        return value;
    }
    [[nodiscard]] constexpr bool same(std::uint32_t number, const char* name) const noexcept {
        const char* known = text_.data() + starts_[number];
        while (*known != '\0' && *known == *name) ++known, ++name;
        return *known == *name;
    }
    [[nodiscard]] constexpr std::size_t find(const char* name) const noexcept {
        std::size_t slot = hash(name) & (table_.size() - 1);
        while (table_[slot] != no_index && !same(table_[slot], name)) slot = (slot + 1) & (table_.size() - 1);
        return slot;
    }
    [[gnu::cold]] constexpr void grow() {
        table_.assign(table_.empty() ? 16 : table_.size() * 2, no_index);
        for (std::uint32_t number = 0; number < starts_.size(); ++number)
            table_[find(text_.data() + starts_[number])] = number;
    }

    trivial_vector<char> text_;             // all names, each with its zero
    trivial_vector<std::uint32_t> starts_;  // where each name begins
    trivial_vector<std::uint32_t> table_;   // open addressing; a power of two, at most half full
};

}  // namespace hbm
