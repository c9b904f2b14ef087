#include "compare/generate/llm_serving.hpp"

namespace hbm::trace {

void write_llm_serving(const settings& given, trace_draft& draft) {
    llm_serving_writer(given, draft).write();
}

}  // namespace hbm::trace
