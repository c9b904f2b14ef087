#pragma once

#include <hbm/adapt/address_range.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace hbm::test {

/// `bytes` of host memory whose first address is a multiple of `alignment` and, beyond that, of no larger power of two.
class memory_on_host {
public:
    explicit memory_on_host(std::uint64_t bytes, std::uint64_t alignment = 4096)
        : all_(std::aligned_alloc(2 * alignment,
                                  (bytes + 2 * alignment) / (2 * alignment) * 2 * alignment + 2 * alignment)),
          range_{static_cast<std::byte*>(all_) + alignment, bytes} {}
    memory_on_host(const memory_on_host&) = delete;
    memory_on_host& operator=(const memory_on_host&) = delete;
    ~memory_on_host() { std::free(all_); }

    [[nodiscard]] address_range range() const { return range_; }

private:
    void* all_;
    address_range range_;
};

}  // namespace hbm::test
