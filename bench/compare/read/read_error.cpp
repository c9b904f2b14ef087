#include "compare/read/read_error.hpp"

namespace hbm::trace {}  // namespace hbm::trace
