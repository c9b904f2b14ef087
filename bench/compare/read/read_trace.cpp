#include "compare/read/read_trace.hpp"

#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/pprof.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/reading.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"

namespace hbm::imported {

trace::read_result read_trace_text(std::string_view text, std::string name, std::string_view device) {
    // The grammars of traces begin with printable characters, which saves a look through a long text.
    const bool may_be_binary = text.starts_with('\x80') || text.starts_with('\x0a');
    switch (may_be_binary ? recognise(text) : file_kind::unknown) {
    case file_kind::profile: {
        const outcome<memory_profile> profile = read_pprof(text, name);
        if (!profile) return profile.error();
        return trace_of(*profile, std::move(name), device);
    }
    case file_kind::snapshot: {
        const outcome<memory_snapshot> snapshot = read_snapshot(text, name);
        if (!snapshot) return snapshot.error();
        return trace_of(*snapshot, name, device);
    }
    default:
        return trace::read_text(text, std::move(name));
    }
}

trace::read_result read_trace(const std::string& path, trace::decompressor* unpack, std::string_view device) {
    std::string text;
    trace::read_error error;
    if (!trace::read_unpacked(path, unpack, text, error)) return error;
    return read_trace_text(text, path, device);
}

}  // namespace hbm::imported
