#pragma once

/// The descriptions of programs and of their runs.

#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace hbm {

/// A read-only view of a list that is an argument of a call: braces, a vector, a span, an array. Like a span it owns
/// nothing. Requires: the items live as long as the view. Items in braces end with the statement that they stand in: as
/// arguments of a call they live long enough, in a variable they do not. Clang warns of that, g++ does not.
template <class T>
class list {
public:
    constexpr list() = default;
    // NOLINTBEGIN: braces are meant to convert
#ifdef __clang__
    constexpr list([[clang::lifetimebound]] std::initializer_list<T> items) noexcept : list(from(items)) {}
#else
    constexpr list(std::initializer_list<T> items) noexcept : list(from(items)) {}
#endif
    // NOLINTEND
    template <class Items>
    requires requires(const Items& items) {
        { items.data() } -> std::convertible_to<const T*>;
        { items.size() } -> std::convertible_to<std::size_t>;
    }
    constexpr list(const Items& items) noexcept : data_(items.data()), size_(items.size()) {}  // NOLINT
    template <std::size_t Size>
    constexpr list(const T (&items)[Size]) noexcept : data_(items), size_(Size) {}  // NOLINT
    constexpr list(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    [[nodiscard]] constexpr const T* begin() const noexcept {
        return data_;
    }
    [[nodiscard]] constexpr const T* end() const noexcept {
        return data_ + size_;
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return size_;
    }
    [[nodiscard]] constexpr bool empty() const noexcept {
        return size_ == 0;
    }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const noexcept {
        return data_[i];
    }

private:
    static constexpr list from(std::initializer_list<T> items) noexcept {
        return {items.begin(), items.size()};
    }

    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// As `program_spec::reload_us`: derive the cost from the size and the host link.
inline constexpr std::uint64_t derived_cost = ~std::uint64_t{0};

/// A program to be loaded.
struct program_spec {
    const char* name = "";
    std::uint64_t code = 0;     ///< bytes of code and constants, placed like a buffer; 0 occupies one quantum
    std::uint64_t scratch = 0;  ///< bytes needed while it runs; reserved at the bottom if the placement can
    std::uint64_t reload_us = derived_cost;  ///< microseconds to load it again after an eviction
};

/// How an output of a run is bound to a donated input, its partner: XLA's input-output aliases.
enum class aliasing : std::uint8_t {
    any,   ///< no partner: it may take over any donor that is no output's partner, as the donation policy decides
    may,   ///< it takes over its partner if it can, and is allocated otherwise
    must,  ///< it takes over its partner, or the run fails
};

/// An output of a run: size in bytes, name or tag, the donated input it is bound to, and a hint. An output without name
/// and tag that takes over an input is called what that was called.
struct output {
    std::uint64_t bytes = 0;
    const char* name = nullptr;  ///< for people, if not null: stands for its tag; to be valid during the call
    tag label = tag::none;
    aliasing alias = aliasing::any;
    lifetime expected = lifetime::unknown;  ///< as in a request
    std::uint32_t partner = no_index;       ///< index into `run_spec::donated`; no other output takes that donor over

    constexpr output() = default;
    constexpr output(std::uint64_t size, tag known_as = tag::none, aliasing bound = aliasing::any,
                     std::uint32_t donor = no_index, lifetime hint = lifetime::unknown) noexcept
        : bytes(size), label(known_as), alias(bound), expected(hint), partner(donor) {}  // NOLINT: sizes convert
    constexpr output(std::uint64_t size, const char* called, aliasing bound = aliasing::any,
                     std::uint32_t donor = no_index, lifetime hint = lifetime::unknown) noexcept
        : bytes(size), name(called), alias(bound), expected(hint), partner(donor) {}  // NOLINT: sizes convert
};

/// A run of a program. Donated buffers are freed or taken over, except those that are kept. A buffer may be listed
/// several times as an input, but not be both input and donated.
/// Requires: the lists live as long as the spec. A spec in a variable refers to vectors or arrays, never to braces.
struct run_spec {
    list<buffer> inputs = {};
    list<buffer> donated = {};
    list<output> outputs = {};
    list<std::uint32_t> kept = {};  ///< indices into `donated` of buffers that this run only reads
    std::uint64_t run_us = 0;       ///< microseconds it takes: the price of waiting for it. The full price, whenever
                                    ///< the wait begins: a manager has no clock
};

}  // namespace hbm
