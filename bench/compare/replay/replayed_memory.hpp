#pragma once
// The interface of a manager for a replay, so that the replay is compiled once for all manager types.

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/run_result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/state/totals.hpp>

#include <cstdint>
#include <vector>

namespace hbm::trace {

/// Figures of a memory that are read after each row, in bytes.
struct memory_readings {
    std::uint64_t capacity = 0;
    std::uint64_t free = 0;
    std::uint64_t largest_free = 0;
    std::uint64_t peak_live = 0;
    std::uint64_t highest_end = 0;
};

/// Functions of a manager that a replay needs. Each forwards to the manager's function of that name. An import is as
/// long as an allocation of its bytes. If its range is taken, it waits for deferred frees, as an allocation does.
class replayed_memory {
public:
    replayed_memory() = default;
    replayed_memory(const replayed_memory&) = delete;
    replayed_memory& operator=(const replayed_memory&) = delete;
    virtual ~replayed_memory() = default;

    [[nodiscard]] virtual result<buffer> allocate(const request& asked) = 0;
    [[nodiscard]] virtual result<buffer> import(extent where, tag label) = 0;
    virtual result<done> free(buffer freed) = 0;
    virtual result<done> pin(buffer pinned) = 0;
    virtual result<done> unpin(buffer pinned) = 0;
    virtual void sync() = 0;
    [[nodiscard]] virtual result<program> load(const program_spec& spec) = 0;
    virtual result<done> load(program known) = 0;
    virtual result<done> unload(program ended) = 0;
    virtual result<done> unload_for_now(program unloaded) = 0;
    [[nodiscard]] virtual result<run_result> run(program subject, const run_spec& spec) = 0;
    virtual tag tag_of(const char* label) = 0;

    [[nodiscard]] virtual trivial_vector<std::uint32_t> donors_of(const run_spec& spec) = 0;
    [[nodiscard]] virtual std::uint32_t pins(buffer held) const = 0;
    [[nodiscard]] virtual extent where(buffer held) const = 0;
    [[nodiscard]] virtual const program_record& about(program known) const = 0;
    [[nodiscard]] virtual const totals& done_so_far() const = 0;
    [[nodiscard]] virtual memory_readings read() const = 0;
    /// Replaces `into` by all live blocks in address order. Cost: O(blocks).
    virtual void list_blocks(std::vector<block_view>& into) const = 0;
};

}  // namespace hbm::trace
