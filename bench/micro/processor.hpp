#pragma once

/// The processor and the compiler, in words.

#include <string>

namespace hbm::micro {

/// Name, family and model of the processor, the sizes of its caches, and the compiler that built this program, as far
/// as the system says: figures of different machines had better not be compared.
[[nodiscard]] std::string machine();

}  // namespace hbm::micro
