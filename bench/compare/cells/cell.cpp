#include "compare/cells/cell.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t max_narrow_quanta = std::numeric_limits<std::uint32_t>::max();

/// Limit on the rows that a search may replay to try every capacity instead of bisection: about a second. Constructing
/// a memory counts as `rows_of_making` rows.
constexpr std::uint64_t affordable_rows = 4'000'000;
constexpr std::uint64_t rows_of_making = 100;

bool has_wide(const manager_entry& manager) {
    return manager.wide.make != nullptr;
}

/// Prepares a cell. 32-bit quanta are faster; 64-bit quanta allow larger capacities. The figures are the same.
cell prepare(const manager_entry& manager, const memory_spec& spec, bool needs_wide) {
    const bool is_wide = needs_wide && has_wide(manager);
    const bool takes_wide = is_wide || manager.narrow.make == nullptr;
    return {.found = {},
            .needs = {},
            .spec = spec,
            .with = takes_wide ? &manager.wide : &manager.narrow,
            .is_wide = is_wide};
}

trace::figures measure(const cell& known, const scenario& scene, bool is_unlimited) {
    return trace::measure(scene.load, *memory_of(known), known.spec.quantum, is_unlimited);
}

cell at_capacity(const manager_entry& manager, const scenario& load, std::uint64_t capacity) {
    memory_spec spec = load.device;
    spec.capacity = capacity;
    cell known = prepare(manager, spec, capacity / spec.quantum > max_narrow_quanta);
    known.found = measure(known, load, false);
    return known;
}

cell prepare_without_limit(const manager_entry& manager, const scenario& load, bool needs_wide) {
    cell known = prepare(manager, {}, needs_wide);
    known.spec = known.with->unlimited(load.device.quantum);
    known.spec.bandwidth = load.device.bandwidth;
    known.spec.host_link = load.device.host_link;
    known.spec.runs_in_flight = load.device.runs_in_flight;
    return known;
}

/// Returns true if a footprint has more than 2^32 - 1 quanta.
bool needs_wide(const trace::figures& figures, const scenario& load) {
    return figures.footprint_bytes.value_or(0) / load.device.quantum > max_narrow_quanta;
}

/// Returns true if holes in unlimited memory might exceed 32-bit quanta.
bool is_large(const scenario& load) {
    return load.min_bytes / load.device.quantum > max_narrow_quanta / 4;
}

cell without_limit(const manager_entry& manager, const scenario& load) {
    const auto replay = [&](bool needs_wide) {
        cell known = prepare_without_limit(manager, load, needs_wide);
        known.found = measure(known, load, true);
        return known;
    };
    cell known = replay(is_large(load));
    if (!known.found.completed && !known.is_wide && has_wide(manager)) return replay(true);
    known.is_wide = known.is_wide || needs_wide(known.found, load);
    return known;
}

/// Returns the largest capacity that is tried.
std::uint64_t max_bytes(const manager_entry& entry, std::uint64_t quantum) {
    const std::uint64_t max_quanta =
        has_wide(entry) ? std::numeric_limits<std::uint64_t>::max() / 2 : max_narrow_quanta;
    return std::min(max_quanta, std::numeric_limits<std::uint64_t>::max() / 2 / quantum) * quantum;
}

std::optional<trace::minimum> find_minimum(const manager_entry& entry, const scenario& subject) {
    memory_spec spec = subject.device;
    const std::uint64_t quantum = spec.quantum;
    const std::uint64_t affordable = affordable_rows / (subject.load.rows.size() + rows_of_making);
    const auto completes = [&](std::uint64_t capacity) {
        spec.capacity = capacity;
        const cell with = prepare(entry, spec, capacity / quantum > max_narrow_quanta);
        return trace::completes(subject.load, *memory_of(with));
    };
    return trace::min_capacity(subject.min_bytes, max_bytes(entry, quantum), quantum, affordable, completes);
}

cell at_minimum(const manager_entry& manager, const scenario& load) {
    const std::optional<trace::minimum> match = find_minimum(manager, load);
    cell known = at_capacity(manager, load, match ? match->bytes : max_bytes(manager, load.device.quantum));
    if (match) {
        known.found.min_capacity_bytes = match->bytes;
        known.found.min_search = match->how;
        known.found.min_larger_fails_bytes = match->larger_fails;
    }
    return known;
}

/// Returns the cell at the minimum capacity, with the footprint in unlimited memory.
cell as_needed(const manager_entry& manager, const scenario& load) {
    cell known = at_minimum(manager, load);
    if (!manager.has_footprint) return known;
    const trace::figures unlimited = without_limit(manager, load).found;
    if (!unlimited.completed) return known;
    known.found.footprint_bytes = unlimited.footprint_bytes;
    known.found.overhead_ratio = unlimited.overhead_ratio;
    return known;
}

}  // namespace

std::unique_ptr<trace::replayed_memory> memory_of(const cell& known) {
    return memory_of(known, *known.with);
}

std::unique_ptr<trace::replayed_memory> memory_of(const cell& known, const driver& with) {
    return with.memory(known.spec);
}

cell evaluate(const manager_entry& manager, const scenario& load) {
    if (load.how == limit::needed) return as_needed(manager, load);
    if (load.how == limit::given) return at_capacity(manager, load, load.device.capacity);
    if (load.how == limit::unlimited && manager.has_footprint) return without_limit(manager, load);
    cell known = at_minimum(manager, load);
    if (load.how == limit::unlimited) {
        known.found.fragmentation_mean.reset();
        known.found.fragmentation_worst.reset();
    }
    return known;
}

std::optional<std::uint64_t> find_need(const manager_entry& entry, const scenario& subject) {
    if (subject.how == limit::unlimited && entry.has_footprint) {
        const trace::figures figures = without_limit(entry, subject).found;
        return figures.completed ? figures.footprint_bytes : std::nullopt;
    }
    const std::optional<trace::minimum> least = find_minimum(entry, subject);
    return least ? std::optional(least->bytes) : std::nullopt;
}

cell known_cell(const manager_entry& manager, const scenario& load, const trace::figures& figures) {
    cell known;
    if (figures.capacity_bytes) {
        memory_spec spec = load.device;
        spec.capacity = *figures.capacity_bytes;
        known = prepare(manager, spec, spec.capacity / spec.quantum > max_narrow_quanta);
    } else {
        known = prepare_without_limit(manager, load, is_large(load) || !figures.completed || needs_wide(figures, load));
    }
    known.found = figures;
    return known;
}

double time_once(const cell& known, const scenario& scene) {
    return trace::time(scene.load, *memory_of(known));
}

}  // namespace hbm::compare
