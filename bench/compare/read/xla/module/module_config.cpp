#include "compare/read/xla/module/module_config.hpp"

namespace hbm::imported::xla {

outcome<module_config> read_module_config(std::string_view text, std::string file) {
    return module_config_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported::xla
