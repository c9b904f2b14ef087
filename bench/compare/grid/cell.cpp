#include "compare/grid/cell.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"

namespace hbm::compare {

namespace {

/// Limit on the rows that a search may replay to try every capacity instead of bisection: about a second. Constructing
/// a memory counts as `rows_of_making` rows.
constexpr std::uint64_t affordable_rows = 4'000'000;
constexpr std::uint64_t rows_of_making = 100;

trace::figures measure(const cell& known, const scenario& scene, bool is_unlimited) {
    return trace::measure(scene.load, *memory_of(known), known.spec.quantum, is_unlimited);
}

cell at_capacity(const manager_entry& manager, const scenario& load, std::uint64_t capacity) {
    cell known{.found = {}, .spec = load.device, .with = &manager};
    known.spec.capacity = capacity;
    known.found = measure(known, load, false);
    return known;
}

cell without_limit(const manager_entry& manager, const scenario& load) {
    cell known{.found = {}, .spec = manager.unlimited(load.device.quantum), .with = &manager};
    known.spec.bandwidth = load.device.bandwidth;
    known.spec.host_link = load.device.host_link;
    known.spec.runs_in_flight = load.device.runs_in_flight;
    known.found = measure(known, load, true);
    return known;
}

/// Returns the largest capacity that is tried.
std::uint64_t max_bytes(const manager_entry& entry, std::uint64_t quantum) {
    return std::min(entry.max_quanta, std::numeric_limits<std::uint64_t>::max() / 2 / quantum) * quantum;
}

std::optional<trace::minimum> find_minimum(const manager_entry& entry, const scenario& subject) {
    memory_spec spec = subject.device;
    const std::uint64_t affordable = affordable_rows / (subject.load.rows.size() + rows_of_making);
    const auto completes = [&](std::uint64_t capacity) {
        spec.capacity = capacity;
        return trace::completes(subject.load, *entry.memory(spec));
    };
    return trace::min_capacity(subject.min_bytes, max_bytes(entry, spec.quantum), spec.quantum, affordable, completes);
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
    return known.with->memory(known.spec);
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

}  // namespace hbm::compare
