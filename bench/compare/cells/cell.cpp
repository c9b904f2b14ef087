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

bool has_wide(const manager_entry& each) {
    return each.wide.make != nullptr;
}

/// Prepares a cell. 32-bit quanta are faster; 64-bit quanta allow larger capacities. The figures are the same.
cell prepare(const manager_entry& each, const memory_spec& spec, bool needs_wide) {
    const bool is_wide = needs_wide && has_wide(each);
    const bool takes_wide = is_wide || each.narrow.make == nullptr;
    return {.found = {}, .needs = {}, .spec = spec, .with = takes_wide ? &each.wide : &each.narrow, .is_wide = is_wide};
}

trace::figures measure(const cell& of, const scenario& in, bool is_unlimited) {
    return trace::measure(in.load, *memory_of(of), of.spec.quantum, is_unlimited);
}

cell at_capacity(const manager_entry& each, const scenario& in, std::uint64_t capacity) {
    memory_spec spec = in.device;
    spec.capacity = capacity;
    cell made = prepare(each, spec, capacity / spec.quantum > max_narrow_quanta);
    made.found = measure(made, in, false);
    return made;
}

cell prepare_without_limit(const manager_entry& each, const scenario& in, bool needs_wide) {
    cell made = prepare(each, {}, needs_wide);
    made.spec = made.with->unlimited(in.device.quantum);
    made.spec.bandwidth = in.device.bandwidth;
    made.spec.host_link = in.device.host_link;
    made.spec.runs_in_flight = in.device.runs_in_flight;
    return made;
}

/// Returns true if a footprint has more than 2^32 - 1 quanta.
bool needs_wide(const trace::figures& found, const scenario& in) {
    return found.footprint_bytes.value_or(0) / in.device.quantum > max_narrow_quanta;
}

/// Returns true if holes in unlimited memory might exceed 32-bit quanta.
bool is_large(const scenario& in) {
    return in.min_bytes / in.device.quantum > max_narrow_quanta / 4;
}

cell without_limit(const manager_entry& each, const scenario& in) {
    const auto replay = [&](bool needs_wide) {
        cell made = prepare_without_limit(each, in, needs_wide);
        made.found = measure(made, in, true);
        return made;
    };
    cell made = replay(is_large(in));
    if (!made.found.completed && !made.is_wide && has_wide(each)) return replay(true);
    made.is_wide = made.is_wide || needs_wide(made.found, in);
    return made;
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

cell at_minimum(const manager_entry& each, const scenario& in) {
    const std::optional<trace::minimum> found = find_minimum(each, in);
    cell made = at_capacity(each, in, found ? found->bytes : max_bytes(each, in.device.quantum));
    if (found) {
        made.found.min_capacity_bytes = found->bytes;
        made.found.min_search = found->how;
        made.found.min_larger_fails_bytes = found->larger_fails;
    }
    return made;
}

/// Returns the cell at the minimum capacity, with the footprint in unlimited memory.
cell as_needed(const manager_entry& each, const scenario& in) {
    cell made = at_minimum(each, in);
    if (!each.has_footprint) return made;
    const trace::figures unlimited = without_limit(each, in).found;
    if (!unlimited.completed) return made;
    made.found.footprint_bytes = unlimited.footprint_bytes;
    made.found.overhead_ratio = unlimited.overhead_ratio;
    return made;
}

}  // namespace

std::unique_ptr<trace::replayed_memory> memory_of(const cell& of) {
    return memory_of(of, *of.with);
}

std::unique_ptr<trace::replayed_memory> memory_of(const cell& of, const driver& with) {
    return with.memory(of.spec);
}

cell evaluate(const manager_entry& each, const scenario& in) {
    if (in.how == limit::needed) return as_needed(each, in);
    if (in.how == limit::given) return at_capacity(each, in, in.device.capacity);
    if (in.how == limit::unlimited && each.has_footprint) return without_limit(each, in);
    cell made = at_minimum(each, in);
    if (in.how == limit::unlimited) {
        made.found.fragmentation_mean.reset();
        made.found.fragmentation_worst.reset();
    }
    return made;
}

std::optional<std::uint64_t> find_need(const manager_entry& entry, const scenario& subject) {
    if (subject.how == limit::unlimited && entry.has_footprint) {
        const trace::figures figures = without_limit(entry, subject).found;
        return figures.completed ? figures.footprint_bytes : std::nullopt;
    }
    const std::optional<trace::minimum> least = find_minimum(entry, subject);
    return least ? std::optional(least->bytes) : std::nullopt;
}

cell known_cell(const manager_entry& each, const scenario& in, const trace::figures& found) {
    cell made;
    if (found.capacity_bytes) {
        memory_spec spec = in.device;
        spec.capacity = *found.capacity_bytes;
        made = prepare(each, spec, spec.capacity / spec.quantum > max_narrow_quanta);
    } else {
        made = prepare_without_limit(each, in, is_large(in) || !found.completed || needs_wide(found, in));
    }
    made.found = found;
    return made;
}

double time_once(const cell& of, const scenario& in) {
    return trace::time(in.load, *memory_of(of));
}

}  // namespace hbm::compare
