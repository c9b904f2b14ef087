#pragma once

/// A manager under the containers of the standard library.

#include <hbm/core/request.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory_resource>
#include <new>

namespace hbm {

/// A `std::pmr::memory_resource` over `addressed`, which it refers to and which has to outlive it:
///
///     hbm::addressed_resource resource{memory};
///     std::pmr::vector<float> numbers{&resource};
///
/// What it allocates never moves. Where there is no room it throws `std::bad_alloc`, as the interface demands; without
/// exceptions it ends the program. The interface cannot say that a pointer is wrong: such a deallocation changes
/// nothing, and `last_failure` of the memory says what was wrong with it.
template <class Addressed>
class addressed_resource final : public std::pmr::memory_resource {
public:
    explicit addressed_resource(Addressed& memory) noexcept : memory_(memory) {}

    /// The memory that it allocates from.
    [[nodiscard]] Addressed& memory() const noexcept { return memory_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const auto made = memory_.allocate_fixed(request{.bytes = bytes, .alignment = alignment});
        if (made) return *made;
#ifdef __cpp_exceptions
        throw std::bad_alloc();
#else
        std::terminate();
#endif
    }
    void do_deallocate(void* begin, std::size_t, std::size_t) override {
        static_cast<void>(memory_.deallocate(begin));
    }
    /// Only a resource itself takes back what it gave.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    Addressed& memory_;
};

}  // namespace hbm
