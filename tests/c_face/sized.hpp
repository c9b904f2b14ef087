#pragma once

namespace hbm::test {

/// Returns an empty struct of the C interface that begins with its size.
template <class T>
[[nodiscard]] T sized() {
    T made{};
    made.struct_size = sizeof made;
    return made;
}

}  // namespace hbm::test
