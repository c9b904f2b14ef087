#pragma once

#include <hbm/events/events.hpp>

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>

namespace hbm::inline v0 {

/// An observer that marks host memory for Valgrind's memcheck: free memory is inaccessible, that of new buffers and
/// programs is undefined. Exists if `valgrind/memcheck.h` is installed.
/// Requires: no block moves.
/// Cost: O(blocks) an event, and O(bytes) of it under Valgrind; O(1) for a buffer that is allocated or freed.
class valgrind_marks {
public:
    static constexpr fixed_string name{"valgrind_marks"};

    constexpr valgrind_marks() = default;
    /// Constructs an observer of the memory whose offset 0 is at `base`.
    constexpr explicit valgrind_marks(std::byte* base) : base_(base) {}

    /// Marks all holes.
    template <class Memory>
    void look_at(const Memory& memory) const {
        if (base_ == nullptr) return;
        for (const auto& block : memory.blocks_and_holes())
            if (block.kind == block_kind::hole) hide(block.where);
    }
    template <class Memory>
    void on(const event& e, const Memory& memory) const {
        if (base_ == nullptr) return;
        if (e.what == event_kind::allocated) return give(e.where);
        if (e.what == event_kind::freed || e.what == event_kind::retired) return hide(e.where);
        if (e.what == event_kind::reserved && e.where.size > e.from) give({e.from, e.where.size - e.from});
        if (e.what == event_kind::loaded || e.what == event_kind::reloaded) {
            give(e.where);
            const block_index scratch = memory.programs()[e.subject].scratch_block;
            if (scratch != no_block) give(memory.where(scratch));
        }
        look_at(memory);
    }

    friend constexpr bool operator==(const valgrind_marks&, const valgrind_marks&) = default;

private:
    void hide(const extent& range) const { VALGRIND_MAKE_MEM_NOACCESS(base_ + range.offset, range.size); }
    void give(const extent& range) const { VALGRIND_MAKE_MEM_UNDEFINED(base_ + range.offset, range.size); }

    std::byte* base_ = nullptr;
};

static_assert(observer<valgrind_marks>);

}  // namespace hbm::inline v0

#endif
