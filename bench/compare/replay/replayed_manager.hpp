#pragma once
// A manager of any type behind the interface of a replay.

#include <hbm/core/memory_spec.hpp>
#include <hbm/manager.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_memory.hpp"

namespace hbm::trace {

/// Replaces `list` by the blocks of a range.
template <class Quanta>
void list_blocks_of(block_range<Quanta> blocks, std::vector<block_view>& list) {
    list.clear();
    for (const block_view& block : blocks) list.push_back(block);
}

/// Interface of a replay for a manager of type `Manager`.
template <class Manager>
class replayed : public replayed_memory {
public:
    /// Constructs a manager of the memory `spec`.
    explicit replayed(const memory_spec& spec, const typename Manager::options& given = {})
        : replayed(Manager(spec, given)) {}
    /// Takes over a manager.
    explicit replayed(Manager manager) : manager_(std::move(manager)) { manager_.reserve_metadata(256); }

    /// Returns the manager itself.
    [[nodiscard]] const Manager& manager() const noexcept { return manager_; }
    [[nodiscard]] Manager& manager() noexcept { return manager_; }

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
    void list_blocks(std::vector<block_view>& into) const override { list_blocks_of(manager_.blocks(), into); }

private:
    Manager manager_;
};

/// Replays a workload in a new manager of type `Manager` over the memory `spec`. Returns the figures of `measure()`.
template <class Manager>
[[nodiscard]] figures measure(const workload& trace, const memory_spec& spec, bool is_unlimited) {
    replayed<Manager> memory(spec);
    return measure(trace, memory, spec.quantum, is_unlimited);
}

}  // namespace hbm::trace
