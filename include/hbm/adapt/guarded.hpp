#pragma once

#include <hbm/adapt/addressed.hpp>
#include <hbm/core/bytes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>

namespace hbm::inline v0 {

/// Misuse of a buffer that `guarded` finds.
enum class misuse : std::uint8_t {
    none,
    written_before,      ///< bytes before the first of a live buffer were written
    written_behind,      ///< bytes behind the last of a live buffer were written
    written_after_free,  ///< bytes of a freed buffer were written
    freed_twice          ///< a freed buffer was freed again
};

/// Returns the words for a misuse, without a full stop.
[[nodiscard]] constexpr const char* in_words(misuse what) noexcept {
    constexpr const char* words[] = {"no misuse was found", "bytes before a buffer were written",
                                     "bytes behind a buffer were written", "a buffer was written after it was freed",
                                     "a buffer was freed twice"};
    return words[static_cast<std::size_t>(what)];
}

/// The buffer that was misused, and where.
struct misused_buffer {
    misuse what = misuse::none;
    const void* begin = nullptr;   ///< first address of the buffer
    std::uint64_t bytes = 0;       ///< its size as requested
    std::int64_t at = 0;           ///< first byte that was written, counted from the first of the buffer
    std::uint64_t allocation = 0;  ///< number of its allocation by the guard, from 1
    tag label = tag::none;         ///< its label; `name_of` of the manager returns the text

    friend constexpr bool operator==(const misused_buffer&, const misused_buffer&) = default;
};

/// Sizes of what `guarded` adds, in bytes.
struct guard_sizes {
    std::uint64_t zone = 64;                              ///< least red zone on each side of a buffer
    std::uint64_t quarantine = std::uint64_t{64} << 20U;  ///< most bytes of freed buffers, with their zones, to keep
};

/// A guard around `addressed`, for tests: red zones on both sides of each buffer, and a quarantine of freed buffers.
///
///     hbm::guarded guard{memory};  // an hbm::addressed
///     void* const weights = guard.allocate_or_null(4096);
///     ...
///     if (!guard.check()) std::puts(in_words(guard.first().what));
///
/// Zones and freed buffers are filled with a byte each; whatever else is found there was written by mistake. It is
/// found when the buffer is freed, when it leaves the quarantine, and by `check()`. A write of the same byte is not
/// found, a read only by AddressSanitizer. The quarantine is given back, the oldest first, before an allocation fails.
/// Requires: the host can read and write the memory, which outlives the guard; its buffers never move.
/// Cost: O(bytes) for each free; on the host two nodes of a map and one of a queue for each buffer.
template <class Addressed>
class guarded {
    static_assert(!Addressed::moves, "guarded: buffers must stay where they are, so a manager without `compacting`");

public:
    explicit guarded(Addressed& memory, guard_sizes sizes = {}) noexcept : memory_(memory), sizes_(sizes) {}
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;
    /// Checks the quarantine and gives it back. Live buffers stay allocated.
    ~guarded() {
        while (!queue_.empty()) release_oldest();
    }

    /// Allocates a buffer with its zones; see `addressed::allocate`. Sizes in failures count the zones.
    [[nodiscard]] address_result<void*> allocate(request request) {
        const std::uint64_t bytes = request.bytes;
        const std::uint64_t front = bytes_before(request.alignment);
        request.bytes = saturating_add(saturating_add(front, bytes), sizes_.zone);
        address_result<void*> whole = memory_.allocate(request);
        while (!whole && !queue_.empty()) {
            release_oldest();
            whole = memory_.allocate(request);
        }
        if (!whole) return whole;
        auto* const begin = static_cast<std::byte*>(*whole) + front;
        const entry added{*whole,         front,        bytes, *memory_.size_of(*whole) - front - bytes,
                          ++allocations_, request.label};
        fill(static_cast<std::byte*>(*whole), front, zone_byte);
        fill(begin + bytes, added.behind, zone_byte);
        hold(begin, added);
        return static_cast<void*>(begin);
    }
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(request{.bytes = bytes, .alignment = alignment});
    }
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment, const char* label) {
        return allocate(
            request{.bytes = bytes, .alignment = alignment, .label = memory_.manager().tag_for_call(label)});
    }
    /// Allocates a buffer that never moves, as all of them; `addressed_resource` calls this.
    [[nodiscard]] address_result<void*> allocate_fixed(const request& request) { return allocate(request); }
    /// Returns null if the allocation failed; see `last_failure` of the memory.
    [[nodiscard]] void* allocate_or_null(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(bytes, alignment).value_or(nullptr);
    }

    /// Checks the zones of a buffer and moves it to the quarantine.
    /// Fails: like `addressed::deallocate`, with `not_live` for a buffer in the quarantine. Nothing is freed.
    address_result<done> deallocate(void* begin) {
        const auto place = live_.find(static_cast<std::byte*>(begin));
        if (place == live_.end()) return refuse(begin);
        check_zones(place->first, place->second);
        fill(place->first, place->second.bytes, freed_byte);
        quarantine(place);
        while (quarantined_ > sizes_.quarantine) release_oldest();
        return done{};
    }

    /// Returns the bytes of a live buffer as requested.
    /// Fails: like `deallocate`.
    [[nodiscard]] address_result<std::uint64_t> size_of(const void* begin) const {
        const auto place = live_.find(static_cast<std::byte*>(const_cast<void*>(begin)));
        if (place == live_.end()) return failure_of(begin);
        return place->second.bytes;
    }

    /// Checks all zones and the quarantine. Returns true if no misuse was found so far. What is found is repaired, so
    /// that each is found once.
    /// Cost: O(bytes of the zones and of the quarantine).
    bool check() {
        for (const auto& [begin, held] : live_) check_zones(begin, held);
        for (const auto& [begin, held] : freed_) check_freed(begin, held);
        return count_ == 0;
    }
    /// Returns the first misuse that was found; its `what` is `none` if there was none.
    [[nodiscard]] const misused_buffer& first() const noexcept { return first_; }
    /// Returns the number of misuses found.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// Returns the bytes in quarantine, with their zones.
    [[nodiscard]] std::uint64_t quarantined_bytes() const noexcept { return quarantined_; }
    [[nodiscard]] Addressed& memory() const noexcept { return memory_; }

private:
    static constexpr std::byte zone_byte{0xf5};
    static constexpr std::byte freed_byte{0xdb};

    /// A buffer with its zones.
    struct entry {
        void* whole = nullptr;  ///< first address of the zone before it
        std::uint64_t before = 0;
        std::uint64_t bytes = 0;
        std::uint64_t behind = 0;
        std::uint64_t allocation = 0;
        tag label = tag::none;

        [[nodiscard]] std::uint64_t all() const noexcept { return before + bytes + behind; }
    };

    /// Returns the size of the zone before a buffer, which keeps the buffer's alignment.
    [[nodiscard]] std::uint64_t bytes_before(std::uint64_t alignment) const noexcept {
        std::uint64_t unit = memory_.default_alignment();
        if (std::has_single_bit(alignment) && alignment > unit) unit = alignment;
        const std::uint64_t least = saturating_add(sizes_.zone, unit - 1);
        return least - least % unit;
    }

    /// Fills bytes, which AddressSanitizer guards from then on.
    static void fill(std::byte* begin, std::uint64_t bytes, std::byte with) {
        unpoison(begin, bytes);
        for (std::uint64_t at = 0; at < bytes; ++at) begin[at] = with;
        poison(begin, bytes);
    }
    /// Notes the first byte that differs from `expected`, and repairs all of them.
    void check(std::byte* from, std::uint64_t bytes, std::byte expected, misuse what, const std::byte* begin,
               const entry& held) {
        unpoison(from, bytes);
        std::uint64_t at = 0;
        while (at < bytes && from[at] == expected) ++at;
        poison(from, bytes);
        if (at == bytes) return;
        note({what, begin, held.bytes, from + at - begin, held.allocation, held.label});
        fill(from, bytes, expected);
    }
    void check_zones(std::byte* begin, const entry& held) {
        check(begin - held.before, held.before, zone_byte, misuse::written_before, begin, held);
        check(begin + held.bytes, held.behind, zone_byte, misuse::written_behind, begin, held);
    }
    void check_freed(std::byte* begin, const entry& held) {
        check_zones(begin, held);
        check(begin, held.bytes, freed_byte, misuse::written_after_free, begin, held);
    }
    void note(const misused_buffer& subject) noexcept {
        if (count_++ == 0) first_ = subject;
    }

    // A host without memory ends the program, like in the manager: no buffer is left that nobody knows.
    void hold(std::byte* begin, const entry& added) noexcept { live_.emplace(begin, added); }
    void quarantine(typename std::map<std::byte*, entry>::iterator freed) noexcept {
        quarantined_ += freed->second.all();
        queue_.push_back(freed->first);
        freed_.insert(live_.extract(freed));
    }
    void release_oldest() {
        const auto oldest = freed_.find(queue_.front());
        check_freed(oldest->first, oldest->second);
        quarantined_ -= oldest->second.all();
        static_cast<void>(memory_.deallocate(oldest->second.whole));
        freed_.erase(oldest);
        queue_.pop_front();
    }

    /// Returns why an address is refused: zones and the quarantine are no buffers, whatever the memory says.
    [[nodiscard]] address_failure failure_of(const void* given) const {
        const address_range range{memory_.base(), memory_.capacity()};
        address_failure why = failure_at(memory_.manager(), range, given);
        if (why.what != address_error::inside_a_buffer) return why;
        auto* const address = static_cast<std::byte*>(const_cast<void*>(given));
        if (const auto above = live_.upper_bound(address); above != live_.begin()) {
            const auto& [begin, held] = *std::prev(above);
            if (address < begin + held.bytes) {
                why.begin = reinterpret_cast<std::uintptr_t>(begin);
                why.size = held.bytes;
                return why;
            }
        }
        why = failure_in(range, {.reason = error::stale_handle});
        why.address = reinterpret_cast<std::uintptr_t>(given);
        why.what = address_error::not_live;
        return why;
    }
    [[gnu::cold]] address_failure refuse(void* given) {
        if (const auto freed = freed_.find(static_cast<std::byte*>(given)); freed != freed_.end())
            note({misuse::freed_twice, given, freed->second.bytes, 0, freed->second.allocation, freed->second.label});
        return failure_of(given);
    }

    Addressed& memory_;
    guard_sizes sizes_;
    std::map<std::byte*, entry> live_;
    std::map<std::byte*, entry> freed_;
    std::deque<std::byte*> queue_;  // freed buffers, the oldest first
    std::uint64_t quarantined_ = 0;
    std::uint64_t allocations_ = 0;
    std::uint64_t count_ = 0;
    misused_buffer first_;
};

}  // namespace hbm::inline v0
