#include "compare/read/jax/memory_profile.hpp"

namespace hbm::imported {

std::optional<std::uint64_t> profile_sample_bytes(const profile_sample& sample) noexcept {
    if (sample.space < 0 || (sample.space == 0 && sample.kind == "executable")) return std::nullopt;
    return static_cast<std::uint64_t>(sample.space);
}

}  // namespace hbm::imported
