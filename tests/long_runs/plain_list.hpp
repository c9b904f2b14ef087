#pragma once

/// The live buffers of a long run, and what must hold of them; shares no code with the library.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hbm::test {

struct live_buffer {
    buffer handle;
    extent where;
};

/// The free bytes of a memory and its longest free run.
struct free_space {
    std::uint64_t sum = 0;
    std::uint64_t longest = 0;
};

/// Returns what the ranges leave free below `capacity`, or ends the program if two of them overlap.
inline free_space space_left(std::vector<extent> ranges, std::uint64_t capacity) {
    std::sort(ranges.begin(), ranges.end(), [](extent a, extent b) { return a.offset < b.offset; });
    free_space left;
    std::uint64_t end = 0;
    const auto leave_free = [&](std::uint64_t until) {
        left.sum += until - end;
        left.longest = std::max(left.longest, until - end);
    };
    for (const extent range : ranges) {
        if (range.offset < end || range.offset + range.size > capacity) {
            std::fprintf(stderr, "the block at %llu overlaps another or the end\n",
                         static_cast<unsigned long long>(range.offset));
            std::abort();
        }
        leave_free(range.offset);
        end = range.offset + range.size;
    }
    leave_free(capacity);
    return left;
}

}  // namespace hbm::test
