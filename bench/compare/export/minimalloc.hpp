#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "compare/export/viewer_file.hpp"

namespace hbm::compare {

/// A problem and a solution in the format of MiniMalloc, `id,lower,upper,size,offset`: each block in each of its
/// places, from the row that put it there to the row that ended it (half-open). So a block that moved has several
/// lines, and the offsets are a solution whatever happened. Ids are those of the trace; what a cell may not hold
/// becomes `_`, and an id that stands already gets a number. The file has room for a single cell.
class minimalloc_file final : public viewer_file {
public:
    explicit minimalloc_file(destination& to) : viewer_file(to) {}
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override { return out().finish(); }

private:
    [[nodiscard]] std::string new_id(const recorded_cell& of, const trace::recorded_block& block);

    std::set<std::string> ids_;
    std::map<std::string, std::uint64_t> used_;  // how often an id was wanted
};

}  // namespace hbm::compare
