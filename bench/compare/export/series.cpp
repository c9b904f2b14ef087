#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/export/recorded_cell.hpp"
#include "compare/export/viewers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/show/records.hpp"

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
    return text + number(moves) + number(evictions);
}

/// Memory after each row as CSV, for each workload and manager. Bytes; moves and evictions are those so far. `t` is
/// empty if the trace has no times; capacity, free, largest_free and fragmentation are empty without a limit.
class series_file final : public viewer_file {
public:
    series_file() {
        write("workload,manager,capacity_bytes,quantum_bytes,row,t,used,free,largest_free,highest_end,fragmentation,"
              "moves,evictions,capacity_asked\n");
    }

    void add(const recorded_cell& each) override {
        for (const std::string_view manager : each.managers) add(each, manager);
    }

private:
    void add(const recorded_cell& each, std::string_view manager) {
        std::string name;
        add_cell(name, each.in->load.name);
        add_cell(name += ',', manager);
        name += ',';
        if (each.is_limited()) name += std::to_string(each.what.capacity);
        name += ',' + std::to_string(each.of->spec.quantum) + ',';
        std::string asked = ",";
        add_cell(asked, each.in->at.capacity.text);
        std::uint64_t moves = 0;
        std::uint64_t evictions = 0;
        auto relief = each.what.reliefs.begin();
        for (std::size_t row = 0; row < each.rows(); ++row) {
            for (; relief != each.what.reliefs.end() && relief->row == row; ++relief) {
                moves += relief->kind == trace::relief_kind::moved ? 1U : 0U;
                evictions += relief->kind == trace::relief_kind::evicted ? 1U : 0U;
            }
            write(name + row_text(each, row, moves, evictions) + asked + '\n');
        }
    }
    void end() override {}
};

}  // namespace

std::unique_ptr<viewer_file> make_series_file() {
    return std::make_unique<series_file>();
}

}  // namespace hbm::compare
