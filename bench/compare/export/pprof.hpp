#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/export/message_writer.hpp"
#include "compare/export/viewer_file.hpp"

namespace hbm::compare {

/// Heap profile of pprof, not compressed, for `go tool pprof`, with the sample types and labels of JAX's device memory
/// profile. A sample is a block: its frames are the id with the line of the trace, the tag, and the cell, which is also
/// the label `device`. The label `kind` is buffer, executable, scratch or reservation. It has four values.
/// `allocations` and `space` are those at the row after which most memory was in use (the first of them).
/// `end_allocations` and `end_space` are those at the end or the failure. Bytes are those that a block occupies.
class pprof_file final : public viewer_file {
public:
    explicit pprof_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

private:
    using counts = std::array<std::uint64_t, 4>;

    [[nodiscard]] std::uint64_t text(std::string_view words);
    [[nodiscard]] std::uint64_t location(std::string_view name, std::string_view file, std::uint64_t line);
    void add_sample(const recorded_cell& cell, const trace::recorded_block& block, const counts& values);

    std::map<std::string, std::uint64_t> texts_;
    std::vector<const std::string*> text_order_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions_;  // ids by name and file
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> locations_;  // ids by function and line
    std::vector<std::uint64_t> comments_;
};

}  // namespace hbm::compare
