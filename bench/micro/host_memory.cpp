#include "micro/host_memory.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

bool counts = false;
std::int64_t live_bytes = 0;
std::uint64_t asked = 0;

}  // namespace

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc{};
    if (counts) {
        live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
        ++asked;
    }
    return memory;
}
void operator delete(void* memory) noexcept {
    if (counts) live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
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
