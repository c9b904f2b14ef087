#pragma once

namespace hbm::inline v0::pack {

/// External cancellation of a search. The search polls it at most a few milliseconds apart and ends with its best
/// result. By default it is never interrupted, and deterministic.
struct interruption {
    bool (*question)() noexcept = nullptr;  ///< returns true to end the search; null: never

    [[nodiscard]] constexpr bool is_wished() const noexcept { return question != nullptr && question(); }
};

}  // namespace hbm::inline v0::pack
