#pragma once
// A manager under the allocator interface of XLA and TensorFlow. To paste. Not compiled against XLA.
#include <hbm/core/request.hpp>
#include <hbm/events/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace adapters {

/// A `tsl::Allocator` over an `hbm::addressed`, which must outlive it. `Base` is `tsl::Allocator` of
/// xla/tsl/framework/allocator.h in openxla/xla. Allocated memory never moves. Returns null if there is no room;
/// `last_failure` of the memory has the reason. Deallocation of a wrong pointer has no effect.
template <class Base, class Addressed>
class tsl_allocator final : public Base {
public:
    explicit tsl_allocator(Addressed& memory) : memory_(memory) {}

    using Base::AllocateRaw;  // the overloads with attributes and sizes, which call those below
    using Base::DeallocateRaw;

    std::string Name() override { return "hbm"; }
    void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
        const std::lock_guard lock(mutex_);
        const auto data = memory_.allocate_fixed(hbm::request{.bytes = num_bytes, .alignment = alignment});
        if (!data) return nullptr;
        requests_[*data] = {num_bytes, ++last_id_};
        return *data;
    }
    void DeallocateRaw(void* ptr) override {
        const std::lock_guard lock(mutex_);
        if (requests_.erase(ptr) != 0) static_cast<void>(memory_.deallocate(ptr));
    }

    bool TracksAllocationSizes() const override { return true; }
    std::size_t RequestedSize(const void* ptr) const override { return request_of(ptr).first; }
    std::int64_t AllocationId(const void* ptr) const override { return request_of(ptr).second; }
    std::size_t AllocatedSize(const void* ptr) const override {
        const std::lock_guard lock(mutex_);
        return static_cast<std::size_t>(memory_.size_of(ptr).value_or(0));
    }

    decltype(std::declval<Base&>().GetStats()) GetStats() override {
        const std::lock_guard lock(mutex_);
        const hbm::statistics figures = memory_.figures();
        typename decltype(std::declval<Base&>().GetStats())::value_type result{};
        result.num_allocs = static_cast<std::int64_t>(figures.num_allocs);
        result.bytes_in_use = static_cast<std::int64_t>(figures.bytes_in_use);
        result.peak_bytes_in_use = static_cast<std::int64_t>(figures.peak_bytes_in_use);
        result.largest_alloc_size = static_cast<std::int64_t>(figures.largest_alloc_size);
        result.bytes_limit = static_cast<std::int64_t>(figures.bytes_limit);
        result.bytes_reserved = static_cast<std::int64_t>(figures.bytes_reserved);
        result.largest_free_block_bytes = static_cast<std::int64_t>(figures.largest_free_block_bytes);
        return result;
    }
    bool ClearStats() override {
        const std::lock_guard lock(mutex_);
        memory_.clear_peaks();
        return true;
    }

private:
    std::pair<std::size_t, std::int64_t> request_of(const void* ptr) const {
        const std::lock_guard lock(mutex_);
        const auto request = requests_.find(ptr);
        return request == requests_.end() ? std::pair<std::size_t, std::int64_t>{} : request->second;
    }

    Addressed& memory_;
    std::unordered_map<const void*, std::pair<std::size_t, std::int64_t>> requests_;  // size and number
    std::int64_t last_id_ = 0;
    mutable std::mutex mutex_;
};

}  // namespace adapters
