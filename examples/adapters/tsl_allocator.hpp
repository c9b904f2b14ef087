#pragma once

/// A manager under the allocator interface of XLA and TensorFlow.

#include <hbm/adapt/no_mutex.hpp>
#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace hbm {

/// A `tsl::Allocator` over `addressed`, which it refers to and which has to outlive it. `Base` is `tsl::Allocator` of
/// xla/tsl/framework/allocator.h in openxla/xla, or any class with its virtual functions; so this header needs none of
/// XLA's.
///
///     hbm::tsl_allocator<tsl::Allocator, decltype(memory), std::mutex> allocator{memory, "hbm"};
///
/// What it allocates never moves. Where there is no room it returns null; `last_failure` of the memory says why. XLA
/// calls its allocators from several threads: give it a `Mutex` then, `std::mutex`, and call the memory in no other
/// way. The interface cannot say that a pointer is wrong: such a deallocation changes nothing.
template <class Base, class Addressed, lockable Mutex = no_mutex>
class tsl_allocator final : public Base {
    using map_type = block_map<typename Addressed::quanta>;
    using optional_stats = decltype(std::declval<Base&>().GetStats());
    using stats = typename optional_stats::value_type;

public:
    explicit tsl_allocator(Addressed& memory, std::string name = "hbm") : memory_(memory), name_(std::move(name)) {}

    // The overloads with attributes and sizes are those of the base, which call these.
    using Base::AllocateRaw;
    using Base::DeallocateRaw;

    [[nodiscard]] std::string Name() override { return name_; }

    /// Null if there is no room; a buffer of its own for no bytes. Cost of the manager's `allocate`.
    [[nodiscard]] void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
        const locked_scope lock(mutex_);
        const auto made = memory_.allocate_fixed(request{.bytes = num_bytes, .alignment = alignment});
        if (!made) return nullptr;
        const std::size_t number = map_type::number_of(memory_.handle_of(*made)->index);
        if (number >= requested_.size()) requested_.resize(number + 1);
        requested_[number] = num_bytes;
        return *made;
    }
    void DeallocateRaw(void* ptr) override {
        const locked_scope lock(mutex_);
        if (ptr != nullptr) static_cast<void>(memory_.deallocate(ptr));
    }

    [[nodiscard]] bool TracksAllocationSizes() const override { return true; }
    /// What was asked for; 0 for a pointer that is not that of a live buffer. O(1) on average.
    [[nodiscard]] std::size_t RequestedSize(const void* ptr) const override {
        const locked_scope lock(mutex_);
        const auto held = memory_.handle_of(ptr);
        if (!held) return 0;
        const std::size_t number = map_type::number_of(held->index);
        return number < requested_.size() ? requested_[number] : 0;
    }
    /// What was granted; 0 as above. O(1) on average.
    [[nodiscard]] std::size_t AllocatedSize(const void* ptr) const override {
        const locked_scope lock(mutex_);
        return static_cast<std::size_t>(memory_.size_of(ptr).value_or(0));
    }
    /// A number that no other buffer has had, as far as handles tell (see `basic_handle`); 0 as above. O(1) on average.
    [[nodiscard]] std::int64_t AllocationId(const void* ptr) const override {
        const locked_scope lock(mutex_);
        const auto held = memory_.handle_of(ptr);
        if (!held) return 0;
        return static_cast<std::int64_t>(std::uint64_t{held->generation} << 29 | map_type::number_of(held->index));
    }

    /// Sizes as granted. The reserved bytes are those of programs. Cost of the manager's `largest_free_bytes`.
    [[nodiscard]] optional_stats GetStats() override {
        const locked_scope lock(mutex_);
        const statistics figures = memory_.figures();
        const auto counted = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
        stats found{};
        found.num_allocs = counted(figures.num_allocs);
        found.bytes_in_use = counted(figures.bytes_in_use);
        found.peak_bytes_in_use = counted(figures.peak_bytes_in_use);
        found.largest_alloc_size = counted(figures.largest_alloc_size);
        found.bytes_limit = counted(figures.bytes_limit);
        found.bytes_reserved = counted(figures.bytes_reserved);
        found.peak_bytes_reserved = counted(figures.peak_bytes_reserved);
        found.bytes_reservable_limit = counted(figures.bytes_reservable_limit);
        found.largest_free_block_bytes = counted(figures.largest_free_block_bytes);
        found.pool_bytes = counted(figures.pool_bytes);
        found.peak_pool_bytes = counted(figures.peak_pool_bytes);
        return found;
    }
    /// Counts peak, largest and number of allocations anew. True: it can.
    [[nodiscard]] bool ClearStats() override {
        const locked_scope lock(mutex_);
        memory_.clear_peaks();
        return true;
    }

    /// Room for `blocks` live buffers without asking the host again.
    void reserve_metadata(std::size_t blocks) {
        const locked_scope lock(mutex_);
        memory_.reserve_metadata(blocks);
        if (const std::size_t nodes = nodes_for(blocks); nodes > requested_.size()) requested_.resize(nodes);
    }

private:
    Addressed& memory_;
    std::string name_;
    trivial_vector<std::size_t> requested_;  // by the number of the block
    [[no_unique_address]] mutable Mutex mutex_;
};

}  // namespace hbm
