#pragma once

/// A static assertion that programs and buffers fit into a memory, which reports the missing bytes.

#include <hbm/core/bytes.hpp>
#include <hbm/core/constant_search.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/fits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::inline v0 {

/// Fails to compile unless `Bytes` is 0. The compiler's error message shows the number.
template <std::uint64_t Bytes>
struct missing_bytes {
    static_assert(Bytes != ~std::uint64_t{0},
                  "no capacity suffices for the programs and buffers: a size or a count is too large, or the memory "
                  "is unusable, see manager::unusable");
    static_assert(Bytes == 0 || Bytes == ~std::uint64_t{0},
                  "the memory is too small for the programs and buffers: missing_bytes<N> shows the bytes of "
                  "capacity that it lacks");
    static constexpr bool is_nothing = Bytes == 0;
};

namespace detail {

/// The lists of program and buffer specs among `Items`.
template <const auto&... Items>
struct listed_start {
    template <class Spec>
    static constexpr std::size_t count = (std::size_t{0} + ... +
                                          std::size_t{std::same_as<std::remove_cvref_t<decltype(Items)>, Spec>});
    template <class Spec>
    struct array {
        Spec items[count<Spec> + 1] = {};
        std::size_t used = 0;

        constexpr void add(const Spec& item) { items[used++] = item; }
        constexpr void add(const auto&) {}
    };
    template <class Spec>
    static constexpr array<Spec> all_of() {
        array<Spec> list;
        (list.add(Items), ...);
        return list;
    }

    static_assert(count<program_spec> + count<buffer_spec> == sizeof...(Items),
                  "must_fit<Manager, memory, ...>: the arguments after the memory are a start_spec, or "
                  "program_specs and buffer_specs");
    static constexpr array<program_spec> programs = all_of<program_spec>();
    static constexpr array<buffer_spec> buffers = all_of<buffer_spec>();
    static constexpr start_spec contents{.programs = {programs.items, programs.used},
                                         .buffers = {buffers.items, buffers.used}};
};
template <const start_spec& Given>
struct listed_start<Given> {
    static constexpr const start_spec& contents = Given;
};

/// Searches for the capacity that a start needs, in bytes.
template <class Manager, const memory_spec& Spec, class Start>
struct needed_capacity {
    static constexpr memory_spec with(std::uint64_t capacity) {
        memory_spec spec = Spec;
        spec.capacity = capacity;
        return spec;
    }
    template <std::uint64_t Capacity>
    static constexpr bool good = fits<Manager>(with(Capacity), Start::contents);

    /// Returns the live bytes of the start with unlimited capacity, or `no_good_number` if no capacity suffices.
    static constexpr std::uint64_t lower_bound() {
        // The start is replayed once without a limit: what is live then is the least that any capacity needs, so the
        // search begins there instead of at a quantum.
        starting<typename Manager::forked> trial(Manager::unlimited(Spec.quantum));
        if (!trial.start(Start::contents).fits()) return no_good_number;
        return saturating_add(trial.memory.live_bytes(), Spec.top_reserved);
    }
    static consteval std::uint64_t found() {
        constexpr std::uint64_t least = lower_bound();
        if constexpr (least == no_good_number)
            return least;
        else
            return constant_search<needed_capacity, (least > Spec.capacity ? least : Spec.capacity),
                                   Spec.quantum>::found();
    }
};

}  // namespace detail

/// Returns the bytes of capacity that `Spec` lacks for a start to fit under `Manager`, accurate to a quantum: 0 if it
/// fits, the largest number if no capacity suffices.
/// Requires: `Spec` and `Contents` are `inline constexpr` or `static constexpr` variables.
/// Cost: one trial if it fits, otherwise a few, or about 30 if a placement such as buddy wastes memory.
template <class Manager, const memory_spec& Spec, const auto&... Contents>
[[nodiscard]] consteval std::uint64_t bytes_missing() {
    using start = detail::listed_start<Contents...>;
    // If it fits, as it should, a single trial is all that the compiler evaluates.
    if constexpr (fits<Manager>(Spec, start::contents)) {
        return 0;
    } else {
        constexpr std::uint64_t needed = detail::needed_capacity<Manager, Spec, start>::found();
        return needed == detail::no_good_number ? needed : needed - Spec.capacity;
    }
}

/// Like `fits`, for a static_assert whose error reports the missing bytes. `Contents` is a start_spec, or any
/// program_specs and buffer_specs:
///
///     inline constexpr hbm::program_spec step{.name = "step", .code = 180_MiB, .scratch = 3_GiB};
///     static_assert(hbm::must_fit<tpu_memory, hbm::tpu::v5e, step>());
///
/// Cost: `bytes_missing`.
template <class Manager, const memory_spec& Spec, const auto&... Contents>
[[nodiscard]] consteval bool must_fit() {
    return missing_bytes<bytes_missing<Manager, Spec, Contents...>()>::is_nothing;
}

}  // namespace hbm::inline v0
