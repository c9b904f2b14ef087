#pragma once

#include <cstddef>

namespace hbm::test {

/// How often this program has asked the host for memory so far, by way of `operator new`.
std::size_t host_allocations();
/// Returns the bytes that it has asked for so far.
std::size_t host_bytes();

}  // namespace hbm::test
