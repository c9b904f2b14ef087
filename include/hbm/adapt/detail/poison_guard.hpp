#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/poison.hpp>

namespace hbm::inline v0 {

/// A range that is poisoned for AddressSanitizer during the guard's life. Move-only; without the sanitizer no effect.
class poison_guard {
public:
    constexpr poison_guard() = default;
    explicit poison_guard(const address_range& memory) noexcept : memory_(memory) {
        if (memory_.on_host && memory_.bytes != 0) poison(memory_.base, memory_.bytes);
    }
    poison_guard(const poison_guard&) = delete;
    poison_guard& operator=(const poison_guard&) = delete;
    poison_guard(poison_guard&& other) noexcept { swap(other); }
    poison_guard& operator=(poison_guard&& other) noexcept {
        swap(other);
        return *this;
    }
    ~poison_guard() {
        if (memory_.on_host && memory_.bytes != 0) unpoison(memory_.base, memory_.bytes);
    }

    void swap(poison_guard& other) noexcept {
        const address_range memory = memory_;
        memory_ = other.memory_;
        other.memory_ = memory;
    }

private:
    address_range memory_;
};

}  // namespace hbm::inline v0
