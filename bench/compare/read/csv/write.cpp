#include "compare/read/csv/write.hpp"

namespace hbm::trace {

std::string to_csv(const workload& made) {
    return csv_writer(made).write();
}

}  // namespace hbm::trace
