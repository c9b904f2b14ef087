#include "compare/generate/embedding_pipeline.hpp"

#include <string_view>
#include <utility>

namespace hbm::trace {

void write_embedding_pipeline(const settings& given, trace_draft& draft) {
    embedding_pipeline_writer(given, draft).write();
}

}  // namespace hbm::trace
