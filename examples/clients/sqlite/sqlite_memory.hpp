#pragma once

/// SQLite's allocator interface, `sqlite3_mem_methods`, on a manager.

#include <hbm/adapt/address_words.hpp>
#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/mapped_range.hpp>
#include <hbm/hbm.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <thread>
#include <utility>

namespace sqlite_client {

/// What became of the memory between SQLite's start and its end.
struct figures {
    std::uint64_t peak = 0;       ///< bytes, as granted
    std::uint64_t footprint = 0;  ///< bytes: the highest end that was ever occupied
    double scattered = 0;         ///< at worst, of `look`: the share of the holes that is not the longest hole
    std::uint64_t leaked = 0;     ///< bytes still in use at the end
};

/// A lock that costs one exchange where nobody else holds it: SQLite's own mutex is around most calls, so hardly
/// anybody does, and a second `std::mutex` would cost as much as the look-ups of the manager.
class brief_lock {
public:
    void lock() {
        while (held_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() { held_.clear(std::memory_order_release); }

private:
    std::atomic_flag held_;
};

/// A manager that SQLite can be configured with. SQLite's functions know no object, so there is one memory of each
/// type; it lives from `sqlite3_initialize` to `sqlite3_shutdown`.
template <class Manager, std::uint64_t Quantum>
class sqlite_memory {
    static_assert(Quantum >= 16, "the size that stands in front has to leave room in a quantum");
    /// In front of each allocation stands its size: SQLite asks for sizes as often as for memory, and this answers
    /// without a lock and a look-up. SQLite wants addresses that are multiples of 8.
    static constexpr std::uint64_t in_front = 8;
    using memory_type = hbm::addressed<Manager, hbm::mapped_range>;

public:
    /// How many bytes the next memory will have. They are addresses only, until SQLite touches them.
    static inline std::uint64_t capacity = std::uint64_t{1} << 30;
    /// Of the memory that lived last.
    static inline figures last;

    /// For `sqlite3_config(SQLITE_CONFIG_MALLOC, ...)`.
    static const sqlite3_mem_methods* methods() {
        static constexpr sqlite3_mem_methods all{&allocate, &release, &resize,   &size_of,
                                                 &round_up, &begin,   &shutdown, nullptr};
        return &all;
    }

    /// Looks at how scattered the holes below the highest block are. O(blocks).
    static void look() {
        const std::lock_guard held(mutex);
        std::uint64_t free = 0;
        std::uint64_t largest = 0;
        const std::uint64_t end = memory->manager().highest_end_bytes();
        for (const hbm::block_view& each : memory->manager().blocks_and_holes()) {
            if (each.kind != hbm::block_kind::hole || each.where.end() > end) continue;
            free += each.where.size;
            if (each.where.size > largest) largest = each.where.size;
        }
        const double scattered = free == 0 ? 0 : static_cast<double>(free - largest) / static_cast<double>(free);
        if (scattered > last.scattered) last.scattered = scattered;
    }
    /// Why SQLite was last told that there is no memory.
    static std::string why() { return hbm::in_words(memory->last_failure()); }

private:
    /// SQLite calls from several threads at a time. It has a mutex of its own around allocating and freeing, but not
    /// where its statistics are off.
    static inline brief_lock mutex;
    static inline std::optional<memory_type> memory;

    static int begin(void*) {
        auto range = hbm::mapped_range::map(capacity);
        if (!range) return SQLITE_NOMEM;
        memory.emplace(std::move(*range), hbm::memory_spec{.name = "sqlite", .quantum = Quantum});
        last = {};
        return SQLITE_OK;
    }
    static void shutdown(void*) {
        last.peak = memory->use().peak;
        last.leaked = memory->use().in_use();
        memory.reset();
    }

    /// SQLite asks for what `round_up` returned, never for nothing, and never for more than 2^31 - 1 bytes.
    static void* allocate(int bytes) {
        const std::uint64_t all = static_cast<std::uint64_t>(bytes) + in_front;
        const std::lock_guard held(mutex);
        void* const made = memory->allocate_or_null(all);
        if (made == nullptr) return nullptr;
        // The block's end is asked for only where it can be a new highest end.
        if (offset_of(made) + all > last.footprint) [[unlikely]]
            last.footprint = memory->manager().where(*memory->handle_of(made)).end();
        *static_cast<std::uint64_t*>(made) = static_cast<std::uint64_t>(bytes);
        return static_cast<std::byte*>(made) + in_front;
    }
    /// SQLite frees no null pointer. A pointer that is not ours would be a bug of SQLite's or of ours.
    static void release(void* freed) {
        const std::lock_guard held(mutex);
        if (!memory->deallocate(static_cast<std::byte*>(freed) - in_front)) stop();
    }
    /// SQLite asks only where the size changes: the bytes are copied.
    static void* resize(void* old, int bytes) {
        void* const made = allocate(bytes);
        if (made == nullptr) return nullptr;
        const int before = size_of(old);
        std::memcpy(made, old, static_cast<std::size_t>(before < bytes ? before : bytes));
        release(old);
        return made;
    }
    static int size_of(void* held_by_sqlite) {
        if (held_by_sqlite == nullptr) return 0;
        const void* const front = static_cast<const std::byte*>(held_by_sqlite) - in_front;
        return static_cast<int>(*static_cast<const std::uint64_t*>(front));
    }
    /// As many bytes as whole quanta hold behind the size.
    static int round_up(int bytes) {
        constexpr int below = static_cast<int>(Quantum) - 1;
        constexpr int front = static_cast<int>(in_front);
        return ((bytes + front + below) & ~below) - front;
    }

    static std::uint64_t offset_of(const void* address) {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory->base());
    }
    [[noreturn]] static void stop() {
        std::puts(why().c_str());
        std::abort();
    }
};

}  // namespace sqlite_client
