#pragma once

#include <hbm/core/fixed_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hbm::inline v0 {

/// A memory of a `memory_set`: the name of its kind, such as JAX's `device` and `pinned_host`, and its manager.
template <fixed_string Kind, class Manager>
struct of_kind {
    static constexpr auto kind = Kind;
    using manager_type = Manager;
};

namespace detail {

/// Not defined: the compiler names it if a literal is not a kind of the set.
void the_set_has_no_memory_of_this_kind();

}  // namespace detail

/// A kind of memory: one of `Names`. A literal that is not one of them is an error of compilation; for other text see
/// `named`. Default-constructed, the first kind.
template <fixed_string... Names>
class memory_kind {
public:
    static constexpr std::size_t count = sizeof...(Names);

    constexpr memory_kind() = default;
    template <std::size_t Size>
    consteval memory_kind(const char (&name)[Size]) : number_(find(name)) {  // NOLINT: literals convert
        if (number_ == count) detail::the_set_has_no_memory_of_this_kind();
    }
    /// Returns the kind of a name that is known at run time; empty if the set has none.
    [[nodiscard]] static constexpr std::optional<memory_kind> named(std::string_view name) noexcept {
        return at(find(name));
    }
    /// Returns the kind of a number, in the order of the set; empty if the set has fewer.
    [[nodiscard]] static constexpr std::optional<memory_kind> at(std::size_t number) noexcept {
        memory_kind result;
        result.number_ = static_cast<std::uint8_t>(number);
        return number < count ? std::optional(result) : std::nullopt;
    }

    [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }
    [[nodiscard]] constexpr const char* name() const noexcept { return names[number_]; }
    friend constexpr bool operator==(const memory_kind&, const memory_kind&) = default;

    /// Returns true if no two kinds have one name.
    [[nodiscard]] static constexpr bool are_distinct() noexcept {
        std::size_t number = 0;
        return ((find(Names.c_str()) == number++) && ...);
    }

private:
    static constexpr const char* names[count] = {Names.c_str()...};

    /// Returns the number of a name, or `count`.
    [[nodiscard]] static constexpr std::uint8_t find(std::string_view name) noexcept {
        std::uint8_t number = 0;
        while (number < count && name != names[number]) ++number;
        return number;
    }

    std::uint8_t number_ = 0;
};

}  // namespace hbm::inline v0
