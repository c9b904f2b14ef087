#pragma once

// Generated workloads for tests, and what is in memory during them.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::trace {

inline std::string error_of(std::string_view spec) {
    try {
        static_cast<void>(generate(spec, 1));
    } catch (const compare::usage_error& error) {
        return error.what();
    }
    return {};
}

inline workload generate_right(std::string_view spec, std::uint64_t seed = 1) {
    return generate(spec, seed);
}

/// Live bytes of buffers after every row, counted from scratch.
struct usage {
    std::uint64_t peak = 0;
    std::uint64_t end = 0;
};

inline usage buffers_of(const workload& result) {
    std::vector<std::uint64_t> sizes(result.ids.size());
    usage found;
    const auto set = [&](id which, std::uint64_t bytes) {
        found.end += bytes;
        found.end -= sizes[which];
        sizes[which] = bytes;
    };
    const auto granted = [](std::uint64_t bytes) { return bytes == 0 ? 512 : (bytes + 511) / 512 * 512; };
    for (const row& each : result.rows) {
        if (each.what == op::alloc) set(each.subject, granted(each.bytes));
        if (each.what == op::free) set(each.subject, 0);
        if (each.what == op::run) {
            const trace::detail& more = result.details[each.detail];
            for (std::uint32_t at = 0; at < more.donated.count; ++at) set(result.operands[more.donated.first + at], 0);
            for (std::uint32_t at = 0; at < more.outputs.count; ++at) {
                const sized_id& output = result.outputs[more.outputs.first + at];
                set(output.name, granted(output.bytes));
            }
        }
        found.peak = found.end > found.peak ? found.end : found.peak;
    }
    return found;
}

}  // namespace hbm::trace
