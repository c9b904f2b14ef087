#pragma once

#include <cstddef>
#include <string_view>

namespace hbm::compare {

/// Whether `pattern` matches all of `text`: `*` matches any characters, including `/`, `?` any single character, and
/// other characters themselves. O(product of the lengths) at worst.
[[nodiscard]] constexpr bool glob_matches(std::string_view pattern, std::string_view text) noexcept {
    std::size_t at = 0;
    std::size_t star = std::string_view::npos;  // the latest star, and the end of what it matches so far
    std::size_t run_end = 0;
    for (std::size_t here = 0; here < text.size();) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            run_end = here;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[here])) {
            ++at;
            ++here;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            here = ++run_end;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

}  // namespace hbm::compare
