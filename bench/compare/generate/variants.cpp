#include "compare/generate/variants.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "compare/generate/random_source.hpp"

namespace hbm::trace {

namespace {

constexpr std::uint64_t rows_for_an_exchange = 50;
constexpr std::size_t max_distance = 64;  // of two rows that exchange buffers

void round_sizes(workload& load, std::vector<row>& rows, std::uint64_t unit) {
    const auto round = [&](std::uint64_t& bytes) {
        if (bytes <= ~std::uint64_t{0} - unit) bytes = (bytes + unit - 1) / unit * unit;
    };
    for (row& next : rows)
        if (next.what == op::alloc || (next.what == op::free && next.bytes != unspecified)) round(next.bytes);
    for (sized_id& output : load.outputs) round(output.bytes);
}

bool is_of_buffer(const row& entry) {
    return entry.what == op::alloc || entry.what == op::free;
}

/// Finds an allocation after `first` that may exchange buffers with it: of equal size, in the same step, and neither
/// buffer occurs in between. Returns `first` if there is none.
std::size_t find_equal(const std::vector<row>& rows, std::size_t first) {
    const row& from = rows[first];
    const std::size_t end = std::min(rows.size(), first + max_distance);
    for (std::size_t at = first + 1; at < end; ++at) {
        const row& other = rows[at];
        if (!is_of_buffer(other) || other.subject == from.subject) return first;
        if (other.what != op::alloc || other.bytes != from.bytes) continue;
        const bool is_between = std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                            rows.begin() + static_cast<std::ptrdiff_t>(at),
                                            [&](const row& row) { return row.subject == other.subject; });
        return is_between ? first : at;
    }
    return first;
}

}  // namespace

workload variant_of(const workload& original, std::uint64_t number) {
    workload load = original;
    if (number == 0) return load;
    std::vector<row> rows(load.rows.begin(), load.rows.end());
    constexpr std::array<std::uint64_t, 3> units{1, 2048, 8192};
    if (const std::uint64_t unit = units[number % units.size()]; unit != 1) round_sizes(load, rows, unit);
    random_source random(number);
    for (std::size_t at = 0; at + 1 < rows.size(); ++at) {
        row& here = rows[at];
        row& next = rows[at + 1];
        if (is_of_buffer(here) && is_of_buffer(next) && here.subject != next.subject &&
            random.one_in(rows_for_an_exchange))
            std::swap(here, next);
        if (here.what != op::alloc || !random.one_in(rows_for_an_exchange)) continue;
        row& other = rows[find_equal(rows, at)];
        std::swap(here.subject, other.subject);
        std::swap(here.tag, other.tag);
    }
    load.rows = rows;
    return load;
}

}  // namespace hbm::trace
