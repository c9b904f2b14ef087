#pragma once

/// What this program asks of the host by way of `operator new`, which host_memory.cpp replaces.

#include <cstddef>
#include <cstdint>

namespace hbm::micro {

/// Counts between its making and its end; one at a time.
class host_memory {
public:
    host_memory();
    ~host_memory();
    host_memory(const host_memory&) = delete;
    host_memory& operator=(const host_memory&) = delete;

    /// Bytes that were given and not taken back, as the host rounds them.
    [[nodiscard]] std::int64_t bytes() const;
    /// How often the host was asked.
    [[nodiscard]] std::uint64_t calls() const;
};

}  // namespace hbm::micro
