#include "compare/generate/sharded_training.hpp"

namespace hbm::trace {

void write_sharded_training(const settings& given, trace_draft& draft) {
    sharded_training_writer(given, draft).write();
}

}  // namespace hbm::trace
