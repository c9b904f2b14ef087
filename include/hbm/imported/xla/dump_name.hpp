#pragma once
// The names of files in an XLA dump: module_NNNN.MODULE[.TAG]STAGE[-WHAT].txt (xla/service/dump.cc).
//
// TAG is the platform, `cpu_` or `sm_8.0_gpu_`, or `cl_<number>.` on a TPU. Files of one program share all before
// STAGE, except that some stages leave the platform out.

#include <hbm/core/language.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace hbm::imported::xla {

/// What a file of a dump holds, the most telling first.
enum class dump_part : std::uint8_t { assignment, report, optimized, before_assignment, config, unoptimized };

/// A name of a file taken apart.
struct dump_name {
    std::string_view stem;  ///< what the files of a program share
    dump_part part = dump_part::optimized;
};

namespace dump_name_detail {

/// The stem without the platform.
inline std::string_view without_platform(std::string_view stem) noexcept {
    if (!stem.ends_with("cpu_") && !stem.ends_with("gpu_")) return stem;
    stem.remove_suffix(4);
    const std::size_t version = stem.rfind(".sm_");
    if (version == std::string_view::npos || !stem.ends_with('_')) return stem;
    if (stem.find_first_not_of("0123456789.", version + 4) != stem.size() - 1) return stem;
    return stem.substr(0, version + 1);
}

}  // namespace dump_name_detail

/// Takes the name of a file apart, without its folder. Empty if it is not the name of a file that is read. O(length).
[[nodiscard]] inline std::optional<dump_name> read_dump_name(std::string_view name) noexcept {
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
        const std::string_view stem = dump_name_detail::without_platform(name.substr(0, name.size() - end.size()));
        return stem.empty() ? std::nullopt : std::optional(dump_name{stem, part});
    }
    return std::nullopt;
}

/// The name of the program in a stem: `jit_step` in `module_0023.jit_step.cl_804429027.`. O(length).
[[nodiscard]] inline std::string_view program_name(std::string_view stem) noexcept {
    if (stem.starts_with("module_"))
        stem.remove_prefix(stem.find('.') == std::string_view::npos ? 0 : stem.find('.') + 1);
    if (const std::size_t build = stem.rfind(".cl_"); build != std::string_view::npos) stem = stem.substr(0, build);
    while (stem.ends_with('.')) stem.remove_suffix(1);
    return stem;
}

}  // namespace hbm::imported::xla
