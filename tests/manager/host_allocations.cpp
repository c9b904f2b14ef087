// Counts what the whole test program asks of the host.
#include <cstdlib>
#include <manager/host_allocations.hpp>
#include <new>

namespace {

std::size_t allocations = 0;
std::size_t bytes = 0;
std::size_t allowed = ~std::size_t{0};

}  // namespace

void* operator new(std::size_t size) {
    if (++allocations > allowed) throw std::bad_alloc{};
    bytes += size;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    std::abort();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    if (++allocations > allowed) throw std::bad_alloc{};
    bytes += size;
    const auto to = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(to, (size + to - 1) / to * to)) return memory;
    std::abort();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace hbm::test {

std::size_t host_allocations() {
    return allocations;
}
void exhaust_host_after(std::size_t count) {
    allowed = allocations + count;
}
std::size_t host_bytes() {
    return bytes;
}

}  // namespace hbm::test
