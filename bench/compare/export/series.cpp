#include <string>
#include <utility>
#include <vector>

#include "compare/export/recorded_cell.hpp"
#include "compare/export/viewer_file.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

namespace {

/// Returns the cells of a row after those that name the series.
std::string row_text(const recorded_cell& of, std::size_t row, std::uint64_t moves, std::uint64_t evictions) {
    const trace::recorded_reading& now = of.what.readings[row];
    const auto number = [](std::uint64_t value) { return ',' + std::to_string(value); };
    std::string text = std::to_string(row) + (of.is_timed() ? number(of.time(row)) : ",") + number(now.used);
    text += of.is_limited() ? number(now.free) + number(now.largest_free) : ",,";
    text += number(now.highest_end) + ',';
    if (of.is_limited()) text += six_decimals(fragmentation_of(now));
    return text + number(moves) + number(evictions) + '\n';
}

/// Memory after each row as CSV, for each workload and manager: `workload,manager,capacity_bytes,quantum_bytes,row,t,
/// used,free,largest_free,highest_end,fragmentation,moves,evictions`. Bytes; moves and evictions are those so far. `t`
/// is empty if the trace has no times; capacity, free, largest_free and fragmentation are empty without a limit. With
/// several capacities `capacity_asked` follows `quantum_bytes`.
class series_file final : public viewer_file {
public:
    using viewer_file::viewer_file;
    void add(const recorded_cell& each) override;
    void finish() override;

private:
    void begin(bool has_several_capacities);

    bool has_begun_ = false;
};

void series_file::begin(bool has_several_capacities) {
    if (std::exchange(has_begun_, true)) return;
    out().add("workload,manager,capacity_bytes,quantum_bytes");
    if (has_several_capacities) out().add(",capacity_asked");
    out().add(",row,t,used,free,largest_free,highest_end,fragmentation,moves,evictions\n");
}

void series_file::finish() {
    begin(false);
    out().finish();
}

void series_file::add(const recorded_cell& each) {
    begin(each.in->at.has_several_capacities);
    for (const std::string_view manager : each.managers) {
        std::string name;
        add_cell(name, each.in->load.name);
        add_cell(name += ',', manager);
        name += ',';
        if (each.is_limited()) name += std::to_string(each.what.capacity);
        name += ',' + std::to_string(each.of->spec.quantum) + ',';
        if (each.in->at.has_several_capacities) {
            add_cell(name, each.in->at.capacity.text);
            name += ',';
        }
        std::uint64_t moves = 0;
        std::uint64_t evictions = 0;
        auto relief = each.what.reliefs.begin();
        for (std::size_t row = 0; row < each.rows(); ++row) {
            for (; relief != each.what.reliefs.end() && relief->row == row; ++relief) {
                moves += relief->kind == trace::relief_kind::moved ? 1U : 0U;
                evictions += relief->kind == trace::relief_kind::evicted ? 1U : 0U;
            }
            out().add(name);
            out().add(row_text(each, row, moves, evictions));
        }
    }
}

}  // namespace

std::unique_ptr<viewer_file> make_series_file(destination& to) {
    return std::make_unique<series_file>(to);
}

}  // namespace hbm::compare
