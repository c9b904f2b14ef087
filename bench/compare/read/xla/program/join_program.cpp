#include "compare/read/xla/program/join_program.hpp"

#include "compare/read/xla/index_text.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

outcome<imported_program> join_program(const program_files& from) {
    return program_joiner(from).join();
}

}  // namespace hbm::imported::xla
