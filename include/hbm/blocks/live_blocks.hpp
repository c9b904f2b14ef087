#pragma once

#include <hbm/blocks/block_map.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A block in the interface of the manager; offsets and sizes are in bytes.
struct block_view {
    block_kind kind = block_kind::hole;
    extent where = {};          ///< the occupied range
    std::uint64_t granted = 0;  ///< requested size, rounded up to the quantum; 0 for a hole
    std::uint32_t pins = 0;     ///< number of external pins
    std::uint32_t holds = 0;    ///< number of runs in flight that use it
    std::uint32_t owner = 0;    ///< tag of a buffer, or slot of a program
    buffer handle = {};         ///< handle of a buffer; empty for other kinds
};

/// Range over the blocks in address order, with or without holes: `for (const block_view& block : memory.blocks())`.
/// Valid until the next change of the manager.
/// Cost: O(1) per step.
template <class Quanta>
class block_range {
public:
    /// Refers to the manager, not to the range, so it outlives a temporary range.
    class iterator {
    public:
        using value_type = block_view;
        using difference_type = std::ptrdiff_t;

        constexpr iterator() = default;
        constexpr iterator(const block_map<Quanta>& map, unsigned shift, std::uint32_t salt, bool with_holes)
            : map_(&map), at_(map.first()), salt_(salt), shift_(static_cast<std::uint8_t>(shift)),
              with_holes_(with_holes) {
            skip();
        }
        [[nodiscard]] constexpr block_view operator*() const noexcept {
            block_view view{.kind = map_->kind(at_), .where = {bytes(map_->offset(at_)), bytes(map_->size(at_))}};
            if (view.kind == block_kind::hole) return view;
            view.granted = bytes(map_->granted(at_));
            view.pins = map_->pins(at_);
            view.holds = map_->holds(at_);
            view.owner = map_->owner(at_);
            if (view.kind == block_kind::data) view.handle = {at_, map_->generation(at_), salt_};
            return view;
        }
        constexpr iterator& operator++() {
            at_ = map_->next(at_);
            skip();
            return *this;
        }
        constexpr iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        constexpr void skip() noexcept {
            while (at_ != no_block && !with_holes_ && map_->is_hole(at_)) at_ = map_->next(at_);
        }
        [[nodiscard]] constexpr std::uint64_t bytes(Quanta size) const noexcept {
            return std::uint64_t{size} << shift_;
        }

        const block_map<Quanta>* map_ = nullptr;
        block_index at_ = no_block;
        std::uint32_t salt_ = 0;
        std::uint8_t shift_ = 0;
        bool with_holes_ = false;
    };

    constexpr block_range(const block_map<Quanta>& map, unsigned shift, std::uint32_t salt, bool with_holes) noexcept
        : first_(map, shift, salt, with_holes) {}

    [[nodiscard]] constexpr iterator begin() const { return first_; }
    [[nodiscard]] constexpr iterator end() const { return {}; }

private:
    iterator first_;
};

}  // namespace hbm::inline v0
