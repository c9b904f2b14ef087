#pragma once

#include "compare/replay/figures.hpp"
#include "compare/replay/recorded.hpp"

namespace hbm::compare {

/// `(free - largest free) / free`; 0 if nothing is free.
[[nodiscard]] constexpr trace::fraction fragmentation_of(const trace::recorded_reading& now) noexcept {
    return now.free == 0 ? trace::fraction{} : trace::fraction::of(now.free - now.largest_free, now.free);
}

}  // namespace hbm::compare
