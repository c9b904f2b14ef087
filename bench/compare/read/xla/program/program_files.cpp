#include "compare/read/xla/program/program_files.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/module/module.hpp"

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
    constexpr std::array<std::pair<std::string_view, dump_part>, 5> ends{{
        {"after_optimizations-buffer-assignment.txt", dump_part::assignment},
        {"after_optimizations.txt", dump_part::optimized},
        {"after_optimizations_after_buffer_assignment.txt", dump_part::optimized},
        {"after_optimizations_before_buffer_assignment.txt", dump_part::before_assignment},
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

std::string short_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

namespace {

template <class Value>
std::optional<trace::read_error> keep(reading<Value> match, std::optional<from_file<Value>>& where, std::string file,
                                      std::string_view what) {
    if (!match) return match.error();
    if (where)
        return trace::read_error{std::move(file), 0, 0, "a second " + std::string(what),
                                 "one for each program; the first is " + where->file};
    where = {std::move(*match), std::move(file)};
    return std::nullopt;
}

/// Returns the preference of a module: scheduled ones are best, those with the shapes of whole arrays worst.
int rank(const hlo_module& subject) noexcept {
    return subject.has_whole_arrays ? 0 : subject.is_scheduled ? 3 : subject.is_tiled ? 2 : 1;
}

}  // namespace

std::optional<trace::read_error> add_file(program_files& target, file_kind kind, std::string_view text,
                                          const std::string& file) {
    switch (kind) {
    case file_kind::assignment: return keep(read_assignment(text, file), target.assignment, file, "buffer assignment");
    case file_kind::module: {
        reading<hlo_module> match = read_module(text, file);
        if (!match) return match.error();
        from_file<hlo_module> result{std::move(*match), file};
        if (!target.module) {
            target.module = std::move(result);
            return std::nullopt;
        }
        if (rank(result.value) > rank(target.module->value)) std::swap(result, *target.module);
        return keep(reading<hlo_module>(std::move(result.value)), target.unoptimized, result.file,
                    "module next to another");
    }
    default: break;
    }
    return trace::read_error{file, 0, 0, std::string(kind_in_words(kind)),
                             "a file of an XLA dump: a buffer assignment or a module"};
}

}  // namespace hbm::imported::xla
