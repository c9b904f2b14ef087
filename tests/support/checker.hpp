#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test {

/// An independent checker for any allocator of ranges; shares no code with the library. Offsets and sizes in bytes.
/// Each call checks an operation, and returns null or the broken rule; then it is ignored.
/// Cost: O(blocks) a call.
class checker {
public:
    explicit checker(std::uint64_t capacity, std::uint64_t quantum = 1) : capacity_(capacity), quantum_(quantum) {}

    [[nodiscard]] const char* allocated(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment = 1) {
        if (const char* broken = well_formed(offset, size, alignment)) return broken;
        const std::size_t place = first_not_below(offset);
        if (place < blocks_.size() && blocks_[place].offset - offset < size)
            return "the block overlaps the one above it";
        if (place > 0 && offset - blocks_[place - 1].offset < blocks_[place - 1].size)
            return "the block overlaps the one below it";
        blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place), block{offset, size, alignment});
        occupied_ += size;
        return nullptr;
    }

    [[nodiscard]] const char* freed(std::uint64_t offset, std::uint64_t size) {
        const std::size_t place = first_not_below(offset);
        if (place == blocks_.size() || blocks_[place].offset != offset) return "what was freed was not allocated";
        if (blocks_[place].size != size) return "what was freed has another size than what was allocated";
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place));
        occupied_ -= size;
        return nullptr;
    }

    /// Checks and moves a block; the two ranges may overlap.
    [[nodiscard]] const char* moved(std::uint64_t from, std::uint64_t to, std::uint64_t size) {
        const std::size_t place = first_not_below(from);
        if (place == blocks_.size() || blocks_[place].offset != from) return "what was moved was not allocated";
        const block before = blocks_[place];
        if (const char* broken = freed(from, size)) return broken;
        const char* broken = allocated(to, size, before.alignment);
        if (broken != nullptr && allocated(before.offset, before.size, before.alignment) != nullptr)
            return "the checker lost a block";
        return broken;
    }

    [[nodiscard]] const char* shrunk(std::uint64_t offset, std::uint64_t size_before, std::uint64_t size) {
        const std::size_t place = first_not_below(offset);
        if (place == blocks_.size() || blocks_[place].offset != offset) return "what was shrunk was not allocated";
        if (blocks_[place].size != size_before) return "what was shrunk had another size";
        if (size == 0 || size > size_before) return "a block can only shrink, and not to nothing";
        if (size % quantum_ != 0) return "the size is not a multiple of the quantum";
        blocks_[place].size = size;
        occupied_ -= size_before - size;
        return nullptr;
    }

    [[nodiscard]] const char* reported_free(std::uint64_t bytes) const noexcept {
        if (bytes < capacity_ - occupied_) return "bytes were lost: less is reported free than the blocks leave";
        return bytes == capacity_ - occupied_ ? nullptr : "more is reported free than the blocks leave";
    }

    [[nodiscard]] const char* reported_largest_free(std::uint64_t bytes) const noexcept {
        std::uint64_t largest = 0;
        std::uint64_t begin = 0;
        for (const block& next : blocks_) {
            if (next.offset - begin > largest) largest = next.offset - begin;
            begin = next.offset + next.size;
        }
        if (capacity_ - begin > largest) largest = capacity_ - begin;
        return bytes == largest ? nullptr : "the longest free run is not as long as reported";
    }

    [[nodiscard]] std::uint64_t occupied() const noexcept { return occupied_; }
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }

private:
    struct block {
        std::uint64_t offset;
        std::uint64_t size;
        std::uint64_t alignment;
    };

    [[nodiscard]] const char* well_formed(std::uint64_t offset, std::uint64_t size,
                                          std::uint64_t alignment) const noexcept {
        if (size == 0) return "a block is empty";
        if (offset % quantum_ != 0) return "the offset is not a multiple of the quantum";
        if (size % quantum_ != 0) return "the size is not a multiple of the quantum";
        if (alignment != 0 && offset % alignment != 0) return "the block is not aligned as requested";
        if (offset > capacity_ || size > capacity_ - offset) return "the block is out of bounds";
        return nullptr;
    }
    [[nodiscard]] std::size_t first_not_below(std::uint64_t offset) const noexcept {
        std::size_t place = 0;
        while (place < blocks_.size() && blocks_[place].offset < offset) ++place;
        return place;
    }

    std::vector<block> blocks_;  // by offset
    std::uint64_t capacity_;
    std::uint64_t quantum_;
    std::uint64_t occupied_ = 0;
};

}  // namespace hbm::test
