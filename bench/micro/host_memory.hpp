#pragma once

/// Counts this program's host allocations, through an `operator new` that host_memory.cpp replaces.

#include <cstddef>
#include <cstdint>

namespace hbm::micro {

/// Counts allocations during its lifetime. There may be only one counter at a time.
class host_memory {
public:
    host_memory();
    ~host_memory();
    host_memory(const host_memory&) = delete;
    host_memory& operator=(const host_memory&) = delete;

    /// Bytes that were allocated and not freed, as rounded by the host.
    [[nodiscard]] std::int64_t bytes() const;
    /// The number of allocations.
    [[nodiscard]] std::uint64_t calls() const;
};

}  // namespace hbm::micro
