#pragma once
// How an array of an HLO module is divided among devices: sharding={devices=[4,1]<=[4]}.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

/// One device's share of an array of this shape, which the text of a sharding divides, such as `{replicated}` or
/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`. The layout stays; lengths are rounded up. Empty if the sharding is
/// of another form or does not fit the shape. O(length of the text).
[[nodiscard]] std::optional<array_shape> share_of(const array_shape& whole, std::string_view sharding);

/// The shardings of `count` arrays, as the text of a sharding lists them: `{{replicated}, {devices=[4]<=[4]}}`; or the
/// single one of a single array. Empty if the number differs. O(length of the text).
[[nodiscard]] std::vector<std::string_view> shardings_in(std::string_view text, std::size_t count);

}  // namespace hbm::imported::xla
