#include "compare/read/jax/pprof.hpp"

namespace hbm::imported {

outcome<memory_profile> read_pprof(std::string_view text, std::string file) {
    return pprof_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported
