#pragma once

#include <hbm/c/any_manager.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/never_evict.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::c_face {

/// A manager of the C interface, by name.
struct listed_manager {
    const char* name;
    const char* short_name;
    hbm::any_manager* (*make)(const hbm::memory_spec&, std::uint32_t, callbacks&);
};

template <class P, class E = hbm::never_evict, class D = hbm::never_donate>
constexpr listed_manager listed(const char* short_name = "") {
    return {hbm::traits_of<P, E, D>.name, short_name, hbm::make_any_manager<P, E, D>};
}

/// A manager of your own for `hbm_create`, from any translation unit that is linked; it is found after those of
/// c_managers.hpp:
///
///     #include <hbm/c/registered_manager.hpp>
///     #include <hbm/placement/first_fit.hpp>
///     using placement = hbm::basic_first_fit<std::uint64_t>;
///     static hbm::c_face::registered_manager mine{hbm::c_face::listed<placement>()};
///
/// A static library must not hold the object: a linker leaves out what nothing refers to. The program links
/// hbm::explain.
/// Requires: a placement over 64-bit quanta. The object lives as long as managers are created; no manager is created
/// while it is constructed or destroyed.
class registered_manager {
public:
    explicit registered_manager(const listed_manager& entry) noexcept : entry_(entry), next_(first_) { first_ = this; }
    registered_manager(const registered_manager&) = delete;
    registered_manager& operator=(const registered_manager&) = delete;
    ~registered_manager() {
        registered_manager** link = &first_;
        while (*link != this) link = &(*link)->next_;
        *link = next_;
    }

    /// Returns the manager `at` of those registered, latest first; null after the last.
    [[nodiscard]] static const listed_manager* find(std::size_t at) noexcept {
        const registered_manager* entry = first_;
        for (; entry != nullptr && at != 0; --at) entry = entry->next_;
        return entry == nullptr ? nullptr : &entry->entry_;
    }

private:
    static inline registered_manager* first_ = nullptr;

    listed_manager entry_;
    registered_manager* next_;
};

}  // namespace hbm::inline v0::c_face
