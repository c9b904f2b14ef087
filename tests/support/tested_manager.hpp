#pragma once

#include <hbm/compact.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/manager.hpp>
#include <hbm/planning/relief.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/random.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace hbm::inline v0::testing {

/// Checks a donation policy with random offers of a few sizes. Returns the rule that it breaks, or null.
template <donation D>
[[nodiscard]] const char* check_choice([[maybe_unused]] const D& policy, [[maybe_unused]] random_numbers random) {
    if constexpr (donates<D>) {
        std::array<std::uint64_t, 6> donors{};
        for (std::uint64_t& donor : donors) donor = random.below(5);
        const std::span<const std::uint64_t> offered(donors.data(), random.below(donors.size() + 1));
        const std::uint64_t size = 1 + random.below(4);
        const std::size_t chosen = policy.choose(offered, size);
        if constexpr (takes_first_of_a_size<D>) {
            std::size_t first = 0;
            while (first < offered.size() && offered[first] != size) ++first;
            if (chosen != (first < offered.size() ? first : no_donor))
                return "the donation policy does not choose the first donor of the output's size";
        }
        if (chosen == no_donor) return nullptr;
        if (chosen >= offered.size()) return "the donation policy chose a donor that was not offered";
        if (offered[chosen] == 0) return "the donation policy chose a donor that was taken";
        if (offered[chosen] < size) return "the donation policy chose a donor that is too short";
    }
    return nullptr;
}

struct manager_sums {
    claimed_sums blocks;
    std::uint64_t peak_live = 0;
    std::uint64_t reserved = 0;
    std::uint64_t reservable = 0;
    totals done;
};

/// An interface to any manager, so that the story is compiled once for all combinations of policies.
class tested_manager {
public:
    bool merges_neighbours = false;
    bool imports = false;
    bool may_move = false;   ///< the placement permits moves and the relief policy is not `never_relieve`
    bool may_evict = false;  ///< the eviction policy evicts and the relief policy is not `never_relieve`
    bool donates = false;
    bool reserves = false;
    bool per_program = false;  ///< scratch is kept per program
    bool has_bytes = false;    ///< the device holds bytes that can be read
    std::uint64_t max_quanta = 0;

    tested_manager() = default;
    tested_manager(const tested_manager&) = delete;
    tested_manager& operator=(const tested_manager&) = delete;
    virtual ~tested_manager() = default;

    virtual result<buffer> allocate(const request& request) = 0;
    virtual result<buffer> import(extent where, tag label) = 0;
    virtual result<done> free(buffer freed) = 0;
    virtual result<done> pin(buffer pinned) = 0;
    virtual result<done> unpin(buffer pinned) = 0;
    virtual void sync() = 0;
    virtual result<done> finish_moves() = 0;
    virtual compaction compact(std::uint64_t budget) = 0;
    virtual result<program> load(const program_spec& spec) = 0;
    virtual result<done> load(program subject) = 0;
    virtual result<done> evict(program victim) = 0;
    virtual result<done> unload(program ended) = 0;
    virtual result<run_result> run(program subject, const run_spec& spec) = 0;

    virtual error check(buffer held) const = 0;
    virtual error check(program held) const = 0;
    virtual extent where(buffer held) const = 0;
    virtual std::uint64_t granted(buffer held) const = 0;
    virtual const program_record& about(program held) const = 0;
    virtual manager_sums sums() const = 0;
    virtual void look(snapshot& blocks) const = 0;
    /// Returns the length and alignment of a buffer in bytes.
    /// Requires: the length can be counted in quanta.
    virtual need<std::uint64_t> requirement(std::uint64_t bytes, std::uint64_t alignment) const = 0;

    virtual void remember() = 0;
    virtual bool unchanged() const = 0;
    /// Returns true if a fork equals the manager, honours the handle, and changing it does not change the manager.
    virtual bool forks_well(buffer held) const = 0;
    /// Lists the blocks after `sync` and after every possible eviction.
    virtual void look_at_best(snapshot& blocks) const = 0;

    virtual const char* check_donation(std::uint64_t seed) const = 0;

    /// Returns the bytes of a range; empty if the device has none.
    virtual std::span<std::byte> bytes(extent where) = 0;
};

/// Requires: a device that copies is made from the capacity of the spec and has `std::span<std::byte>
/// bytes(std::uint64_t offset, std::uint64_t bytes)`; the donation policy is default-constructible.
template <class Manager>
class manager_under_test;

template <placement P, eviction E, donation D, relief R, hbm::device V, observer O>
class manager_under_test<manager<P, E, D, R, V, O>> : public tested_manager {
public:
    using manager_type = manager<P, E, D, R, V, O>;

    manager_under_test(const memory_spec& spec, std::uint32_t salt)
        : manager_(spec, {.device = device_of(spec), .salt = salt}), remembered_(manager_.copy()), salt_(salt) {
        constexpr bool relieves = !std::same_as<R, never_relieve>;
        tested_manager::merges_neighbours = P::merges_neighbours;
        tested_manager::imports = hbm::imports<P>;
        tested_manager::may_move = hbm::compacts<P> && relieves;
        tested_manager::may_evict = hbm::evicts<E> && relieves;
        tested_manager::donates = hbm::donates<D>;
        tested_manager::reserves = hbm::reserves<P>;
        if constexpr (hbm::reserves<P>) tested_manager::per_program = P::sharing == scratch_sharing::per_program;
        tested_manager::has_bytes = holds_bytes;
        tested_manager::max_quanta = std::numeric_limits<typename P::quanta>::max();
    }

    result<buffer> allocate(const request& request) override { return manager_.allocate(request); }
    result<buffer> import(extent where, tag label) override {
        if constexpr (hbm::imports<P>)
            return manager_.import(where, label);
        else
            return failure{.reason = error::range_is_taken, .requested = where.size, .label = label};
    }
    result<done> free(buffer freed) override { return manager_.free(freed); }
    result<done> pin(buffer pinned) override { return manager_.pin(pinned); }
    result<done> unpin(buffer pinned) override { return manager_.unpin(pinned); }
    void sync() override { manager_.sync(); }
    result<done> finish_moves() override { return manager_.finish_moves(); }
    compaction compact(std::uint64_t budget) override {
        if constexpr (hbm::compacts<P>)
            return manager_.compact(budget);
        else
            return {.remaining = budget * 0};
    }
    result<program> load(const program_spec& spec) override { return manager_.load(spec); }
    result<done> load(program subject) override { return manager_.load(subject); }
    result<done> evict(program victim) override { return manager_.evict(victim); }
    result<done> unload(program ended) override { return manager_.unload(ended); }
    result<run_result> run(program subject, const run_spec& spec) override { return manager_.run(subject, spec); }

    error check(buffer held) const override { return manager_.check(held); }
    error check(program held) const override { return manager_.check(held); }
    extent where(buffer held) const override { return manager_.where(held); }
    std::uint64_t granted(buffer held) const override { return manager_.granted(held); }
    const program_record& about(program held) const override { return manager_.about(held); }
    manager_sums sums() const override {
        return {
            {manager_.capacity_bytes(), manager_.free_bytes(), manager_.live_bytes(), manager_.largest_free_bytes()},
            manager_.peak_live_bytes(),
            manager_.reserved_bytes(),
            manager_.reservable_bytes(),
            manager_.done_so_far()};
    }
    void look(snapshot& blocks) const override { look_at(manager_, blocks); }
    need<std::uint64_t> requirement(std::uint64_t bytes, std::uint64_t alignment) const override {
        const auto& state = manager_.state();
        const auto required =
            state.blocks.requirement({.length = state.in_quanta(bytes), .alignment = state.in_quanta(alignment)});
        need<std::uint64_t> wide;
        const std::uint64_t countable = ~std::uint64_t{0} / state.spec.quantum;
        wide.length = required.length > countable ? ~std::uint64_t{0} : state.bytes(required.length);
        wide.alignment = required.alignment > countable ? std::uint64_t{1} << 63 : state.bytes(required.alignment);
        return wide;
    }

    void remember() override { remembered_ = manager_.copy(); }
    bool unchanged() const override { return remembered_ == manager_; }
    bool forks_well(buffer held) const override {
        const manager_type before = manager_.copy();
        auto copy = manager_.fork();
        if constexpr (std::same_as<typename manager_type::forked, manager_type>) {
            if (!(copy == manager_)) return false;
        }
        if (copy.check(held) != manager_.check(held)) return false;
        if (copy.check(held) == error::none) static_cast<void>(copy.free(held));
        if (const auto other = copy.allocate(std::uint64_t{1})) static_cast<void>(copy.pin(*other));
        return manager_ == before;
    }
    void look_at_best(snapshot& blocks) const override {
        auto copy = manager_.fork();
        copy.sync();
        for (std::uint32_t slot = 0; slot < copy.programs().size(); ++slot) {
            const program_record& record = copy.programs()[slot];
            if (tested_manager::may_evict && record.generation % 2 == 1)
                static_cast<void>(copy.evict(program{slot, record.generation, salt_}));
        }
        look_at(copy, blocks);
    }

    const char* check_donation(std::uint64_t seed) const override {
        return check_choice(donation_, random_numbers(seed));
    }

    std::span<std::byte> bytes(extent where) override {
        if constexpr (holds_bytes)
            return manager_.device().bytes(where.offset, where.size);
        else
            return std::span<std::byte>{}.first(where.size * 0);
    }

private:
    static constexpr bool holds_bytes = requires(V device, std::uint64_t offset) {
        { device.bytes(offset, offset) } -> std::same_as<std::span<std::byte>>;
    };
    static_assert(!hbm::copies<V> || (holds_bytes && std::constructible_from<V, std::uint64_t>),
                  "the conformance suite looks at what a device copied: it is made from a capacity and has "
                  "std::span<std::byte> bytes(std::uint64_t offset, std::uint64_t bytes)");

    static V device_of(const memory_spec& spec) {
        if constexpr (std::constructible_from<V, std::uint64_t>)
            return V(spec.capacity);
        else
            return spec.capacity == 0 ? V{} : V{};
    }
    static void look_at(const auto& memory, snapshot& blocks) {
        for (const block_view& block : memory.blocks_and_holes()) blocks.push_back(block);
    }

    manager_type manager_;
    manager_type remembered_;
    D donation_;
    std::uint32_t salt_;
};

}  // namespace hbm::inline v0::testing
