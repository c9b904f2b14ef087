#pragma once
// The trace that a generator writes: rows, a clock, and random numbers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/generate/random_source.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"
#include "compare/replay/workload_builder.hpp"

namespace hbm::trace {

// Binary units in bytes.
inline constexpr std::uint64_t kib = std::uint64_t{1} << 10U;
inline constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

/// Buffer of a generator.
struct draft_buffer {
    std::string name;         ///< id of the buffer
    std::uint64_t bytes = 0;  ///< size of the buffer
};

/// Buffers that belong together.
using draft_buffers = std::vector<draft_buffer>;

/// Trace under construction. A `workload_builder` checks every row; for one that it rejects, because of a mistake in
/// the generator, functions throw `usage_error`.
class trace_draft {
public:
    /// Constructs an empty trace of that name.
    trace_draft(std::string name, std::uint64_t seed) : random(seed), builder_(std::move(name)) {}

    random_source random;  ///< random numbers of this trace

    /// Advances the clock by this many microseconds.
    void wait(std::uint64_t microseconds);

    /// Returns a buffer with a unique id: the kind and a serial number.
    draft_buffer fresh(std::string_view kind, std::uint64_t bytes);

    /// Allocates a new buffer, with its kind as tag.
    draft_buffer alloc(std::string_view kind, std::uint64_t bytes);

    /// Frees a buffer.
    void free(const draft_buffer& gone) { check(builder_.free(gone.name)); }

    /// Frees buffers in order and empties the list.
    void free(draft_buffers& gone);

    /// Loads a program.
    void load(std::string_view program, std::uint64_t code, std::uint64_t scratch);

    /// Unloads a program.
    void unload(std::string_view program) { check(builder_.unload(program)); }

    /// Pins a buffer.
    void pin(const draft_buffer& held) { check(builder_.pin(held.name)); }

    /// Unpins a buffer.
    void unpin(const draft_buffer& held) { check(builder_.unpin(held.name)); }

    /// Ends a run: deferred frees take effect.
    void sync() { check(builder_.sync()); }

    /// Runs a program. `tag` is that of its outputs.
    void run(std::string_view program, const draft_buffers& inputs, const draft_buffers& donated,
             const draft_buffers& outputs, std::string_view tag);

    /// Returns the number of rows.
    std::size_t size() const { return builder_.size(); }

    /// Returns the workload; the draft must not be used afterwards.
    workload finish() && { return std::move(builder_).finish(); }

private:
    void check(const row_failure& problem) const;
    static void name_all(const draft_buffers& buffers, std::vector<std::string_view>& names);

    workload_builder builder_;
    std::uint64_t clock_ = 0;
    std::uint64_t serial_ = 0;
    std::vector<std::string_view> inputs_;
    std::vector<std::string_view> donated_;
    std::vector<named_size> outputs_;
};

/// Appends all buffers of a list to another list.
void join(draft_buffers& all, const draft_buffers& more);

}  // namespace hbm::trace
