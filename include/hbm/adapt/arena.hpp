#pragma once

#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Buffers of an `addressed` that end together, with the arena or at `release`. They never move.
///
///     hbm::arena step{memory};
///     const auto activations = step.allocate(1_MiB);
///
/// Requires: the memory outlives the arena, and nothing else frees or donates the arena's buffers.
/// Cost: that of the memory's calls, and 8 bytes on the host for each buffer.
template <class Addressed>
class arena {
public:
    explicit arena(Addressed& memory) noexcept : memory_(memory) {}
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena() { release(); }

    /// Allocates a buffer of the arena.
    /// Fails: like `addressed::allocate`.
    [[nodiscard]] address_result<void*> allocate(const request& request) {
        const address_result<void*> result = memory_.allocate_fixed(request);
        if (result) begins_.push_back(*result);
        return result;
    }
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(request{.bytes = bytes, .alignment = alignment});
    }

    /// Frees all buffers of the arena, the latest first.
    void release() {
        for (; !begins_.empty(); begins_.pop_back()) static_cast<void>(memory_.deallocate(begins_.back()));
    }
    [[nodiscard]] std::size_t size() const noexcept { return begins_.size(); }

private:
    Addressed& memory_;
    trivial_vector<void*> begins_;
};

}  // namespace hbm::inline v0
