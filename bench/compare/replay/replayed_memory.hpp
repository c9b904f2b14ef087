#pragma once
// The interface through which a replay uses a manager, so that the replay is compiled once for all manager types.

#include <hbm/blocks/block_map.hpp>
#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/arguments.hpp>
#include <hbm/manager/bound_policies.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/compact.hpp>
#include <hbm/manager/programs.hpp>
#include <hbm/manager/runs.hpp>
#include <hbm/search/packing.hpp>
#include <hbm/search/room_search.hpp>
#include <hbm/search/slide.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/totals.hpp>

#include <cstdint>
#include <vector>

#include "compare/replay/capacity.hpp"

namespace hbm::trace {

/// Figures of a memory that are read after each row. Bytes.
struct memory_readings {
    std::uint64_t capacity = 0;
    std::uint64_t free = 0;
    std::uint64_t largest_free = 0;
    std::uint64_t peak_live = 0;
    std::uint64_t highest_end = 0;
};

template <class Quanta>
void list_into(block_range<Quanta> all, std::vector<block_view>& into) {
    into.clear();
    for (const block_view& each : all) into.push_back(each);
}

/// The functions of a manager that a replay needs. Each does the same as the manager's function of that name, except
/// that an import is as long as an allocation of its bytes would be, and where its range is taken it waits for deferred
/// frees, as an allocation does.
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
    /// Replaces `into` by all live blocks in address order. O(blocks).
    virtual void list_blocks(std::vector<block_view>& into) const = 0;
};

/// The interface for a manager of type `Manager`.
template <class Manager>
class replayed final : public replayed_memory {
public:
    /// Makes a manager of the memory `spec`.
    explicit replayed(const memory_spec& spec, const typename Manager::options& given = {}) : manager_(spec, given) {
        manager_.reserve_metadata(256);
    }

    /// The manager itself.
    [[nodiscard]] const Manager& manager() const noexcept { return manager_; }

    result<buffer> allocate(const request& asked) override { return manager_.allocate(asked); }
    result<buffer> import(extent where, tag label) override {
        where.size = granted(where.size, manager_.spec().quantum);
        result<buffer> made = manager_.import(where, label);
        if (!made && made.error().reason == error::range_is_taken) {
            manager_.sync();
            made = manager_.import(where, label);
        }
        return made;
    }
    result<done> free(buffer freed) override { return manager_.free(freed); }
    result<done> pin(buffer pinned) override { return manager_.pin(pinned); }
    result<done> unpin(buffer pinned) override { return manager_.unpin(pinned); }
    void sync() override { manager_.sync(); }
    result<program> load(const program_spec& spec) override { return manager_.load(spec); }
    result<done> load(program known) override { return manager_.load(known); }
    result<done> unload(program ended) override { return manager_.unload(ended); }
    result<done> unload_for_now(program unloaded) override { return manager_.unload_for_now(unloaded); }
    result<run_result> run(program subject, const run_spec& spec) override { return manager_.run(subject, spec); }
    tag tag_of(const char* label) override { return manager_.tag_of(label); }

    trivial_vector<std::uint32_t> donors_of(const run_spec& spec) override { return manager_.donors_of(spec); }
    std::uint32_t pins(buffer held) const override { return manager_.pins(held); }
    extent where(buffer held) const override { return manager_.where(held); }
    const program_record& about(program known) const override { return manager_.about(known); }
    const totals& done_so_far() const override { return manager_.done_so_far(); }
    memory_readings read() const override {
        return {.capacity = manager_.capacity_bytes(),
                .free = manager_.free_bytes(),
                .largest_free = manager_.largest_free_bytes(),
                .peak_live = manager_.peak_live_bytes(),
                .highest_end = manager_.highest_end_bytes()};
    }
    void list_blocks(std::vector<block_view>& into) const override { list_into(manager_.blocks(), into); }

private:
    Manager manager_;
};

}  // namespace hbm::trace
