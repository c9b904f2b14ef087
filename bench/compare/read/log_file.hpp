#pragma once

/// The text of a log, from a file or stdin.

#include <cstddef>
#include <string>

#include "compare/read/read_error.hpp"

namespace hbm::compare {

/// Limit on the size of a log, unpacked: users must cut the relevant part out of a larger one.
inline constexpr std::size_t max_log_bytes = std::size_t{64} << 20;

/// Reads the file at `path`, `-` being stdin, and unpacks it if it is gzip. Fails if it cannot be read, if it is larger
/// than `max_log_bytes` or if it is text in UTF-16.
[[nodiscard]] imported::reading<std::string> read_log(const std::string& path);

}  // namespace hbm::compare
