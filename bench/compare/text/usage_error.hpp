#pragma once
/// The error for wrong usage and for input that cannot be read.

#include <stdexcept>

namespace hbm::compare {

/// Says what was found and what was expected. `compare_main` prints it and ends with status 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace hbm::compare
