#pragma once

/// Which buffer begins at which address, also where the manager moves buffers.

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/block_table.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Is told that a buffer has moved: its bytes are at `to` from now on and no more at `from`. `bytes` is its granted
/// size. It is called during the call that moved the buffer, and changes nothing of the memory itself.
using move_callback = void (*)(void* context, void* from, void* to, std::uint64_t bytes);

/// An observer that knows which buffers begin where, because it is told of those that come and go by `addressed`, and
/// hears of those that move. A regular value.
template <class Quanta>
class address_book {
public:
    static constexpr fixed_string name{"address_book"};

    constexpr address_book() = default;
    constexpr explicit address_book(const address_range& memory) : memory_(memory) {}

    /// A buffer has moved: notes where it is, and tells who asked to be told. O(1) on average.
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        if (e.what != event_kind::moved) return;
        const block_index block = table.erase(static_cast<Quanta>(e.from / memory.spec().quantum));
        if (block == no_block) return;
        table.insert(static_cast<Quanta>(e.where.offset / memory.spec().quantum), block);
        const std::uint64_t bytes = std::uint64_t{memory.map().granted(block)} * memory.spec().quantum;
        auto* const base = static_cast<std::byte*>(memory_.base);
        if (memory_.on_host) {
            poison(base + e.from, e.where.size);
            poison(base + e.where.offset, e.where.size);
            unpoison(base + e.where.offset, bytes);
        }
        if (tell != nullptr) tell(context, base + e.from, base + e.where.offset, bytes);
    }

    friend constexpr bool operator==(const address_book&, const address_book&) = default;

    block_table<Quanta> table;
    move_callback tell = nullptr;
    void* context = nullptr;

private:
    address_range memory_;
};

}  // namespace hbm
