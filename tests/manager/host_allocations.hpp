#pragma once

#include <cstddef>

namespace hbm::test {

/// How often this program has asked the host for memory so far, by way of `operator new`.
std::size_t host_allocations();
/// Lets the host have no memory left after this many further allocations: `operator new` throws.
void exhaust_host_after(std::size_t allocations);
/// Returns the bytes that it has asked for so far.
std::size_t host_bytes();

}  // namespace hbm::test
