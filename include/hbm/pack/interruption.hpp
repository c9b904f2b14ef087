#pragma once

/// A wish to end a search early, from outside it.

namespace hbm::pack {

/// What a search asks now and then, at most some milliseconds apart: a search that is interrupted ends with the best
/// that it has found. Without a question it is never interrupted, and deterministic.
struct interruption {
    bool (*question)() noexcept = nullptr;  ///< is there a wish to end? Null: never

    [[nodiscard]] constexpr bool is_wished() const noexcept { return question != nullptr && question(); }
};

}  // namespace hbm::pack
