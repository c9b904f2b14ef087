#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/export/pickle_writer.hpp"
#include "compare/export/viewer_file.hpp"

namespace hbm::compare {

/// Memory snapshot of PyTorch for https://pytorch.org/memory_viz. A cell is a device, with a segment that spans its
/// memory. An entry of its trace is a block that begins, ends or fails; a move is an end and a beginning. The frames of
/// an entry are the tag, the id with the line of the trace, and the manager. The blocks of the segment are those at the
/// end, or at the failure. The allocator settings map devices to managers. Offset 0 of device `n` has the address (n +
/// 1) x 2^42.
class snapshot_file final : public viewer_file {
public:
    explicit snapshot_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

    /// Limit on the cells of a file: viewers identify devices by number, and addresses stay below 2^53.
    static constexpr std::size_t max_cells = 1000;

private:
    /// Block of a segment; a hole has no frames.
    struct last_block {
        std::uint64_t address = 0, size = 0, requested = 0;
        bool is_hole = false;
        pickle_writer::kept frames = 0;
    };
    struct segment {
        std::uint64_t address = 0, size = 0;
        std::vector<last_block> blocks;
    };
    class device_writer;

    void write_segment(const segment& each, std::uint64_t device);

    pickle_writer pickle_;
    std::vector<segment> segments_;   // segments by device
    std::vector<std::string> names_;  // names by device
};

}  // namespace hbm::compare
