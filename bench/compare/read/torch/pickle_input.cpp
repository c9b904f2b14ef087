#include "compare/read/torch/pickle_input.hpp"

#include <bit>

namespace hbm::imported {

bool pickle_input::begins_pickle() const noexcept {
    return text_.size() > 1 && text_[0] == '\x80' && text_[1] >= 2 && text_[1] <= 5;
}

bool pickle_input::skip(std::size_t size) noexcept {
    if (text_.size() - at_ < size) return false;
    at_ += size;
    return true;
}

bool pickle_input::number(std::size_t size, std::uint64_t& value) noexcept {
    if (text_.size() - at_ < size) return false;
    value = 0;
    for (std::size_t byte = 0; byte < size; ++byte) value |= std::uint64_t{byte_at(at_ + byte)} << (8 * byte);
    at_ += size;
    return true;
}

bool pickle_input::real(double& value) noexcept {
    if (text_.size() - at_ < 8) return false;
    std::uint64_t bits = 0;
    for (int byte = 0; byte < 8; ++byte) bits = bits << 8U | byte_at(at_++);
    value = std::bit_cast<double>(bits);
    return true;
}

}  // namespace hbm::imported
