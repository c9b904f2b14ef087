#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::inline v0 {

/// A value of the user for each buffer of a manager, such as a pointer to its owner; a regular value.
///
///     hbm::buffer_table<tensor*> owners;
///     owners[*weights] = &tensor;
///     if (tensor* const* owner = owners.find(held)) ...
///
/// The value of a freed buffer stays until `erase`, or until a later buffer in its place gets a value.
/// An output that takes over an input has a handle of its own, and so a value of its own.
/// Cost: O(1) amortised; host memory for up to twice the nodes of the manager's block map, the value and 12 bytes each.
template <class T>
class buffer_table {
public:
    /// Returns the value of a buffer; a new one if it has none yet.
    /// Requires: the handle refers to a buffer. The reference is valid until the next new value.
    constexpr T& operator[](buffer held) {
        const std::uint32_t at = number_of(held.index);
        if (at >= entries_.size()) entries_.resize(at + std::size_t{1});
        entry& target = entries_[at];
        if (!target.is_of(held)) target = {T{}, held.generation, held.salt, true};
        return target.value;
    }
    /// Returns the value of a buffer; null if it has none. A handle of another manager has none.
    [[nodiscard]] constexpr const T* find(buffer held) const noexcept {
        const std::uint32_t at = number_of(held.index);
        if (!held || at >= entries_.size()) return nullptr;
        return entries_[at].is_of(held) ? &entries_[at].value : nullptr;
    }
    /// Returns the value of the buffer of an index and a generation; null if it has none. For a table of one manager.
    [[nodiscard]] constexpr const T* find(block_index block, std::uint32_t generation) const noexcept {
        const std::uint32_t at = number_of(block);
        if (at >= entries_.size()) return nullptr;
        return entries_[at].used && entries_[at].generation == generation ? &entries_[at].value : nullptr;
    }
    /// Erases the value of a buffer, if it has one.
    constexpr void erase(buffer held) {
        if (find(held) != nullptr) entries_[number_of(held.index)] = {};
    }

    friend constexpr bool operator==(const buffer_table&, const buffer_table&) = default;

private:
    struct entry {
        T value{};
        std::uint32_t generation = 0;
        std::uint32_t salt = 0;
        bool used = false;

        [[nodiscard]] constexpr bool is_of(buffer held) const noexcept {
            return used && generation == held.generation && salt == held.salt;
        }
        friend constexpr bool operator==(const entry&, const entry&) = default;
    };
    [[nodiscard]] static constexpr std::uint32_t number_of(block_index block) noexcept {
        return block_map<std::uint32_t>::number_of(block);
    }

    std::vector<entry> entries_;
};

}  // namespace hbm::inline v0
