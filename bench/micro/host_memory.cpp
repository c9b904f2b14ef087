#include "micro/host_memory.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

bool counts = false;
std::int64_t live_bytes = 0;
std::uint64_t asked = 0;

void* counted(void* memory) {
    if (memory == nullptr) throw std::bad_alloc{};
    if (counts) {
        live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
        ++asked;
    }
    return memory;
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(std::malloc(size == 0 ? 1 : size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto to = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept {
    if (counts) live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    operator delete(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    operator delete(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    operator delete(memory);
}

namespace hbm::micro {

host_memory::host_memory() {
    live_bytes = 0;
    asked = 0;
    counts = true;
}
host_memory::~host_memory() {
    counts = false;
}
std::int64_t host_memory::bytes() const {
    return live_bytes;
}
std::uint64_t host_memory::calls() const {
    return asked;
}

}  // namespace hbm::micro
