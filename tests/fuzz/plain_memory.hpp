#pragma once

/// A memory as one number for each quantum: the block there, 0 for none. It shares no code with the library.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/fuzzing.hpp"

namespace hbm::test {

class plain_memory {
public:
    explicit plain_memory(std::size_t quanta) : owners_(quanta) {}

    void extend(std::size_t quanta) { owners_.resize(quanta); }
    [[nodiscard]] std::size_t capacity() const { return owners_.size(); }

    /// Gives a range to `block`. Expects it to be free and inside.
    void place(std::size_t block, std::uint64_t offset, std::uint64_t length) {
        expect(length != 0 && offset <= owners_.size() && length <= owners_.size() - offset, "a block lies inside");
        for (std::uint64_t at = offset; at < offset + length; ++at) {
            expect(owners_[at] == 0, "blocks do not overlap");
            owners_[at] = block;
        }
    }
    void remove(std::uint64_t offset, std::uint64_t length) {
        for (std::uint64_t at = offset; at < offset + length; ++at) owners_[at] = 0;
    }
    [[nodiscard]] bool is_free(std::uint64_t offset, std::uint64_t length) const {
        if (length == 0 || offset > owners_.size() || length > owners_.size() - offset) return false;
        for (std::uint64_t at = offset; at < offset + length; ++at)
            if (owners_[at] != 0) return false;
        return true;
    }
    [[nodiscard]] std::size_t free() const {
        std::size_t count = 0;
        for (const std::size_t owner : owners_) count += owner == 0;
        return count;
    }
    [[nodiscard]] std::size_t largest_free() const {
        std::size_t longest = 0;
        std::size_t length = 0;
        for (const std::size_t owner : owners_) {
            length = owner == 0 ? length + 1 : 0;
            if (length > longest) longest = length;
        }
        return longest;
    }
    /// Returns the length of the free run that begins at a place.
    [[nodiscard]] std::size_t run_at(std::size_t at) const {
        std::size_t length = 0;
        while (at + length < owners_.size() && owners_[at + length] == 0) ++length;
        return length;
    }

    /// The free runs that hold a block: the length of the shortest one, and the lowest place.
    struct room {
        std::size_t shortest = 0;
        std::size_t lowest = 0;
    };
    /// Returns the room for a block of `length` at multiples of `alignment`; a shortest run of 0 if there is none.
    [[nodiscard]] room room_for(std::uint64_t length, std::uint64_t alignment) const {
        room found;
        for (std::size_t begin = 0; begin < owners_.size(); ++begin) {
            const std::size_t run = run_at(begin);
            if (run == 0) continue;
            const std::size_t gap = (alignment - begin % alignment) % alignment;
            if (gap < run && run - gap >= length) {
                if (found.shortest == 0) found.lowest = begin + gap;
                if (found.shortest == 0 || run < found.shortest) found.shortest = run;
            }
            begin += run;
        }
        return found;
    }
    /// Returns the length of the free run around a free place.
    [[nodiscard]] std::size_t run_around(std::size_t at) const {
        while (at != 0 && owners_[at - 1] == 0) --at;
        return run_at(at);
    }

private:
    std::vector<std::size_t> owners_;
};

}  // namespace hbm::test
