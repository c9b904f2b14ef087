#include "compare/generate/transformer_training.hpp"

namespace hbm::trace {

void write_transformer_training(const settings& given, trace_draft& draft) {
    transformer_training_writer(given, draft).write();
}

}  // namespace hbm::trace
