// Memory snapshots of PyTorch, and pickles of anything else.
#include <cstddef>
#include <cstdint>

#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    if (const auto snapshot = imported::read_snapshot(text, "x"); snapshot) {
        for (const std::string_view device : {"", "1"}) {
            test::expect_trace(imported::trace_of(*snapshot, "x", device));
            test::expect_trace(imported::layout_of(*snapshot, "x", device));
        }
    }
    test::expect_description(imported::describe_snapshot(text, "x"));
    return 0;
}
