#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace hbm::inline v0 {

/// A read-only view of a list that is an argument of a call: braces, a vector, a span, an array.
/// Requires: the items live as long as the view. Items in braces live until the end of the full expression: do not
/// store them in a variable. Clang warns about that, g++ does not.
template <class T>
class list {
public:
    constexpr list() = default;
    // NOLINTBEGIN: braces convert implicitly
#ifdef __clang__
    constexpr list([[clang::lifetimebound]] std::initializer_list<T> items) noexcept : list(from(items)) {}
#else
    constexpr list(std::initializer_list<T> items) noexcept : list(from(items)) {}
#endif
    // NOLINTEND
    template <class Items, class Data = decltype(static_cast<const Items*>(nullptr)->data())>
    constexpr list(const Items& items) noexcept : data_(checked<Data>(items.data())), size_(items.size()) {}  // NOLINT
    template <std::size_t Size>
    constexpr list(const T (&items)[Size]) noexcept : data_(items), size_(Size) {}  // NOLINT
    constexpr list(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    [[nodiscard]] constexpr const T* begin() const noexcept { return data_; }
    [[nodiscard]] constexpr const T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    static constexpr list from(std::initializer_list<T> items) noexcept { return {items.begin(), items.size()}; }
    template <class Data>
    static constexpr const T* checked(Data items) noexcept {
        static_assert(std::convertible_to<Data, const T*>, "use the list's type, such as std::vector<hbm::output>");
        return items;
    }

    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Value of `program_spec::reload_us`: derive the cost from the size and the bandwidth of the host link.
inline constexpr std::uint64_t derived_cost = ~std::uint64_t{0};

/// A program to load.
struct program_spec {
    const char* name = "";
    std::uint64_t code = 0;     ///< bytes of code and constants, placed like a buffer; 0 occupies one quantum
    std::uint64_t scratch = 0;  ///< bytes needed during a run; reserved at the bottom if the placement can
    std::uint64_t reload_us = derived_cost;  ///< microseconds to reload the program after an eviction
};

/// The binding of an output to a donated input, its partner, like XLA's input-output aliases.
enum class aliasing : std::uint8_t {
    any,   ///< no partner: may take over any donor that is not a partner, as the donation policy decides
    may,   ///< takes over the partner if possible, otherwise is allocated
    must,  ///< takes over the partner, or the run fails
};

/// An output of a run. An output without name and tag that takes over an input inherits the input's name.
struct output {
    std::uint64_t bytes = 0;
    const char* name = nullptr;  ///< display name; replaces `label` if not null; must be valid during the call
    tag label = tag::none;
    aliasing alias = aliasing::any;
    lifetime expected = lifetime::unknown;  ///< hint, as in `request`
    std::uint32_t partner = no_index;       ///< index into `run_spec::donated`; no other output takes over that donor

    constexpr output() = default;
    constexpr output(std::uint64_t size, tag known_as = tag::none, aliasing bound = aliasing::any,
                     std::uint32_t donor = no_index, lifetime hint = lifetime::unknown) noexcept
        : bytes(size), label(known_as), alias(bound), expected(hint), partner(donor) {}  // NOLINT: implicit
    constexpr output(std::uint64_t size, const char* called, aliasing bound = aliasing::any,
                     std::uint32_t donor = no_index, lifetime hint = lifetime::unknown) noexcept
        : bytes(size), name(called), alias(bound), expected(hint), partner(donor) {}  // NOLINT: implicit
};

/// A run of a program. Donated buffers are freed or taken over, unless they are kept. A buffer may be an input several
/// times, but not both an input and donated.
/// Requires: the lists live as long as the spec. In a variable, use vectors or arrays, never braces.
template <class Buffer, class Output>
struct basic_run_spec {
    list<Buffer> inputs = {};
    list<Buffer> donated = {};
    list<Output> outputs = {};
    list<std::uint32_t> kept = {};  ///< indices into `donated` of buffers that this run only reads
    std::uint64_t run_us = 0;  ///< duration in microseconds: the price of waiting for the run, in full whenever the
                               ///< wait begins, because a manager has no clock
    bool arguments_may_move = false;  ///< relief may move the arguments before the run; see `run_result::moved`
};
using run_spec = basic_run_spec<buffer, output>;

/// Work that is no run, such as a transfer or a collective.
struct work_spec {
    std::uint64_t us = 0;  ///< duration in microseconds: the price of waiting for it, as `run_us`
};

}  // namespace hbm::inline v0
