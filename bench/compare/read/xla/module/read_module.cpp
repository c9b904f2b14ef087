#include "compare/read/xla/module/read_module.hpp"

namespace hbm::imported::xla {

outcome<hlo_module> read_module(std::string_view text, const std::string& file) {
    return module_reader(text, file).read();
}

}  // namespace hbm::imported::xla
