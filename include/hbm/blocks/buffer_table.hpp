#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// A value of the user for each buffer of a manager, such as a pointer to its owner; a regular value.
///
///     hbm::buffer_table<tensor*> owners;
///     owners[*weights] = &tensor;
///     if (tensor* const* owner = owners.find(held)) ...
///
/// The value of a buffer that is gone is not found, and its place is used again.
/// An output that takes over an input has a handle of its own, and so a value of its own.
/// Cost: O(1) amortised; host memory for the value and 8 bytes, times the most blocks that were live at once.
template <class T>
class buffer_table {
public:
    /// Returns the value of a buffer; a new one if it has none yet.
    /// Requires: the handle refers to a buffer. The reference is valid until the next new value.
    constexpr T& operator[](buffer held) {
        const std::uint32_t at = number_of(held);
        if (at >= entries_.size()) entries_.resize(at + std::size_t{1});
        entry& target = entries_[at];
        if (target.generation != held.generation || !target.used) target = {T{}, held.generation, true};
        return target.value;
    }
    /// Returns the value of a buffer; null if it has none.
    [[nodiscard]] constexpr const T* find(buffer held) const noexcept {
        const std::uint32_t at = number_of(held);
        if (!held || at >= entries_.size()) return nullptr;
        const entry& candidate = entries_[at];
        return candidate.used && candidate.generation == held.generation ? &candidate.value : nullptr;
    }
    /// Erases the value of a buffer, if it has one.
    constexpr void erase(buffer held) {
        if (find(held) != nullptr) entries_[number_of(held)] = {};
    }

    friend constexpr bool operator==(const buffer_table&, const buffer_table&) = default;

private:
    struct entry {
        T value{};
        std::uint32_t generation = 0;
        bool used = false;

        friend constexpr bool operator==(const entry&, const entry&) = default;
    };
    [[nodiscard]] static constexpr std::uint32_t number_of(buffer held) noexcept {
        return block_map<std::uint32_t>::number_of(held.index);
    }

    std::vector<entry> entries_;
};

}  // namespace hbm
