#pragma once
// Reads whatever can be replayed: a trace in any grammar, a device memory profile of JAX or a memory snapshot of
// PyTorch.

#include <hbm/imported/file_kind.hpp>
#include <hbm/imported/pprof.hpp>
#include <hbm/imported/profile_trace.hpp>
#include <hbm/imported/snapshot.hpp>
#include <hbm/imported/snapshot_trace.hpp>
#include <hbm/trace/read.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported {

/// Reads a trace of unpacked bytes, whose kind their content tells (see `recognise`). `device` is for files that know
/// of several devices: the name or number of one, or empty for the first. `name` appears in messages and becomes the
/// workload's name.
[[nodiscard]] inline trace::read_result read_trace_text(std::string_view text, std::string name,
                                                        std::string_view device = {}) {
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

/// Reads a trace file; see `read_trace_text`. A gzip file is recognised by its first bytes and needs a decompressor.
[[nodiscard]] inline trace::read_result read_trace(const std::string& path, trace::decompressor* unpack = nullptr,
                                                   std::string_view device = {}) {
    std::string text;
    trace::read_error error;
    if (!trace::read_unpacked(path, unpack, text, error)) return error;
    return read_trace_text(text, path, device);
}

}  // namespace hbm::imported
