#pragma once

/// A manager of hbm as PyTorch's CPU allocator.

#include <hbm/adapt/address_words.hpp>
#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/mapped_range.hpp>
#include <hbm/adapt/no_mutex.hpp>

#include <atomic>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

/// What `c10::SetCPUAllocator` takes: `c10::SetCPUAllocator(&cpu_allocator<hbm::manager<hbm::best_fit>>::instance())`.
///
/// There is one for each type of manager, and it is never destroyed. PyTorch demands both: it frees with a plain
/// function that is given nothing but the address, and tensors in static variables are freed when the program ends.
template <class Manager>
class cpu_allocator final : public c10::Allocator {
    using memory_type = hbm::addressed<Manager, hbm::mapped_range>;
    static_assert(!memory_type::moves, "PyTorch keeps addresses: its tensors cannot follow a block that moves");

public:
    /// Addresses for all tensors, in bytes. The system backs with memory only what has been used.
    static constexpr std::uint64_t capacity = std::uint64_t{1} << 30;
    /// What PyTorch promises its kernels: each tensor begins at a multiple of a cache line.
    static constexpr std::uint64_t alignment = 64;

    [[nodiscard]] static cpu_allocator& instance() {
        static auto* const only = new cpu_allocator;
        return *only;
    }

    /// Throws PyTorch's error with the manager's words where there is no room. No bytes are no memory, as in PyTorch's
    /// own allocator.
    c10::DataPtr allocate(std::size_t bytes) const override {
        void* const begin = bytes == 0 ? nullptr : place(bytes);
        c10::profiledCPUMemoryReporter().New(begin, bytes);
        return {begin, begin, &free_at, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &free_at; }

    /// How many tensors' memory has been allocated and not freed.
    [[nodiscard]] std::uint64_t live_blocks() const {
        const hbm::locked_scope lock(mutex_);
        return memory_.manager().state().blocks.map().live_blocks();
    }
    /// A copy of the manager's observer.
    [[nodiscard]] auto seen() const {
        const hbm::locked_scope lock(mutex_);
        return memory_.manager().events();
    }
    /// How many addresses PyTorch freed that were not allocated here, or freed before.
    [[nodiscard]] std::uint64_t wrong_frees() const noexcept { return wrong_frees_; }

private:
    cpu_allocator() : memory_(mapped(), {.name = "CPU", .quantum = alignment}) { memory_.reserve_metadata(4096); }

    [[nodiscard]] static hbm::mapped_range mapped() {
        auto range = hbm::mapped_range::map(capacity);
        TORCH_CHECK(range, hbm::in_words(range.error()));
        return std::move(*range);
    }

    /// Tensors of one size usually have one role. The size as a tag lets a placement that learns lifetimes tell the
    /// roles apart; other placements do not read it. Fibonacci hashing, so that sizes spread over the counters.
    [[nodiscard]] static hbm::tag role_of(std::uint64_t bytes) noexcept {
        return static_cast<hbm::tag>(1 + (bytes * 0x9e3779b97f4a7c15u >> 44));
    }

    [[nodiscard]] void* place(std::uint64_t bytes) const {
        std::string why;
        {
            const hbm::locked_scope lock(mutex_);
            const auto made = memory_.allocate({.bytes = bytes, .alignment = alignment, .label = role_of(bytes)});
            if (made) [[likely]]
                return *made;
            why = hbm::in_words(made.error());
        }
        c10::profiledCPUMemoryReporter().OutOfMemory(bytes);
        TORCH_CHECK_WITH(OutOfMemoryError, false, "hbm as CPU allocator: ", why);
    }

    /// Destructors call this, so it cannot throw: a wrong address is counted, and a warning says what is wrong with it.
    static void free_at(void* begin) {
        if (begin == nullptr) return;
        cpu_allocator& self = instance();
        c10::profiledCPUMemoryReporter().Delete(begin);
        std::string why;
        {
            const hbm::locked_scope lock(self.mutex_);
            const auto freed = self.memory_.deallocate(begin);
            if (freed) [[likely]]
                return;
            why = hbm::in_words(freed.error());
        }
        ++self.wrong_frees_;
        TORCH_WARN("hbm as CPU allocator: ", why);
    }

    // `allocate` is const in PyTorch's interface, although each call changes the memory.
    mutable memory_type memory_;
    mutable std::mutex mutex_;
    std::atomic<std::uint64_t> wrong_frees_ = 0;
};
