#pragma once

namespace hbm::test {

/// Returns an empty struct of the C interface that begins with its size.
template <class T>
[[nodiscard]] T sized() {
    T result{};
    result.struct_size = sizeof result;
    return result;
}

}  // namespace hbm::test
