#include "compare/read/xla/assignment/memory_report.hpp"

#include "compare/read/xla/assignment/memory_classes.hpp"

namespace hbm::imported::xla {

outcome<memory_report> read_memory_report(std::string_view text, std::string file) {
    return memory_report_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported::xla
