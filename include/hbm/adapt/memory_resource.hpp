#pragma once

#include <hbm/core/request.hpp>

#include <cstddef>
#include <exception>
#include <memory_resource>
#include <new>

namespace hbm::inline v0 {

/// A `std::pmr::memory_resource` over `addressed`, whose blocks never move:
///
///     hbm::addressed_resource resource{memory};
///     std::pmr::vector<float> numbers{&resource};
///
/// Requires: the memory outlives the resource.
/// Fails: throws `std::bad_alloc` if memory is full; terminates if exceptions are disabled. A wrong pointer changes
/// nothing; see `last_failure` of the memory.
template <class Addressed>
class addressed_resource final : public std::pmr::memory_resource {
public:
    explicit addressed_resource(Addressed& memory) noexcept : memory_(memory) {}

    [[nodiscard]] Addressed& memory() const noexcept { return memory_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const auto result = memory_.allocate_fixed(request{.bytes = bytes, .alignment = alignment});
        if (result) return *result;
#ifdef __cpp_exceptions
        throw std::bad_alloc();
#else
        std::terminate();
#endif
    }
    void do_deallocate(void* begin, std::size_t, std::size_t) override {
        static_cast<void>(memory_.deallocate(begin));
    }
    /// Resources differ even if they share a memory.
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    Addressed& memory_;
};

}  // namespace hbm::inline v0
