#include "compare/read/xla/assignment/read_assignment.hpp"

namespace hbm::imported::xla {

outcome<assignment> read_assignment(std::string_view text, std::string file) {
    return assignment_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported::xla
