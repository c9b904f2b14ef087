#pragma once

#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <new>
#include <unordered_map>

namespace hbm::inline v0 {

/// Pointers to buffers of a manager whose offset 0 is at `base`:
///
///     hbm::addressed memory{manager, base};
///     const hbm::result<void*> weights = memory.allocate(6_MiB, 64, "weights");
///     memory.deallocate(*weights);
///
/// A buffer with a pointer is pinned: it never moves, whatever the manager's policies are.
/// A wrong pointer is an error, and changes nothing, unless its address was allocated again since it was freed.
/// Bytes are not touched. For one thread at a time.
/// Requires: the manager, and `capacity` bytes from `base` on, outlive this object.
/// Cost: that of the manager's calls and a look-up in a hash table, with a node on the host for each live pointer.
template <class Manager>
class addressed {
public:
    addressed(Manager& memory, void* base) noexcept : memory_(memory), base_(static_cast<std::byte*>(base)) {}

    /// Allocates a buffer, aligned to `alignment` bytes, or to the quantum and the base if it is 0.
    /// Fails: as the manager's `allocate`; `bad_alignment` if `alignment` is no power of two or does not divide the
    /// base.
    [[nodiscard]] result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment = 0, const char* label = "") {
        if (alignment != 0 && (!std::has_single_bit(alignment) || address(base_) % alignment != 0))
            return failure{.reason = error::bad_alignment, .requested = bytes, .alignment = alignment};
        // Offsets are multiples of the quantum anyway; a request without alignment takes the manager's fast path.
        request wanted{.bytes = bytes, .alignment = alignment <= memory_.spec().quantum ? 0 : alignment};
        if (*label != '\0') wanted.label = memory_.tag_for_call(label);
        const result<buffer> allocated = memory_.allocate(wanted);
        if (!allocated) return allocated.error();
        return pointer_to(*allocated);
    }

    /// Frees the buffer that begins at `begin`.
    /// Fails: like `handle_of`.
    result<done> deallocate(void* begin) {
        const result<buffer> held = release(begin);
        if (!held) return held.error();
        return memory_.free(*held);
    }

    /// Pins a buffer of the manager, such as an output of a run, and returns its first address. No effect but a look-up
    /// if it has a pointer.
    /// Fails: `stale_handle` and others of a handle; `device_failed` if a move of it cannot be finished.
    [[nodiscard]] result<void*> pointer_to(buffer held) {
        if (const error why = memory_.check(held); why != error::none) return failure{.reason = why};
        const auto known = handles_.find(memory_.where(held).offset);
        if (known == handles_.end() || known->second != held) {
            if (const result<done> pinned = memory_.pin(held); !pinned) return pinned.error();
            handles_[memory_.where(held).offset] = held;  // in the place of a buffer that was freed by its handle
        }
        return static_cast<void*>(base_ + memory_.where(held).offset);
    }

    /// Ends the pointer and returns the buffer, which is no longer pinned: to donate it, or to let it move.
    /// Fails: like `handle_of`.
    [[nodiscard]] result<buffer> release(void* begin) {
        const result<buffer> held = handle_of(begin);
        if (!held) return held.error();
        static_cast<void>(memory_.unpin(*held));
        handles_.erase(offset_of(begin));
        return held;
    }

    /// Returns the handle of the buffer that begins at `begin`.
    /// Fails: `foreign_handle` for null and addresses outside of the memory; `stale_handle` where no live buffer with a
    /// pointer begins: it was freed, or is the inside of a buffer.
    [[nodiscard]] result<buffer> handle_of(const void* begin) const {
        if (begin == nullptr || offset_of(begin) >= memory_.capacity_bytes())
            return failure{.reason = error::foreign_handle};
        // The table may know a buffer that was freed by its handle: the manager has the last word.
        const auto known = handles_.find(offset_of(begin));
        if (known == handles_.end() || memory_.check(known->second) != error::none)
            return failure{.reason = error::stale_handle};
        return known->second;
    }

    [[nodiscard]] Manager& manager() const noexcept { return memory_; }

private:
    [[nodiscard]] static std::uintptr_t address(const void* pointer) noexcept {
        return reinterpret_cast<std::uintptr_t>(pointer);
    }
    /// An address below the base gives a huge offset, which is outside of the memory as well.
    [[nodiscard]] std::uint64_t offset_of(const void* pointer) const noexcept {
        return address(pointer) - address(base_);
    }

    Manager& memory_;
    std::byte* base_;
    std::unordered_map<std::uint64_t, buffer> handles_;  // by offset; see `handle_of`
};

/// A `std::pmr::memory_resource` over a manager whose offset 0 is at `base`, for containers:
///
///     hbm::addressed_resource resource{manager, base};
///     std::pmr::vector<float> numbers{&resource};
///
/// Requires: as `addressed`, and that the resource outlives the containers.
/// Fails: throws `std::bad_alloc` if memory is full; terminates if exceptions are disabled. A wrong pointer changes
/// nothing. `last_failure` says why.
template <class Manager>
class addressed_resource final : public std::pmr::memory_resource {
public:
    addressed_resource(Manager& memory, void* base) noexcept : memory_(memory, base) {}

    [[nodiscard]] addressed<Manager>& memory() noexcept { return memory_; }
    /// Returns the latest failure of a call; `error::none` if none failed.
    [[nodiscard]] const failure& last_failure() const noexcept { return last_failure_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const result<void*> allocated = memory_.allocate(bytes, alignment);
        if (allocated) return *allocated;
        last_failure_ = allocated.error();
#ifdef __cpp_exceptions
        throw std::bad_alloc();
#else
        std::terminate();
#endif
    }
    void do_deallocate(void* begin, std::size_t, std::size_t) override {
        const result<done> freed = memory_.deallocate(begin);
        if (!freed) last_failure_ = freed.error();
    }
    /// Each resource knows its own pointers only.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    addressed<Manager> memory_;
    failure last_failure_;
};

}  // namespace hbm::inline v0
