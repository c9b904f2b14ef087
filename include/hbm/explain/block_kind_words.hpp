#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/explain/texts.hpp>

#include <string_view>

namespace hbm::inline v0 {

/// Returns `buffer`, `code`, `scratch`, `reservation`, `hole`, `freed buffer` if the free is not in effect yet, or
/// `target of a move`.
[[nodiscard]] constexpr std::string_view kind_in_words(block_kind kind) noexcept {
    switch (kind) {
    case block_kind::hole: return detail::texts::hole;
    case block_kind::data: return detail::texts::buffer;
    case block_kind::code: return detail::texts::code;
    case block_kind::scratch: return detail::texts::scratch;
    case block_kind::reservation: return detail::texts::reservation;
    case block_kind::deferred: return detail::texts::waiting_buffer;
    case block_kind::arriving: return detail::texts::arriving_block;
    }
    return "block";
}

}  // namespace hbm::inline v0
