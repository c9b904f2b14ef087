#include "compare/read/message/read.hpp"

namespace hbm::imported {

outcome<found_messages> read_messages(std::string_view file, std::string_view text) {
    return reader(file, text).read();
}

}  // namespace hbm::imported
