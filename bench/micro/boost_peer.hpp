#pragma once

/// Boost.Interprocess' best fit as a peer. Its metadata is inside the memory that it manages, so it needs real memory:
/// sizes are divided by 32, to 16 bytes per quantum, and each block has a header of 16 bytes.

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>

#include "micro/peer.hpp"

namespace hbm::micro {

/// `rbtree_best_fit` without locks, over a static buffer that every new peer uses again. Pages are thus touched for the
/// first time once in the program, not in each measurement. There may be only one such peer at a time.
class boost_best_fit {
public:
    struct handle {
        void* block = nullptr;
    };
    static constexpr fixed_string name{"boost_rbtree"};

    boost_best_fit(std::uint64_t capacity, std::size_t blocks)
        : bytes_((capacity + 2 * blocks + 1024) * unit), memory_(new (buffer(bytes_)) algorithm(bytes_, 0)) {}
    ~boost_best_fit() { memory_->~algorithm(); }
    boost_best_fit(const boost_best_fit&) = delete;
    boost_best_fit& operator=(const boost_best_fit&) = delete;
    handle allocate(std::uint32_t quanta) { return {memory_->allocate(quanta * unit)}; }
    void free(handle freed) { memory_->deallocate(freed.block); }
    [[nodiscard]] std::uint64_t offset(handle held) const {
        return static_cast<std::uint64_t>(static_cast<const char*>(held.block) -
                                          reinterpret_cast<const char*>(memory_)) /
               unit;
    }
    [[nodiscard]] std::uint64_t reach() const { return bytes_ / unit; }
    [[nodiscard]] static bool holds(handle held) { return held.block != nullptr; }

private:
    using algorithm = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family>;
    static constexpr std::size_t unit = 16;

    /// Returns a buffer of at least `bytes`.
    static void* buffer(std::size_t bytes) {
        static std::size_t mapped = 0;
        static void* memory = nullptr;
        if (bytes <= mapped) return memory;
        if (memory != nullptr) munmap(memory, mapped);
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        mapped = bytes;
        if (memory == MAP_FAILED) throw std::bad_alloc{};
        return memory;
    }

    std::size_t bytes_;
    algorithm* memory_;
};

}  // namespace hbm::micro
