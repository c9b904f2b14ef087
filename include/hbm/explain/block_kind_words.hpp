#pragma once

#include <hbm/blocks/block_map.hpp>

#include <string_view>

namespace hbm {

/// Returns `buffer`, `code`, `scratch`, `reservation`, `hole`, or `freed buffer` if the free is not in effect yet.
[[nodiscard]] constexpr std::string_view kind_in_words(block_kind kind) noexcept {
    switch (kind) {
    case block_kind::hole:
        return "hole";
    case block_kind::data:
        return "buffer";
    case block_kind::code:
        return "code";
    case block_kind::scratch:
        return "scratch";
    case block_kind::reservation:
        return "reservation";
    case block_kind::deferred:
        return "freed buffer";
    }
    return "block";
}

}  // namespace hbm
