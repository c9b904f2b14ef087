#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstdint>

namespace hbm::inline v0 {

struct set_program_tag {};
/// A handle to a program of a `memory_set`, with a part in each memory that it uses.
using set_program = basic_handle<set_program_tag>;

/// A handle to a buffer of a `memory_set`, and the number of its kind. A buffer that is moved to another kind has
/// another handle.
struct set_buffer {
    buffer held;              ///< the handle of the memory's manager, or of the set if it is adopted
    std::uint8_t memory = 0;  ///< number of the kind, in the order of the set
    bool adopted = false;     ///< memory of another owner; see `memory_set::adopt`

    /// Returns true unless default-constructed. Only `memory_set::check` returns if the handle is still valid.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return static_cast<bool>(held); }
    friend constexpr bool operator==(const set_buffer&, const set_buffer&) = default;
};

/// The part of a program in one memory: code, constants and temporaries that lie there.
template <class Kind>
struct set_part {
    Kind kind = {};
    std::uint64_t code = 0;                  ///< bytes of code and constants; 0 occupies one quantum
    std::uint64_t scratch = 0;               ///< bytes of temporaries during a run
    std::uint64_t reload_us = derived_cost;  ///< microseconds to reload the part after an eviction
};

namespace detail {

/// Adds a part to what a program needs in its memory.
template <class Kind>
constexpr void add_part(program_spec& total, const set_part<Kind>& part, bool is_first) noexcept {
    const bool derived = total.reload_us == derived_cost || part.reload_us == derived_cost;
    total.reload_us = is_first  ? part.reload_us
                      : derived ? derived_cost
                                : saturating_add(total.reload_us, part.reload_us);
    total.code = saturating_add(total.code, part.code);
    total.scratch = saturating_add(total.scratch, part.scratch);
}

}  // namespace detail

/// A program of a `memory_set`. Parts in one memory are added up, and the time to reload them is
/// derived if that of one is; without parts it has one in the first memory.
template <class Kind>
struct set_program_spec {
    const char* name = "";
    list<set_part<Kind>> parts = {};
};

/// An output of a run, in the memory of a kind; the other members are those of `output`.
template <class Kind>
struct set_output {
    Kind kind = {};
    std::uint64_t bytes = 0;
    const char* label = "";
    aliasing alias = aliasing::any;
    std::uint32_t partner = no_index;  ///< index in `donated`, of a buffer of the output's kind
    lifetime expected = lifetime::unknown;
};

/// A run of a program of a `memory_set`.
template <class Kind>
using set_run_spec = basic_run_spec<set_buffer, set_output<Kind>>;

struct set_run_result {
    trivial_vector<set_buffer> outputs;    ///< in the order of the spec
    trivial_vector<std::uint32_t> donors;  ///< for each output the index in `donated` of its donor, or `no_index`
    fence over = {};                       ///< fence of the set, reached when the run is over
    std::uint32_t donated = 0;             ///< count of outputs that took over an input
    std::uint32_t reloaded = 0;            ///< count of memories that reloaded the program
};

/// The kind of a failure that names none: the call itself is invalid.
inline constexpr char no_kind[] = "";

/// The failure of a call of a `memory_set`, and the kind of the memory that failed.
struct set_failure {
    failure why;  ///< arguments and outputs are counted as in the call
    const char* kind = no_kind;

    [[nodiscard]] constexpr bool names_kind() const noexcept { return kind != no_kind; }
    friend constexpr bool operator==(const set_failure&, const set_failure&) = default;
};

template <class T>
using set_result = basic_result<T, set_failure>;

/// The copy that `memory_set::move_to` makes; ranges are those of their memories.
template <class Kind>
struct set_move {
    Kind from;
    extent source;
    Kind to;
    extent target;
    std::uint64_t bytes = 0;  ///< granted bytes of the buffer; a range may be longer
};

}  // namespace hbm::inline v0
