#pragma once

#include <cstdint>

#include "compare/export/viewer_file.hpp"

namespace hbm::compare {

/// Trace events in JSON for https://ui.perfetto.dev and chrome://tracing. A cell is a process, with
/// - counters: live and free bytes, the largest free block, the fragmentation. They are written when they change.
///   Without a limit there are only the live bytes and the highest end;
/// - a slice for each block, asynchronous, because blocks overlap. Its name is the tag, or else the purpose of the
///   block, so that equals share a track. Its arguments are id, tag, bytes and offset;
/// - instants: `moved`, `evicted`, `reloaded`, and `failed` with the runtime's message.
/// Times are microseconds of the trace, or else rows.
class perfetto_file final : public viewer_file {
public:
    explicit perfetto_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

private:
    std::uint64_t processes_ = 0;
    std::uint64_t slices_ = 0;  // number of slices of all processes: their ids must differ
};

}  // namespace hbm::compare
