#pragma once
// An embedding pipeline: tables fill the device step by step, and then a very large program does not fit any more. The
// figures at the end are those of a public error report of a v6e: 29.49G requested at the bottom, 147.64M free.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `embedding_pipeline`.
inline constexpr std::array embedding_pipeline_parameters{
    parameter{"capacity", 32000 * mib, 2 * gib, 1ULL << 42U, "bytes of the device that is to be filled", true},
    parameter{"free", 154'811'904, 0, gib, "bytes free when the large program arrives", true},
    parameter{"ask", 31'664'646'656, 0, 1ULL << 42U, "scratch of the large program", true},
    parameter{"code", 96 * mib, 0, 1ULL << 42U, "code of the large program", true},
    parameter{"phases", 4, 1, 1000, "times that tables are added"},
    parameter{"steps", 200, 0, 100'000, "pipeline steps a phase"},
    parameter{"late", 1, 0, 1, "1: the large program arrives; 0: it does not"},
};

/// Writes the pipeline: about 7 rows per step.
void write_embedding_pipeline(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
