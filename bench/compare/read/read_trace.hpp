#pragma once
// Reads whatever can be replayed: a trace in any grammar, a device memory profile of JAX or a memory snapshot of
// PyTorch.

#include <string>
#include <string_view>

#include "compare/read/csv/read.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Reads a trace of unpacked bytes, whose kind their content tells (see `recognise`). `device` is for files that know
/// of several devices: the name or number of one, or empty for the first. `name` appears in messages and becomes the
/// workload's name.
[[nodiscard]] trace::read_result read_trace_text(std::string_view text, std::string name, std::string_view device = {});

/// Reads a trace file; see `read_trace_text`. A gzip file is recognised by its first bytes and needs a decompressor.
[[nodiscard]] trace::read_result read_trace(const std::string& path, trace::decompressor* unpack = nullptr,
                                            std::string_view device = {});

}  // namespace hbm::imported
