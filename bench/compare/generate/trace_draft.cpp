#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

void join(draft_buffers& all, const draft_buffers& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace hbm::trace
