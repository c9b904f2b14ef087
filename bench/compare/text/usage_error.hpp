#pragma once
/// The errors that end the program; `compare_main` prints what they say.

#include <stdexcept>

namespace hbm::compare {

/// Wrong usage, or input that cannot be read: what was found and what was expected. The program ends with status 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A failure of the run itself, such as a full disk. The program ends with status 1.
class run_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace hbm::compare
