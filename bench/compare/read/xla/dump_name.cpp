#include "compare/read/xla/dump_name.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace hbm::imported::xla {

namespace {

/// Returns the stem without the platform.
std::string_view without_platform(std::string_view stem) noexcept {
    if (!stem.ends_with("cpu_") && !stem.ends_with("gpu_")) return stem;
    stem.remove_suffix(4);
    const std::size_t version = stem.rfind(".sm_");
    if (version == std::string_view::npos || !stem.ends_with('_')) return stem;
    if (stem.find_first_not_of("0123456789.", version + 4) != stem.size() - 1) return stem;
    return stem.substr(0, version + 1);
}

}  // namespace

std::optional<dump_name> read_dump_name(std::string_view name) noexcept {
    constexpr std::array<std::pair<std::string_view, dump_part>, 7> ends{{
        {"after_optimizations-buffer-assignment.txt", dump_part::assignment},
        {"after_optimizations-memory-usage-report.txt", dump_part::report},
        {"after_optimizations.txt", dump_part::optimized},
        {"after_optimizations_after_buffer_assignment.txt", dump_part::optimized},
        {"after_optimizations_before_buffer_assignment.txt", dump_part::before_assignment},
        {"hlo_module_config.txt", dump_part::config},
        {"before_optimizations.txt", dump_part::unoptimized},
    }};
    if (name.ends_with(".gz")) name.remove_suffix(3);
    for (const auto& [end, part] : ends) {
        if (!name.ends_with(end)) continue;
        const std::string_view stem = without_platform(name.substr(0, name.size() - end.size()));
        return stem.empty() ? std::nullopt : std::optional(dump_name{stem, part});
    }
    return std::nullopt;
}

std::string_view program_name(std::string_view stem) noexcept {
    if (stem.starts_with("module_"))
        stem.remove_prefix(stem.find('.') == std::string_view::npos ? 0 : stem.find('.') + 1);
    if (const std::size_t build = stem.rfind(".cl_"); build != std::string_view::npos) stem = stem.substr(0, build);
    while (stem.ends_with('.')) stem.remove_suffix(1);
    return stem;
}

}  // namespace hbm::imported::xla
