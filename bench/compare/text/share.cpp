#include "compare/text/share.hpp"

namespace hbm::compare {

std::string share_in_words(std::uint64_t thousandths) {
    std::string digits = std::to_string(thousandths % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    return std::to_string(thousandths / 1000) + "." + digits;
}

}  // namespace hbm::compare
