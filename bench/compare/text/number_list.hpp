#pragma once
// Numbers in few bits, for lists as long as a trace.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::trace {

/// List of numbers that grows at its end. Each block of 1,024 has as many bits a number as the range of its numbers
/// needs. In a block that never decreases, the range is that of the distances to a straight line: numbers of lines take
/// no bits, and times few.
class number_list {
public:
    number_list() = default;
    /// Constructs a list of these numbers.
    number_list(const std::vector<std::uint64_t>& numbers) {
        for (const std::uint64_t number : numbers) push_back(number);
    }

    [[nodiscard]] std::size_t size() const noexcept { return blocks_.size() * block_size + tail_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Returns a number. Requires: `at` is below `size()`. Cost: O(1).
    [[nodiscard]] std::uint64_t operator[](std::size_t at) const noexcept {
        const std::size_t index = at % block_size;
        return at / block_size < blocks_.size() ? blocks_[at / block_size][index] : tail_[index];
    }
    /// Returns the first or the last number. Requires: the list is not empty.
    [[nodiscard]] std::uint64_t front() const noexcept { return (*this)[0]; }
    [[nodiscard]] std::uint64_t back() const noexcept { return (*this)[size() - 1]; }

    /// Appends a number. Cost: O(1) on average.
    void push_back(std::uint64_t number) {
        tail_.push_back(number);
        if (tail_.size() == block_size) pack();
    }

    /// Removes the last number. Requires: the list is not empty. Cost: O(1), or O(1,024) at the end of a block.
    void pop_back();

    friend bool operator==(const number_list&, const number_list&) = default;

private:
    static constexpr std::size_t block_size = 1024;

    /// Numbers `base + index * slope` plus a difference of `bits` bits.
    struct block {
        std::uint64_t base = 0;
        std::uint64_t slope = 0;
        std::uint64_t mask = 0;            // the lowest `bits` bits
        std::size_t bits = 0;              // bits of a difference
        std::vector<std::uint64_t> words;  // differences, lowest bits first, and a word behind them

        [[nodiscard]] std::uint64_t operator[](std::size_t index) const noexcept {
            const std::size_t word = index * bits / 64;
            const std::size_t shift = index * bits % 64;
            const std::uint64_t upper = (words[word + 1] << 1U) << (63 - shift);
            return base + index * slope + (((words[word] >> shift) | upper) & mask);
        }

        friend bool operator==(const block&, const block&) = default;
    };

    // Moves the numbers of a full tail into a block.
    void pack();

    std::vector<block> blocks_;
    std::vector<std::uint64_t> tail_;  // numbers after the last full block
};

}  // namespace hbm::trace
